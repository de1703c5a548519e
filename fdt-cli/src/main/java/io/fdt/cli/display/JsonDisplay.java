package io.fdt.cli.display;

import io.fdt.cli.console.Console;
import io.fdt.core.FailureKind;
import io.fdt.core.JsonLine;
import io.fdt.core.Word;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.Summary;
import java.io.IOException;
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
        print("start", line -> {
            line.text("session", session);
            line.number("lanes", lanes);
            line.text("transport", transport);
            line.text("peer", peer);
        });
    }

    @Override
    public void onFile(
            String path, FileOutcome outcome, long sizeBytes, @Nullable FailureKind kind, @Nullable String reason) {
        if (!files) {
            return;
        }
        print("file", line -> writeFile(line, path, outcome, sizeBytes, kind, reason));
    }

    /** Writes the result of a file. */
    public static void writeFile(
            JsonLine line,
            String path,
            FileOutcome outcome,
            long sizeBytes,
            @Nullable FailureKind kind,
            @Nullable String reason)
            throws IOException {
        line.text("path", path);
        line.text("outcome", Word.of(outcome));
        line.number("bytes", sizeBytes);
        if (kind != null) {
            line.text("kind", Word.of(kind));
            line.number("exit_code", kind.exitCode());
            line.text("reason", reason);
        }
    }

    @Override
    public void onWarning(String message) {
        print("warning", line -> line.text("message", message));
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
        print("progress", line -> writeProgress(line, view));
    }

    /** Writes the progress of a transfer. */
    public static void writeProgress(JsonLine line, ProgressView view) throws IOException {
        Progress progress = view.progress();
        line.number("bytes", progress.bytesDone());
        line.numberIfKnown("bytes_total", progress.bytesTotal());
        line.number("bytes_moved", progress.bytesMoved());
        line.flag("totals_final", progress.totalsFinal());
        line.number("files", progress.filesDone());
        line.number("files_total", progress.filesTotal());
        line.number("files_skipped", progress.filesSkipped());
        line.number("files_failed", progress.filesFailed());
        line.number("lanes", progress.lanesAlive());
        line.fraction("seconds", Math.max(0, progress.elapsedNanos()) / 1e9, 3);
        line.fraction("bits_per_second", view.bitsPerSecond(), 1);
        line.numberIfKnown("eta_seconds", view.etaSeconds());
    }

    @Override
    public synchronized void onRetry(int attempt, Summary failed, long pauseNanos) {
        attempts = attempt + 1;
        print("retry", line -> {
            line.text("message", SummaryText.message(failed));
            writeRetry(line, attempt, failed, pauseNanos);
        });
    }

    static void writeRetry(JsonLine line, int attempt, Summary failed, long pauseNanos) throws IOException {
        FailureKind failure = failed.failure();
        line.number("attempt", attempt);
        line.number("exit_code", failed.exitCode());
        line.text("kind", failure == null ? null : Word.of(failure));
        line.fraction("pause_seconds", pauseNanos / 1e9, 3);
    }

    @Override
    public synchronized void onEnd(Summary summary) {
        FailureKind failure = summary.failure();
        if (failure != null) {
            printError(console, failure, SummaryText.message(summary));
        }
        print("summary", line -> {
            writeSummary(line, summary);
            line.number("attempts", attempts);
        });
        ended = true;
    }

    /** Prints the error of a command, which has at most one. */
    public static void printError(Console console, FailureKind failure, String message) {
        console.data(JsonLine.of("error", line -> {
            line.number("exit_code", failure.exitCode());
            line.text("kind", Word.of(failure));
            line.text("message", message);
            line.text("remedy", failure.remedy(message));
        }));
    }

    /** Returns the line of JSON about a copy that has ended. */
    public static byte[] summary(Summary summary) {
        return JsonLine.of("summary", line -> writeSummary(line, summary));
    }

    /** Writes the fields of a summary after the type. */
    public static void writeSummary(JsonLine line, Summary summary) throws IOException {
        writeFigures(line, summary);
        line.text("session", SummaryText.nullIfEmpty(summary.session()));
        line.objects("failed", summary.failedFiles(), (one, file) -> {
            one.text("path", file.path());
            one.text("kind", Word.of(file.kind()));
            one.number("exit_code", file.kind().exitCode());
            one.text("reason", file.reason());
        });
    }

    /** Writes the outcome and the figures of a summary. */
    static void writeFigures(JsonLine line, Summary summary) throws IOException {
        double seconds = Math.max(0, summary.elapsedNanos()) / 1e9;
        line.text("outcome", summary.outcome());
        line.number("exit_code", summary.exitCode());
        line.number("files", summary.files());
        line.number("bytes", summary.bytes());
        line.number("bytes_moved", summary.bytesMoved());
        line.number("bytes_sent", summary.bytesSent());
        line.number("bytes_resumed", summary.bytesResumed());
        line.number("bytes_resent", summary.bytesResent());
        line.number("files_skipped", summary.filesSkipped());
        line.number("files_failed", summary.filesFailed());
        line.number("files_deleted", summary.filesDeleted());
        Summary.Preview preview = summary.preview();
        if (preview != null) {
            line.number("files_to_copy", preview.filesToCopy());
            line.number("files_to_replace", preview.filesToReplace());
            line.number("files_to_delete", preview.filesToDelete());
            line.number("bytes_to_copy", preview.bytesToCopy());
        }
        line.number("lanes", summary.lanes());
        if (summary.lanesReplaced() > 0) {
            line.number("lanes_replaced", summary.lanesReplaced());
        }
        line.fraction("seconds", seconds, 6);
        line.fraction("bits_per_second", SummaryText.bitsPerSecond(summary), 1);
        line.text("digest", summary.digest());
        line.text("bottleneck", SummaryText.nullIfEmpty(summary.bottleneck()));
    }

    private synchronized void print(String type, JsonLine.Body body) {
        if (!ended) {
            console.data(JsonLine.of(type, body));
        }
    }
}
