package io.fdt.cli.copy;

import io.fdt.cli.display.JsonDisplay;
import io.fdt.core.basic.Figures;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.stats.JobReport;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.Summary;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/** Shows a copy that a server makes without its client. Keys of JSON are public: none changes its meaning. */
final class JobsView {
    private static final double BITS = 8e9;

    private JobsView() {}

    /** One line: id, state, time, data, rate, source and target. */
    static String line(JobReport job) {
        Summary end = job.end();
        Progress progress = job.progress();
        String state = end == null ? "running" : end.outcome();
        String why = end == null || end.failure() == null
                ? ""
                : " (exit code " + end.exitCode() + ": " + end.message() + ")";
        return job.id() + "  " + state + "  " + Figures.elapsed(progress.elapsedNanos()) + "  "
                + Figures.bytes(progress.bytes().done()) + "  " + Figures.rate(bitsPerSecond(progress)) + "  "
                + job.from() + " -> " + job.to() + why;
    }

    /** @param now by the clock of this host */
    static byte[] json(JobReport job, Instant now) {
        Summary end = job.end();
        Progress progress = job.progress();
        Instant started = now.minusNanos(job.ageNanos());
        return new JsonObject()
                .with("id", job.id())
                .with("from", job.from())
                .with("to", job.to())
                .with("state", end == null ? "running" : "ended")
                .with("outcome", end == null ? null : end.outcome())
                .with(end == null ? new JsonObject() : JsonDisplay.failureOf(end))
                .with("exit_code", end == null ? null : end.exitCode())
                .with("message", end == null ? null : end.message())
                .with("files", progress.files().done())
                .with("bytes", progress.bytes().done())
                .withKnown("bytes_total", progress.bytes().total())
                .with("bits_per_second", bitsPerSecond(progress), 1)
                .with("started", time(started))
                .with("ended", end == null ? null : time(started.plusNanos(progress.elapsedNanos())))
                .line("job");
    }

    private static String time(Instant instant) {
        return instant.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private static double bitsPerSecond(Progress progress) {
        long nanos = Math.max(progress.elapsedNanos(), TimeUnit.MILLISECONDS.toNanos(1));
        return progress.bytes().moved().durable() * BITS / nanos;
    }
}
