package io.fdt.cli.list;

import io.fdt.cli.console.Console;
import io.fdt.core.basic.Figures;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.Word;
import io.fdt.core.failure.Failure;
import io.fdt.core.files.ListObserver;
import io.fdt.core.files.ListSummary;
import io.fdt.core.plan.Printable;
import org.jspecify.annotations.Nullable;

/** Prints the files that a cleaning removes and keeps, one per line, and the totals to standard output. Thread-safe. */
final class CleanView implements ListObserver {
    private final Console console;
    private final boolean json;
    private final boolean dryRun;
    private final long olderSeconds;
    private boolean ended;

    /** @param olderSeconds files that changed later are kept */
    CleanView(Console console, boolean json, boolean dryRun, long olderSeconds) {
        this.olderSeconds = olderSeconds;
        this.console = console;
        this.json = json;
        this.dryRun = dryRun;
    }

    @Override
    public void onEntry(Entry entry) {
        print(dryRun ? "would remove" : "removed", entry, null);
    }

    @Override
    public void onKept(Entry entry, String reason) {
        print("kept", entry, reason);
    }

    private synchronized void print(String outcome, Entry entry, @Nullable String reason) {
        if (ended) {
            return;
        }
        if (json) {
            console.data(Printable.json(new JsonObject()
                    .with("type", "entry")
                    .with("path", entry.path().text())
                    .with("kind", Word.of(entry.kind()))
                    .with("bytes", entry.bytes())
                    .with("mtime", EntryJson.time(entry))
                    .with("outcome", outcome.replace(' ', '_'))
                    .with("reason", reason)
                    .text()));
            return;
        }
        long seconds = System.currentTimeMillis() / 1000 - entry.modifiedSeconds();
        String path = entry.path().display();
        console.data(outcome + " " + path + (reason == null ? "" : ": " + reason) + " (" + Figures.bytes(entry.bytes())
                + ", " + Figures.age(seconds) + " old)");
    }

    @Override
    public synchronized void onUnreadable(Failure why) {
        ListView.warn(console, json && !ended, why);
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
            console.data(new JsonObject()
                    .with("exit_code", summary.exitCode())
                    .with("older_seconds", olderSeconds)
                    .with("files", summary.entries())
                    .with("bytes", summary.bytes())
                    .with("files_kept", summary.unfinishedFiles())
                    .with("bytes_kept", summary.unfinishedBytes())
                    .with("files_failed", summary.unreadable())
                    .line("summary"));
        } else {
            console.data((dryRun ? "would remove " : "removed ") + Figures.count(summary.entries(), "file") + ", "
                    + Figures.bytes(summary.bytes()) + "; kept " + Figures.count(summary.unfinishedFiles(), "file")
                    + ", " + Figures.bytes(summary.unfinishedBytes())
                    + (olderSeconds == 0
                            ? ""
                            : "; what changed within " + Figures.exactTimeMs(olderSeconds * 1000) + " is kept"));
        }
        ListView.printFailure(console, json, summary);
    }
}
