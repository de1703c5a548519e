package io.fdt.cli.verify;

import io.fdt.cli.console.Console;
import io.fdt.cli.display.FailureReport;
import io.fdt.cli.display.ProgressView;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.Word;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
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
        print(new JsonObject()
                .with("tree", tree)
                .with("against", against)
                .with("digest", digest)
                .line("start"));
    }

    @Override
    public synchronized void onDifference(String path, Finding finding, @Nullable String detail) {
        print(new JsonObject()
                .with("path", path)
                .with("outcome", Word.of(finding))
                .with("detail", detail)
                .line("file"));
    }

    @Override
    public synchronized void onWarning(String message) {
        print(new JsonObject().with("message", message).line("warning"));
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
        print(new JsonObject()
                .with("bytes", progress.bytes().done())
                .with("bytes_total", progress.bytes().total())
                .with("totals_final", progress.totalsFinal())
                .with("files", progress.files().done())
                .with("files_total", progress.files().total())
                .with("differences", progress.files().failed())
                .with("seconds", Math.max(0, progress.elapsedNanos()) / 1e9, 3)
                .with("bits_per_second", view.bitsPerSecond(), 1)
                .line("progress"));
    }

    @Override
    public synchronized void onEnd(VerifySummary summary) {
        Failure failure = summary.failure();
        if (failure != null && !VerifyText.isFinding(summary) && !ended) {
            FailureReport.show(console, true, failure);
        }
        print(new JsonObject()
                .with(
                        "outcome",
                        summary.kind() == FailureKind.INTEGRITY ? "different" : Summary.outcomeOf(summary.kind()))
                .with("exit_code", summary.exitCode())
                .with("files", summary.files())
                .with("bytes", summary.bytes())
                .with("differing", summary.differences().differing())
                .with("missing", summary.differences().missing())
                .with("extra", summary.differences().extra())
                .with("unreadable", summary.differences().unreadable())
                .with("files_unverified", summary.differences().unverified())
                .with("seconds", Math.max(0, summary.elapsedNanos()) / 1e9, 6)
                .with("digest", summary.digest())
                .line("summary"));
        ended = true;
    }

    private void print(byte[] line) {
        if (!ended) {
            console.data(line);
        }
    }
}
