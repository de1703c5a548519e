package io.fdt.cli.display;

import io.fdt.cli.console.Console;
import io.fdt.core.basic.Figures;
import io.fdt.core.basic.Word;
import io.fdt.core.failure.Failure;
import io.fdt.core.stats.Summary;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** Shows a transfer as text: progress, warnings and the summary on standard error. */
public final class TextDisplay implements Display {
    private final Console console;
    private final Manner manner;
    private final IntSupplier columns;
    private boolean ended;

    /**
     * How much the display shows.
     *
     * @param summary whether it shows the figures at the end; it always shows a failure
     * @param failures whether it lists the failed files at the end even without the figures
     * @param listing whether a {@link DryRunList} lists the files of a dry run
     */
    public record Manner(
            ProgressMode progress,
            boolean verbose,
            boolean quiet,
            boolean summary,
            boolean failures,
            boolean listing) {}

    /** Reads the columns of the terminal each time it draws a bar, because they may change. */
    public TextDisplay(Console console, Manner manner, IntSupplier columns) {
        this.console = console;
        this.manner = manner;
        this.columns = columns;
    }

    @Override
    public synchronized void onStart(String session, int lanes, String transport, String peer) {
        if (manner.verbose()) {
            console.message("fdt: session " + session + " with " + peer + ", " + Figures.count(lanes, "lane") + ", "
                    + transport);
        }
    }

    @Override
    public synchronized void onFile(String path, FileOutcome outcome, long sizeBytes, @Nullable Failure why) {
        if (manner.verbose() && !(manner.listing() && DryRunList.has(outcome))) {
            String word = Word.of(outcome).replace('_', ' ');
            console.message("fdt: " + word + " " + path + (why == null ? "" : ": " + why.text()));
        }
    }

    @Override
    public synchronized void onWarning(String message) {
        if (!manner.quiet()) {
            console.warning(message);
        }
    }

    @Override
    public long progressIntervalMs() {
        return manner.progress().intervalMs();
    }

    @Override
    public synchronized void onProgress(ProgressView view) {
        if (ended) {
            return;
        }
        if (manner.progress() == ProgressMode.BAR) {
            console.redraw(ProgressLine.bar(view, columns.getAsInt()));
        } else {
            console.message("fdt: " + ProgressLine.plain(view).strip());
        }
    }

    @Override
    public synchronized void onRetry(int attempt, Summary failed, long pauseNanos) {
        if (!manner.quiet()) {
            console.redraw("");
            console.message("fdt: " + SummaryText.retryLine(attempt, failed, pauseNanos));
        }
    }

    @Override
    public synchronized void onRound(Summary round) {
        console.redraw("");
        if (manner.summary() && round.files().inPlace() > round.files().skipped()) {
            console.message(SummaryText.firstLine(round));
        }
    }

    @Override
    public synchronized void onEnd(Summary summary) {
        ended = true;
        console.redraw("");
        boolean session = !summary.run().session().isEmpty() || summary.files().inPlace() > 0;
        if (manner.summary() && session) {
            console.message(String.join("\n", SummaryText.lines(summary)));
        } else if (manner.failures() && !manner.verbose()) {
            SummaryText.failedFiles(summary).forEach(line -> console.message("fdt: failed: " + line));
        }
        Failure failure = summary.failure();
        if (failure != null) {
            console.failure(SummaryText.failureLine(summary.preview() == null ? failure : failure.toRunAgain()));
        }
    }
}
