package io.fdt.monitor;

import io.fdt.core.run.Threads;
import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Meter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Reports what changes slowly at a server: when its keys expire, the room in its roots, and the space that unfinished
 * copies take there. It checks every minute on its own thread, {@code fdt-server-watch}, which a slow disk may block
 * without affecting other threads.
 */
final class ServerWatch implements AutoCloseable {
    private static final long PERIOD_MS = 60_000;
    private static final int PERIODS_BETWEEN_WALKS = 60;
    private static final Duration LONG_EXPIRED = Duration.ofDays(1);
    private static final int MAX_ENTRIES = 1_000_000;

    private final Supplier<Map<String, Instant>> expiries;
    private final List<Path> roots;
    private final Consumer<List<Figure>> told;
    private final Consumer<List<ExportedRoot>> seen;
    private final CountDownLatch closing = new CountDownLatch(1);

    /**
     * @param expiries by key name
     * @param told receives all figures, before the roots are read and again after they were searched
     * @param seen receives the roots with their room
     */
    ServerWatch(
            Supplier<Map<String, Instant>> expiries,
            List<Path> roots,
            Consumer<List<Figure>> told,
            Consumer<List<ExportedRoot>> seen) {
        this.expiries = expiries;
        this.roots = List.copyOf(roots);
        this.told = told;
        this.seen = seen;
        Threads.start("fdt-server-watch", this::run);
    }

    private void run() throws InterruptedException {
        List<Figure> partials = List.of();
        int period = 0;
        do {
            // First, because a file system that hangs stops this thread at its root.
            List<Figure> keys = keys();
            told.accept(concat(keys, partials));
            seen.accept(roots.stream().map(ExportedRoot::read).toList());
            if (period % PERIODS_BETWEEN_WALKS == 0) {
                partials = partials(roots);
                told.accept(concat(keys, partials));
            }
            period++;
        } while (!closing.await(PERIOD_MS, TimeUnit.MILLISECONDS));
    }

    private static List<Figure> concat(List<Figure> keys, List<Figure> partials) {
        List<Figure> all = new ArrayList<>(keys);
        all.addAll(partials);
        return all;
    }

    private List<Figure> keys() {
        FigureList list = new FigureList();
        Instant past = Instant.now().minus(LONG_EXPIRED);
        try {
            expiries.get().forEach((name, end) -> {
                if (end.isAfter(past)) {
                    list.add(Meter.SERVER_KEY_EXPIRY, end.getEpochSecond(), name);
                }
            });
        } catch (RuntimeException unreadable) {
            // The server itself reports a home directory that it cannot read.
        }
        return list.figures();
    }

    private List<Figure> partials(List<Path> directories) {
        FigureList list = new FigureList();
        for (Path root : directories) {
            Partials found = Partials.below(root, MAX_ENTRIES, () -> closing.getCount() == 0);
            if (!found.isCut()) {
                list.add(Meter.SERVER_PARTIALS, found.count(), root.toString());
                list.add(Meter.SERVER_PARTIAL_BYTES, found.bytes(), root.toString());
            }
        }
        return list.figures();
    }

    @Override
    public void close() {
        closing.countDown();
    }
}
