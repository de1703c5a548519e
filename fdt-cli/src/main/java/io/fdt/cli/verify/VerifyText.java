package io.fdt.cli.verify;

import io.fdt.cli.console.Console;
import io.fdt.cli.display.FailureReport;
import io.fdt.cli.display.ProgressLine;
import io.fdt.cli.display.ProgressMode;
import io.fdt.cli.display.ProgressView;
import io.fdt.core.basic.Figures;
import io.fdt.core.basic.Word;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.stats.Progress;
import io.fdt.core.verify.VerifySummary;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Prints a verification as text on standard error: one line per difference, the first twenty unless all are requested.
 */
final class VerifyText implements VerifyDisplay {
    static final int LISTED_MAX = 20;

    private final Console console;
    private final ProgressMode progress;
    private final boolean verbose;
    private final boolean quiet;
    private final IntSupplier columns;
    private long differences;
    private boolean started;
    private boolean contents = true;
    private boolean ended;

    VerifyText(Console console, ProgressMode progress, boolean verbose, boolean quiet, IntSupplier columns) {
        this.console = console;
        this.progress = progress;
        this.verbose = verbose;
        this.quiet = quiet;
        this.columns = columns;
    }

    @Override
    public synchronized void onStart(String tree, String against, String digest) {
        started = true;
        contents = !digest.equals(DigestKind.NONE.label());
        if (verbose) {
            console.message("fdt: verifying " + tree + " against " + against + " by " + digest);
        }
    }

    @Override
    public synchronized void onDifference(String path, Finding finding, @Nullable String detail) {
        differences++;
        if (!ended && (verbose || differences <= LISTED_MAX)) {
            String word = Word.of(finding);
            console.message("fdt: " + word + " " + path + (detail == null ? "" : ": " + detail));
        }
    }

    @Override
    public synchronized void onWarning(String message) {
        if (!quiet && !ended) {
            console.warning(message);
        }
    }

    @Override
    public long progressIntervalMs() {
        return progress.intervalMs();
    }

    @Override
    public synchronized void onProgress(ProgressView view) {
        if (ended || !started) {
            return;
        }
        if (progress == ProgressMode.BAR) {
            console.redraw(ProgressLine.cut(line(view), columns.getAsInt()));
        } else {
            console.message("fdt: " + line(view));
        }
    }

    static String line(ProgressView view) {
        Progress now = view.progress();
        String more = now.totalsFinal() ? "" : "+";
        return "read " + Figures.bytes(now.bytes().done()) + " of "
                + Figures.bytes(now.bytes().total()) + more + " at "
                + Figures.rate(view.bitsPerSecond()) + ", " + now.files().done() + "/"
                + Figures.count(now.files().total(), "file").replace(" ", more + " ")
                + (now.files().failed() == 0
                        ? ""
                        : ", " + Figures.count(now.files().failed(), "difference"));
    }

    @Override
    public synchronized void onEnd(VerifySummary summary) {
        if (ended) {
            return;
        }
        ended = true;
        console.redraw("");
        if (!verbose && differences > LISTED_MAX) {
            console.message("fdt: ... and " + (differences - LISTED_MAX) + " more");
        }
        Failure failure = summary.failure();
        if (failure == null ? !quiet : isFinding(summary)) {
            console.message(line(summary));
        } else if (failure != null) {
            FailureReport.show(console, false, failure);
        }
    }

    /** Whether it ended normally with differences; otherwise it failed. */
    static boolean isFinding(VerifySummary summary) {
        return summary.kind() == FailureKind.INTEGRITY
                || (summary.kind() == FailureKind.SOURCE
                        && summary.differences().unverified() > 0);
    }

    private String line(VerifySummary summary) {
        List<String> found = new ArrayList<>();
        addIfAny(
                found,
                summary.differences().differing(),
                summary.differences().differing() == 1 ? "differs" : "differ");
        addIfAny(found, summary.differences().missing(), "missing");
        addIfAny(found, summary.differences().extra(), "extra");
        addIfAny(found, summary.differences().unreadable(), "unreadable");
        addIfAny(
                found,
                summary.differences().unverified() - summary.differences().unreadable(),
                "unverified");
        if (found.isEmpty()) {
            found.add(contents ? "all the same" : "the same sizes; contents were not compared");
        }
        String digest = summary.digest();
        return "fdt: " + Figures.count(summary.files(), "file") + ", " + Figures.bytes(summary.bytes())
                + " verified in " + Figures.elapsed(summary.elapsedNanos()) + ": "
                + String.join(", ", found)
                + (digest == null ? "" : "; tree digest " + digest);
    }

    private static void addIfAny(List<String> found, long count, String word) {
        if (count > 0) {
            found.add(count + " " + word);
        }
    }
}
