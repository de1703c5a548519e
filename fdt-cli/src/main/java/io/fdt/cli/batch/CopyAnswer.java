package io.fdt.cli.batch;

import io.fdt.cli.display.Display;
import io.fdt.cli.display.JsonDisplay;
import io.fdt.cli.display.ProgressTicker;
import io.fdt.cli.display.ProgressView;
import io.fdt.core.basic.Clock;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.digest.FileHash;
import io.fdt.core.failure.Failure;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferJob;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The answers of a copy: the fields are those of {@code client --json}. Thread-safe. */
final class CopyAnswer implements Display {
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private final BatchAnswer answer;
    private final boolean files;
    private final Clock clock;

    /** @param files report each file, not only those that failed */
    CopyAnswer(BatchAnswer answer, boolean files, Clock clock) {
        this.answer = answer;
        this.files = files;
        this.clock = clock;
    }

    /** Shows the progress of a copy and its end, which this waits for. */
    void follow(TransferJob job) throws InterruptedException {
        ProgressTicker ticker = ProgressTicker.start(job::progress, this, clock);
        // A thread for it would cost a small copy more than its data.
        while (!job.await(INTERVAL)) {
            onProgress(ticker.now());
        }
        onEnd(job.await());
    }

    @Override
    public void onFile(String path, FileOutcome outcome, long sizeBytes, @Nullable Failure why) {
        if (files || outcome == FileOutcome.FAILED) {
            answer.line("file", JsonDisplay.file(path, outcome, sizeBytes, why));
        }
    }

    @Override
    public void onFileInPlace(String path, FileOutcome outcome, long sizeBytes, Map<FileHash, String> checksums) {
        if (files) {
            answer.line("file", JsonDisplay.withChecksums(JsonDisplay.file(path, outcome, sizeBytes, null), checksums));
        }
    }

    @Override
    public boolean wantsChecksumsOfSkipped() {
        return files;
    }

    @Override
    public void onWarning(String message) {
        answer.line("warning", new JsonObject().with("message", message));
    }

    @Override
    public void onProgress(ProgressView view) {
        answer.line("progress", JsonDisplay.progress(view));
    }

    @Override
    public void onEnd(Summary summary) {
        Failure failure = summary.failure();
        if (failure == null) {
            answer.done(JsonDisplay.fields(summary));
        } else {
            answer.error(failure, new JsonObject().with("summary", JsonDisplay.fields(summary)));
        }
    }
}
