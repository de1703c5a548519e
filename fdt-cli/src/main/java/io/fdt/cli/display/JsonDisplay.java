package io.fdt.cli.display;

import io.fdt.cli.console.Console;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.Word;
import io.fdt.core.digest.FileHash;
import io.fdt.core.failure.Failure;
import io.fdt.core.run.JobEnd;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.Summary;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Prints a transfer as JSON lines on standard output. Keys are public: new ones may be added, and none changes its
 * meaning.
 */
public final class JsonDisplay implements Display {
    private static final long INTERVAL_MS = 1_000;

    private final Console console;
    private final boolean files;
    private boolean started;
    private boolean ended;
    private int attempts = 1;

    public JsonDisplay(Console console, JsonMode mode) {
        this.console = console;
        this.files = mode == JsonMode.FILES;
    }

    @Override
    public synchronized void onStart(String session, int lanes, String transport, String peer) {
        started = true;
        print(new JsonObject()
                .with("session", session)
                .with("lanes", lanes)
                .with("transport", transport)
                .with("peer", peer)
                .line("start"));
    }

    @Override
    public void onFile(String path, FileOutcome outcome, long sizeBytes, @Nullable Failure why) {
        if (!files) {
            return;
        }
        print(file(path, outcome, sizeBytes, why).line("file"));
    }

    public static JsonObject file(String path, FileOutcome outcome, long sizeBytes, @Nullable Failure why) {
        JsonObject file = new JsonObject()
                .with("path", path)
                .with("outcome", Word.of(outcome))
                .with("bytes", sizeBytes);
        return why == null ? file : file.with(ofFile(why));
    }

    /** Returns why a file failed, for an object that has its path. */
    public static JsonObject ofFile(Failure why) {
        return why.jsonOfKnownPath().with("reason", why.text());
    }

    @Override
    public void onFileInPlace(String path, FileOutcome outcome, long sizeBytes, Map<FileHash, String> checksums) {
        if (files) {
            print(withChecksums(file(path, outcome, sizeBytes, null), checksums).line("file"));
        }
    }

    public static JsonObject withChecksums(JsonObject file, Map<FileHash, String> checksums) {
        if (!checksums.isEmpty()) {
            JsonObject sums = new JsonObject();
            checksums.forEach((kind, sum) -> sums.with(kind.label(), sum));
            file.with("checksums", sums);
        }
        return file;
    }

    @Override
    public boolean wantsChecksumsOfSkipped() {
        return files;
    }

    @Override
    public void onWarning(String message) {
        print(new JsonObject().with("message", message).line("warning"));
    }

    @Override
    public long progressIntervalMs() {
        return INTERVAL_MS;
    }

    /** Prints nothing before the start, which is always the first line of a transfer. */
    @Override
    public synchronized void onProgress(ProgressView view) {
        if (!started) {
            return;
        }
        print(progress(view).line("progress"));
    }

    public static JsonObject progress(ProgressView view) {
        Progress progress = view.progress();
        return new JsonObject()
                .with("bytes", progress.bytes().done())
                .withKnown("bytes_total", progress.bytes().total())
                .with(progress.bytes().moved().json())
                .with("totals_final", progress.totalsFinal())
                .with("files", progress.files().done())
                .with("files_total", progress.files().total())
                .with("files_skipped", progress.files().skipped())
                .with("files_failed", progress.files().failed())
                .with("lanes", progress.lanesAlive())
                .with("seconds", Math.max(0, progress.elapsedNanos()) / 1e9, 3)
                .with("bits_per_second", view.bitsPerSecond(), 1)
                .withKnown("eta_seconds", view.etaSeconds());
    }

    @Override
    public synchronized void onRetry(int attempt, Summary failed, long pauseNanos) {
        attempts = attempt + 1;
        print(new JsonObject()
                .with("message", failed.message())
                .with(retry(attempt, failed, pauseNanos))
                .line("retry"));
    }

    static JsonObject retry(int attempt, Summary failed, long pauseNanos) {
        Failure failure = failed.failure();
        return (failure == null ? new JsonObject() : failure.json())
                .with("attempt", attempt)
                .with("pause_seconds", pauseNanos / 1e9, 3);
    }

    @Override
    public synchronized void onRound(Summary round) {
        print(fields(round).line("round"));
    }

    @Override
    public synchronized void onEnd(Summary summary) {
        Failure failure = summary.failure();
        if (failure != null) {
            printError(console, failure);
        }
        print(new JsonObject().with(fields(summary)).with("attempts", attempts).line("summary"));
        ended = true;
    }

    /** Prints the error of a command, which has at most one. */
    public static void printError(Console console, Failure failure) {
        console.data(errorOf(failure).line("error"));
    }

    /** Returns the fields of the failure of a job that has ended; the cause is null if it succeeded. */
    public static JsonObject failureOf(JobEnd end) {
        Failure failure = end.failure();
        return failure == null ? new JsonObject().with("cause", null) : failure.json();
    }

    /** Returns all fields of a failure, with its text and its remedy. */
    public static JsonObject errorOf(Failure failure) {
        return failure.json().with("message", failure.text()).with("remedy", failure.remedy());
    }

    /** Returns the line of JSON about a copy that has ended. */
    public static byte[] summary(Summary summary) {
        return fields(summary).line("summary");
    }

    /** Returns the fields of a summary after the type. */
    public static JsonObject fields(Summary summary) {
        return new JsonObject()
                .with(figures(summary))
                .with("session", SummaryText.nullIfEmpty(summary.run().session()))
                .with(
                        "failed",
                        JsonObject.list(
                                summary.files().firstFailed(),
                                file -> new JsonObject()
                                        .with("path", file.path())
                                        .with(ofFile(file.failure()))));
    }

    static JsonObject figures(Summary summary) {
        Summary.Files files = summary.files();
        Summary.Bytes bytes = summary.bytes();
        Summary.Run run = summary.run();
        JsonObject figures = new JsonObject()
                .with("outcome", summary.outcome())
                .with("exit_code", summary.exitCode())
                .with("files", files.inPlace())
                .with("bytes", bytes.inPlace())
                .with(bytes.moved().json())
                .with("bytes_resumed", bytes.resumed())
                .with("bytes_resent", bytes.resent())
                .with("bytes_kept", bytes.kept())
                .with("kept_exact", bytes.keptExact())
                .with("files_skipped", files.skipped())
                .with("files_failed", files.failed())
                .with("files_deleted", files.deleted());
        Summary.Preview preview = summary.preview();
        if (preview != null) {
            figures.with("files_to_copy", preview.filesToCopy())
                    .with("files_to_replace", preview.filesToReplace())
                    .with("files_to_delete", preview.filesToDelete())
                    .with("bytes_to_copy", preview.bytesToCopy());
        }
        figures.with("lanes", run.lanes());
        if (run.lanesReplaced() > 0) {
            figures.with("lanes_replaced", run.lanesReplaced());
        }
        return figures.with("seconds", Math.max(0, run.elapsedNanos()) / 1e9, 6)
                .with("bits_per_second", SummaryText.bitsPerSecond(summary), 1)
                .with("digest", summary.digest())
                .with("bottleneck", SummaryText.nullIfEmpty(run.bottleneck()));
    }

    private synchronized void print(byte[] line) {
        if (!ended) {
            console.data(line);
        }
    }
}
