package io.fdt.cli.list;

import io.fdt.cli.console.Console;
import io.fdt.cli.display.FailureReport;
import io.fdt.core.basic.Figures;
import io.fdt.core.failure.Failure;
import io.fdt.core.files.ListObserver;
import io.fdt.core.files.ListSummary;
import io.fdt.core.plan.Printable;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TreeOrder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/**
 * Prints a listing to standard output, one entry per line. Up to {@value #SORTED_MAX} entries are sorted by path; more
 * are printed in the server's order, so that memory use does not grow with the list. Thread-safe.
 */
final class ListView implements ListObserver {
    static final int SORTED_MAX = 10_000;
    private static final int BATCH_CHARS = 32 * 1024;
    private final Console console;
    private final Columns columns;
    private final boolean json;
    private final boolean roots;
    private final List<Entry> held = new ArrayList<>();
    private final List<Space> spaces = new ArrayList<>();
    private final StringBuilder batch = new StringBuilder();
    private boolean streaming;
    private boolean ended;

    /** What a line shows. */
    enum Columns {
        NAME,
        /** Also mode, size and time. */
        LONG,
        /** The same with sizes in units that are easy to read. */
        LONG_READABLE
    }

    /** @param roots whether the listing shows only the roots, not their contents */
    ListView(Console console, Columns columns, boolean json, boolean roots) {
        this.console = console;
        this.columns = columns;
        this.json = json;
        this.roots = roots;
    }

    @Override
    public synchronized void onEntry(Entry entry) {
        if (ended) {
            return;
        }
        if (streaming) {
            print(entry);
            return;
        }
        held.add(entry);
        if (held.size() > SORTED_MAX) {
            streaming = true;
            held.forEach(this::print);
            held.clear();
        }
    }

    @Override
    public synchronized void onUnreadable(Failure why) {
        if (!ended) {
            warn(console, json, why);
        }
    }

    @Override
    public synchronized void onWarning(String message) {
        if (!ended) {
            console.warning(message);
        }
    }

    @Override
    public synchronized void onSpace(Space space) {
        spaces.add(space);
    }

    /** Shows how the listing ended. Only the first call counts; nothing is printed afterwards. */
    synchronized void onEnd(ListSummary summary) {
        if (ended) {
            return;
        }
        held.sort((left, right) -> TreeOrder.compare(left.path(), right.path()));
        held.forEach(this::print);
        spaces.forEach(space -> print(space, summary));
        if (!spaces.isEmpty() && (!roots || summary.unfinishedFiles() > 0) && !json) {
            line("unfinished copies: " + Figures.count(summary.unfinishedFiles(), "file") + ", "
                    + Figures.bytes(summary.unfinishedBytes()));
        }
        flush();
        ended = true;
        printFailure(console, json, summary);
    }

    static void warn(Console console, boolean json, Failure why) {
        console.warning(why.text());
        if (json) {
            console.data(why.json().with("message", why.text()).line("warning"));
        }
    }

    static void printFailure(Console console, boolean json, ListSummary summary) {
        Failure failure = summary.failure();
        if (failure != null) {
            FailureReport.show(console, json, failure);
        }
    }

    private void print(Entry entry) {
        line(json ? json(entry) : text(entry));
    }

    private String text(Entry entry) {
        return switch (columns) {
            case NAME -> name(entry);
            case LONG -> longLine(entry, Long.toString(entry.bytes()), name(entry));
            case LONG_READABLE -> longLine(entry, Figures.bytes(entry.bytes()), name(entry));
        };
    }

    private void line(String text) {
        batch.append(text).append('\n');
        if (batch.length() >= BATCH_CHARS) {
            flush();
        }
    }

    private void flush() {
        if (batch.length() > 0) {
            console.data(batch.toString().getBytes(StandardCharsets.UTF_8));
            batch.setLength(0);
        }
    }

    /** The unchanged path: JSON escapes replace control characters and bytes that are not UTF-8. */
    private static String json(Entry entry) {
        return Printable.json(EntryJson.of("entry", entry, entry.path().text()).text());
    }

    private static String name(Entry entry) {
        String shown = entry.path().display();
        return entry.kind() == ListedKind.DIR && !shown.endsWith("/") ? shown + "/" : shown;
    }

    static String longLine(Entry entry, String size, String name) {
        RawPath link = entry.linkTarget();
        String time = EntryJson.time(entry);
        return Figures.text(
                "%s %14s %20s %s%s",
                mode(entry),
                size,
                time == null ? "?" : Instant.parse(time).truncatedTo(ChronoUnit.SECONDS),
                name,
                link == null ? "" : " -> " + link.display());
    }

    private static String mode(Entry entry) {
        String letters = "rwxrwxrwx";
        StringBuilder mode = new StringBuilder(
                switch (entry.kind()) {
                    case FILE -> "-";
                    case DIR -> "d";
                    case LINK -> "l";
                    case OTHER -> "o";
                });
        for (int bit = 0; bit < 9; bit++) {
            mode.append((entry.mode() & 0400 >> bit) == 0 ? '-' : letters.charAt(bit));
        }
        special(mode, 3, entry.mode() & 04000, 's');
        special(mode, 6, entry.mode() & 02000, 's');
        special(mode, 9, entry.mode() & 01000, 't');
        return mode.toString();
    }

    private static void special(StringBuilder mode, int index, int set, char letter) {
        if (set != 0) {
            mode.setCharAt(index, mode.charAt(index) == 'x' ? letter : Character.toUpperCase(letter));
        }
    }

    private void print(Space space, ListSummary summary) {
        if (json) {
            line(Printable.json(EntryJson.of("space", space, space.path().text())
                    .withKnown("unfinished_files", roots ? -1 : summary.unfinishedFiles())
                    .withKnown("unfinished_bytes", roots ? -1 : summary.unfinishedBytes())
                    .text()));
            return;
        }
        line(spaceLine(space));
    }

    static String spaceLine(Space space) {
        return space.path().display() + ": "
                + (space.bytes() < 0
                        ? "size unknown"
                        : Figures.bytes(space.freeBytes()) + " of " + Figures.bytes(space.bytes()) + " free")
                + ", "
                + (space.files() < 0 ? "inodes unknown" : space.freeFiles() + " of " + space.files() + " inodes free");
    }
}
