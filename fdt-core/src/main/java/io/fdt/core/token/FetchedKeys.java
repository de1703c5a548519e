package io.fdt.core.token;

import io.fdt.core.basic.Clock;
import io.fdt.core.run.SurvivedFailures;
import io.fdt.core.run.Threads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The keys of an issuer that publishes them, in memory. A thread, {@code fdt-issuer}, fetches them at the start, every
 * hour, and when a token names a key that is not among them. If that fails, they are used until they are a day old.
 * Thread-safe; only that thread waits for the network.
 */
final class FetchedKeys implements AutoCloseable {
    static final long REFRESH_NANOS = TimeUnit.HOURS.toNanos(1);
    static final long MAX_AGE_NANOS = TimeUnit.HOURS.toNanos(24);
    /** After a failure, and for tokens with keys that nobody knows. */
    static final long AGAIN_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Each is a client that is not authenticated yet. */
    private static final int MAX_WAITING = 4096;

    private final String issuer;
    private final Source source;
    private final Clock clock;
    private final Consumer<String> warnings;
    private final SurvivedFailures failures = new SurvivedFailures();

    // Guarded by this.
    private List<Runnable> waiting = new ArrayList<>();
    private boolean fetching = true;
    private boolean closed;
    private @Nullable KeySet keys;
    private long fetchedNanos;
    private long triedNanos;
    private @Nullable Thread thread;

    // Used only by this object's thread.
    private String warning = "";

    /** Where the keys come from. */
    interface Source {
        KeySet fetch() throws IOException, InterruptedException;
    }

    FetchedKeys(String issuer, Source source, Clock clock, Consumer<String> warnings) {
        this.issuer = issuer;
        this.source = source;
        this.clock = clock;
        this.warnings = warnings;
        this.thread = Threads.start("fdt-issuer", this::run);
    }

    /** Null if there are none, or they are too old. */
    synchronized @Nullable KeySet known() {
        return clock.nanoTime() - fetchedNanos > MAX_AGE_NANOS ? null : keys;
    }

    /**
     * Runs the action once the keys have been fetched anew, on the thread that fetches, which it must not block.
     * Returns false if too many are waiting.
     *
     * @param patient wait if they were just fetched; otherwise false is returned then
     */
    synchronized boolean whenFetched(Runnable action, boolean patient) {
        boolean soon = !fetching && clock.nanoTime() - triedNanos < AGAIN_NANOS;
        if (closed || waiting.size() >= MAX_WAITING || (soon && !patient)) {
            return false;
        }
        waiting.add(action);
        fetching = fetching || !soon;
        notifyAll();
        return true;
    }

    synchronized void fetchNow() {
        fetching = true;
        notifyAll();
    }

    private void run() throws InterruptedException {
        while (awaitDue()) {
            KeySet fetched = fetch();
            List<Runnable> ready;
            synchronized (this) {
                triedNanos = clock.nanoTime();
                if (fetched != null) {
                    keys = fetched;
                    fetchedNanos = triedNanos;
                }
                fetching = false;
                ready = waiting;
                waiting = new ArrayList<>();
            }
            ready.forEach(failures::survives);
        }
    }

    private @Nullable KeySet fetch() throws InterruptedException {
        try {
            KeySet fetched = source.fetch();
            warning = "";
            return fetched;
        } catch (IOException | RuntimeException failed) {
            String reason = "cannot fetch the keys of the issuer " + issuer + ": " + failed.getMessage();
            if (!reason.equals(warning)) {
                warnings.accept(reason);
            }
            warning = reason;
            return null;
        }
    }

    /** Returns false at the end. */
    private synchronized boolean awaitDue() throws InterruptedException {
        while (!closed && !fetching) {
            long wait = triedNanos
                    + (waiting.isEmpty() && keys != null && fetchedNanos == triedNanos ? REFRESH_NANOS : AGAIN_NANOS)
                    - clock.nanoTime();
            if (wait <= 0) {
                fetching = true;
            } else {
                wait(TimeUnit.NANOSECONDS.toMillis(wait) + 1);
            }
        }
        return !closed;
    }

    @Override
    public void close() {
        Thread running;
        synchronized (this) {
            closed = true;
            notifyAll();
            running = thread;
        }
        if (running != null) {
            running.interrupt();
        }
    }
}
