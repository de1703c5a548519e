package io.fdt.monitor;

import io.fdt.core.basic.Clock;
import io.fdt.core.basic.HostView;
import io.fdt.core.run.Threads;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Provides the activity of this host to the remote ends of sessions, if no monitor runs. It samples once a second on
 * its own thread, {@code fdt-host-view}, from the first request on and until there has been no request for a while;
 * otherwise it costs nothing. Thread-safe.
 */
public final class HostReporter implements Supplier<@Nullable HostView>, AutoCloseable {
    private static final long PERIOD_MS = 1_000;
    private static final long IDLE_MS = 10_000;
    private static final double NANOS = 1e9;

    private final Path root;
    private final long idleNanos;
    private @Nullable Thread thread;
    private @Nullable HostView view;
    private long askedNanos;
    private boolean closed;

    /** @param root contains {@code proc} and {@code sys}; the root directory except in tests */
    public HostReporter(Path root) {
        this(root, IDLE_MS);
    }

    /** @param idleMs the time without requests after which it stops sampling */
    HostReporter(Path root, long idleMs) {
        this.root = root;
        this.idleNanos = TimeUnit.MILLISECONDS.toNanos(idleMs);
    }

    /** Returns the last sample; null before the first one. Does not block. */
    @Override
    public synchronized @Nullable HostView get() {
        askedNanos = Clock.SYSTEM.nanoTime();
        if (thread == null && !closed) {
            Thread looking = Threads.daemon("fdt-host-view", this::look);
            thread = looking;
            // The peer asks again.
            Threads.start(looking, noThread -> thread = null);
        }
        return view;
    }

    /** Whether the sampling thread runs. */
    synchronized boolean isLooking() {
        return thread != null;
    }

    private void look() throws InterruptedException {
        try (HostSource source = new HostSource(root)) {
            HostFigures last = source.read();
            long lastNanos = Clock.SYSTEM.nanoTime();
            while (isWantedAfterPeriod()) {
                HostFigures figures = source.read();
                long now = Clock.SYSTEM.nanoTime();
                double seconds = (now - lastNanos) / NANOS;
                tell(HostRates.view(source.host().name(), last, figures, seconds));
                last = figures;
                lastNanos = now;
            }
        } finally {
            end();
        }
    }

    private synchronized void tell(HostView seen) {
        view = seen;
    }

    /** When this returns false, {@code thread} is already null. */
    private boolean isWantedAfterPeriod() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(PERIOD_MS);
        synchronized (this) {
            if (closed || Clock.SYSTEM.nanoTime() - askedNanos >= idleNanos) {
                end();
                return false;
            }
            return true;
        }
    }

    private synchronized void end() {
        if (Thread.currentThread().equals(thread)) {
            view = null;
            thread = null;
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (thread != null) {
            thread.interrupt();
        }
    }
}
