package io.fdt.monitor.push;

import io.fdt.core.Threads;
import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Sample;
import io.fdt.monitor.figure.SampleListener;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

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
    private final ArrayBlockingQueue<Job> jobs = new ArrayBlockingQueue<>(QUEUED_SAMPLES);
    private final Thread thread;
    private boolean warned;

    /** A sample to send, or null to stop. */
    private record Job(@Nullable Sample sample, List<Figure> figures) {}

    public Pusher(Push push, String receiver, Consumer<String> warnings) {
        this.push = push;
        this.receiver = receiver;
        this.warnings = warnings;
        this.thread = Threads.daemon("fdt-push", this::run);
        this.thread.start();
    }

    @Override
    public void onSample(Sample sample, List<Figure> figures) {
        give(new Job(sample, figures));
    }

    private void give(Job job) {
        while (!jobs.offer(job)) {
            jobs.poll();
        }
    }

    @Override
    public void onEnd() {
        give(new Job(null, List.of()));
    }

    /** Waits until all samples queued before the end have been sent, at most for the timeout. */
    public void awaitEnd(long timeoutMs) {
        // join(0) would wait without a limit.
        Threads.join(thread, Math.max(1, timeoutMs));
    }

    private void run() throws InterruptedException {
        try {
            while (true) {
                Job job = jobs.poll(1, TimeUnit.HOURS);
                if (job == null) {
                    continue;
                }
                Sample sample = job.sample();
                if (sample == null) {
                    return;
                }
                send(sample, job.figures());
            }
        } finally {
            push.close();
        }
    }

    private void send(Sample sample, List<Figure> figures) {
        try {
            push.send(sample, figures);
        } catch (IOException | RuntimeException dead) {
            if (!warned) {
                warned = true;
                warnings.accept("cannot push metrics to " + receiver + ": "
                        + Objects.requireNonNullElse(dead.getMessage(), dead.toString())
                        + "; metrics are dropped until it accepts them again");
            }
        }
    }
}
