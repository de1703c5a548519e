package io.fdt.monitor;

import io.fdt.core.Clock;
import io.fdt.core.HostView;
import io.fdt.core.Threads;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells what this host does where no monitor runs: for the other ends of sessions that ask. It looks once a second on a
 * thread of its own, {@code fdt-host-view}, from the first question on and until nobody has asked for a while;
 * otherwise it costs nothing. Thread-safe.
 */
public final class HostTeller implements Supplier<@Nullable HostView>, AutoCloseable {
    private static final long PERIOD_MS = 1_000;
    private static final long IDLE_MS = 10_000;
    private static final double NANOS = 1e9;

    private final Path root;
    private final long idleNanos;
    private @Nullable Thread thread;
    private @Nullable HostView view;
    private long askedNanos;
    private boolean closed;

    /** {@code root} holds {@code proc} and {@code sys}: the root directory but for tests. */
    public HostTeller(Path root) {
        this(root, IDLE_MS);
    }

    /** @param idleMs after which it stops to look if nobody asks */
    HostTeller(Path root, long idleMs) {
        this.root = root;
        this.idleNanos = TimeUnit.MILLISECONDS.toNanos(idleMs);
    }

    /** What the last look saw; null before there was one. Does not block. */
    @Override
    public synchronized @Nullable HostView get() {
        askedNanos = Clock.SYSTEM.nanoTime();
        if (thread == null && !closed) {
            thread = Threads.daemon("fdt-host-view", this::look);
            thread.start();
        }
        return view;
    }

    /** Whether its thread runs. */
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

    /** The thread is not there any more from the moment on in which this says no. */
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
