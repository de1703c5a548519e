package io.fdt.cli.display;

import io.fdt.core.basic.Clock;
import io.fdt.core.run.Threads;
import io.fdt.core.stats.Progress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Reads the progress of a transfer on the thread {@code fdt-progress} and passes it to a display; {@link #now} returns
 * it on any thread.
 */
public final class ProgressTicker {
    private static final long RATE_WINDOW_NANOS = 5_000_000_000L;
    /** Over a shorter time a rate means little; then the rate since the start is used. */
    private static final long MIN_SPAN_NANOS = 500_000_000L;

    private final Supplier<Progress> source;
    private final ProgressDisplay display;
    private final Clock clock;
    private final RateWindow rate = new RateWindow(RATE_WINDOW_NANOS);
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread;

    private ProgressTicker(Supplier<Progress> source, ProgressDisplay display, Clock clock) {
        this.source = source;
        this.display = display;
        this.clock = clock;
        this.thread = Threads.daemon("fdt-progress", this::run);
    }

    /**
     * Starts reading progress at the display's interval; does not start the thread if the display wants no progress.
     */
    public static ProgressTicker start(Supplier<Progress> source, ProgressDisplay display, Clock clock) {
        ProgressTicker ticker = new ProgressTicker(source, display, clock);
        if (display.progressIntervalMs() > 0) {
            Threads.start(ticker.thread, noThread -> {});
        }
        return ticker;
    }

    private void run() throws InterruptedException {
        long intervalMs = display.progressIntervalMs();
        sample();
        while (!stopped.await(intervalMs, TimeUnit.MILLISECONDS)) {
            display.onProgress(ProgressView.of(sample(), rate.bitsPerSecond()));
        }
    }

    private Progress sample() {
        Progress progress = source.get();
        rate.add(clock.nanoTime(), progress.bytes().moved().sent());
        return progress;
    }

    /**
     * Returns the current progress. If no display shows progress, the rate covers the time since the previous call, and
     * at first the time since the start.
     */
    public ProgressView now() {
        Progress progress = sample();
        double sinceStart =
                progress.elapsedNanos() <= 0 ? 0 : progress.bytes().moved().sent() * 8e9 / progress.elapsedNanos();
        return ProgressView.of(progress, rate.spanNanos() >= MIN_SPAN_NANOS ? rate.bitsPerSecond() : sinceStart);
    }

    /** Stops the thread. The display gets no more updates after this. */
    public void stop() {
        stopped.countDown();
        Threads.join(thread, 1_000);
    }
}
