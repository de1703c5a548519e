package io.fdt.monitor.push;

import io.fdt.core.failure.TransferException;
import io.fdt.core.run.SurvivedFailures;
import io.fdt.core.run.Threads;
import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Sample;
import io.fdt.monitor.figure.SampleListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Pushes samples to one receiver on its own thread, {@code fdt-push}, with a short queue; if the receiver is too slow,
 * the oldest samples are dropped and no other thread waits. A failing receiver is reported once, and retried with every
 * sample. At the end the last sample is sent, which {@link #awaitEnd} waits for.
 */
public final class Pusher implements SampleListener {
    private static final int QUEUED_SAMPLES = 10;

    private final Push push;
    private final String receiver;
    private final Consumer<String> warnings;
    private final ThreadPoolExecutor sending = new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(QUEUED_SAMPLES),
            task -> Threads.daemon("fdt-push", task::run),
            new ThreadPoolExecutor.DiscardOldestPolicy());
    private final SurvivedFailures failures = new SurvivedFailures(this::warn);

    public Pusher(Push push, String receiver, Consumer<String> warnings) {
        this.push = push;
        this.receiver = receiver;
        this.warnings = warnings;
    }

    @Override
    public void onSample(Sample sample, List<Figure> figures) {
        sending.execute(() -> surviving(() -> push.send(sample, figures)));
    }

    @Override
    public void onEnd() {
        sending.execute(() -> surviving(push::close));
        sending.shutdown();
    }

    /** Waits until all samples queued before the end have been sent, at most for the timeout. */
    public void awaitEnd(long timeoutMs) {
        try {
            sending.awaitTermination(timeoutMs, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private interface Sending {
        void run() throws IOException;
    }

    private void surviving(Sending action) {
        var unused = failures.survives(() -> {
            try {
                action.run();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private void warn(Throwable failure) {
        Throwable cause = failure.getCause();
        Throwable dead = failure instanceof UncheckedIOException && cause != null ? cause : failure;
        warnings.accept("cannot push metrics to " + receiver + ": "
                + TransferException.reason(dead)
                + "; metrics are dropped until it accepts them again");
    }
}
