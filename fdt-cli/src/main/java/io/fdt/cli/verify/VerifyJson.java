package io.fdt.cli.verify;

import io.fdt.cli.console.Console;
import io.fdt.cli.display.JsonDisplay;
import io.fdt.cli.display.ProgressView;
import io.fdt.cli.display.SummaryText;
import io.fdt.core.FailureKind;
import io.fdt.core.JsonLine;
import io.fdt.core.Word;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.Summary;
import io.fdt.core.verify.VerifySummary;
import org.jspecify.annotations.Nullable;

/**
 * Prints a verification as JSON lines on standard output, and an early failure on standard error as well. Keys are
 * public: new ones may be added, and none changes its meaning.
 */
final class VerifyJson implements VerifyDisplay {
    private static final long INTERVAL_MS = 1_000;

    private final Console console;
    private boolean started;
    private boolean ended;

    VerifyJson(Console console) {
        this.console = console;
    }

    @Override
    public synchronized void onStart(String tree, String against, String digest) {
        started = true;
        print("start", line -> {
            line.text("tree", tree);
            line.text("against", against);
            line.text("digest", digest);
        });
    }

    @Override
    public synchronized void onDifference(String path, Finding finding, @Nullable String detail) {
        print("file", line -> {
            line.text("path", path);
            line.text("outcome", Word.of(finding));
            line.text("detail", detail);
        });
    }

    @Override
    public synchronized void onWarning(String message) {
        print("warning", line -> line.text("message", message));
    }

    @Override
    public long progressIntervalMs() {
        return INTERVAL_MS;
    }

    @Override
    public synchronized void onProgress(ProgressView view) {
        if (!started) {
            return;
        }
        Progress progress = view.progress();
        print("progress", line -> {
            line.number("bytes", progress.bytes().done());
            line.number("bytes_total", progress.bytes().total());
            line.flag("totals_final", progress.totalsFinal());
            line.number("files", progress.files().done());
            line.number("files_total", progress.files().total());
            line.number("differences", progress.files().failed());
            line.fraction("seconds", Math.max(0, progress.elapsedNanos()) / 1e9, 3);
            line.fraction("bits_per_second", view.bitsPerSecond(), 1);
        });
    }

    @Override
    public synchronized void onEnd(VerifySummary summary) {
        FailureKind failure = summary.failure();
        if (failure != null && !VerifyText.isFinding(summary) && !ended) {
            String message = String.valueOf(summary.message());
            JsonDisplay.printError(console, failure, message);
            console.failure(SummaryText.failureLine(failure, message, "; run it again"));
        }
        print("summary", line -> {
            line.text("outcome", failure == FailureKind.INTEGRITY ? "different" : Summary.outcomeOf(failure));
            line.number("exit_code", summary.exitCode());
            line.number("files", summary.files());
            line.number("bytes", summary.bytes());
            line.number("differing", summary.differences().differing());
            line.number("missing", summary.differences().missing());
            line.number("extra", summary.differences().extra());
            line.number("unreadable", summary.differences().unreadable());
            line.number("files_unverified", summary.differences().unverified());
            line.fraction("seconds", Math.max(0, summary.elapsedNanos()) / 1e9, 6);
            line.text("digest", summary.digest());
        });
        ended = true;
    }

    private void print(String type, JsonLine.Body body) {
        if (!ended) {
            console.data(JsonLine.of(type, body));
        }
    }
}
