package io.fdt.cli.list;

import io.fdt.cli.console.Console;
import io.fdt.core.Figures;
import io.fdt.core.JsonLine;
import io.fdt.core.Word;
import io.fdt.core.listing.ListObserver;
import io.fdt.core.listing.ListSummary;
import io.fdt.core.plan.Printable;
import org.jspecify.annotations.Nullable;

/** Prints the files that a cleaning removes and keeps, one per line, and the totals to standard output. Thread-safe. */
final class CleanView implements ListObserver {
    private final Console console;
    private final boolean json;
    private final boolean dryRun;
    private boolean ended;

    CleanView(Console console, boolean json, boolean dryRun) {
        this.console = console;
        this.json = json;
        this.dryRun = dryRun;
    }

    @Override
    public void onEntry(Entry entry) {
        tell(dryRun ? "would remove" : "removed", entry, null);
    }

    @Override
    public void onKept(Entry entry, String reason) {
        tell("kept", entry, reason);
    }

    private synchronized void tell(String outcome, Entry entry, @Nullable String reason) {
        if (ended) {
            return;
        }
        if (json) {
            console.data(Printable.json(JsonLine.text(line -> {
                line.text("type", "entry");
                line.text("path", entry.path().text());
                line.text("kind", Word.of(entry.kind()));
                line.number("bytes", entry.bytes());
                line.text("mtime", EntryJson.time(entry));
                line.text("outcome", outcome.replace(' ', '_'));
                line.text("reason", reason);
            })));
            return;
        }
        long seconds = System.currentTimeMillis() / 1000 - entry.modifiedSeconds();
        String path = entry.path().display();
        // The reason includes the path.
        console.data(outcome + " " + (reason == null ? path : reason) + " (" + Figures.bytes(entry.bytes()) + ", "
                + Figures.age(seconds) + " old)");
    }

    @Override
    public synchronized void onUnreadable(String reason) {
        ListView.warn(console, json && !ended, reason);
    }

    @Override
    public synchronized void onWarning(String message) {
        console.warning(message);
    }

    synchronized void onEnd(ListSummary summary) {
        if (ended) {
            return;
        }
        ended = true;
        if (json) {
            console.data(JsonLine.of("summary", line -> {
                line.number("exit_code", summary.exitCode());
                line.number("files", summary.entries());
                line.number("bytes", summary.bytes());
                line.number("files_kept", summary.unfinishedFiles());
                line.number("bytes_kept", summary.unfinishedBytes());
                line.number("files_failed", summary.unreadable());
            }));
        } else {
            console.data((dryRun ? "would remove " : "removed ") + Figures.count(summary.entries(), "file") + ", "
                    + Figures.bytes(summary.bytes()) + "; kept " + Figures.count(summary.unfinishedFiles(), "file")
                    + ", " + Figures.bytes(summary.unfinishedBytes()));
        }
        ListView.tellFailure(console, json, summary);
    }
}
