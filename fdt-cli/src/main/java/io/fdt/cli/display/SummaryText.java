package io.fdt.cli.display;

import io.fdt.core.basic.Figures;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.stats.Bottleneck;
import io.fdt.core.stats.Moved;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.Summary;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Formats summaries as text, and creates summaries for commands that have none from a session. */
public final class SummaryText {
    private static final String INDENT = "     ";
    /** With less data than this in less time than below, a rate mainly shows how long the session took to open. */
    private static final long RATED_BYTES = 1 << 20;

    /** More would hide the rest of the summary. */
    private static final int LISTED_FAILURES = 20;

    private static final long RATED_NANOS = 10_000_000_000L;

    private SummaryText() {}

    /** Returns the acknowledged data per elapsed time. */
    static double bitsPerSecond(Summary summary) {
        return summary.run().elapsedNanos() <= 0
                ? 0
                : summary.bytes().moved().durable() * 8e9 / summary.run().elapsedNanos();
    }

    /** Returns the rate as text; empty if the copy was too small and short for a meaningful rate. */
    static String atRate(Summary summary) {
        long sent = Math.min(
                summary.bytes().moved().durable(), summary.bytes().moved().sent());
        boolean telling = sent >= RATED_BYTES || summary.run().elapsedNanos() >= RATED_NANOS;
        return telling ? " at " + Figures.rate(bitsPerSecond(summary)) : "";
    }

    /** The end of a session with its figures, to follow its name. */
    static String ended(Summary summary) {
        return " ended " + summary.outcome() + ": "
                + Figures.count(summary.files().inPlace(), "file") + ", "
                + Figures.bytes(summary.bytes().moved().durable()) + " moved" + atRate(summary);
    }

    /** Returns one line with the failure and its remedy. */
    public static String failureLine(Failure failure) {
        return "fdt: " + failure.textWithRemedy();
    }

    static String retryLine(int attempt, Summary failed, long pauseNanos) {
        return "attempt " + attempt + " failed: " + failed.message() + "; trying again in "
                + Figures.elapsed(pauseNanos);
    }

    /** All lines of text, except the failure's. */
    static List<String> lines(Summary summary) {
        List<String> lines = new ArrayList<>();
        Summary.Preview preview = summary.preview();
        lines.add(preview == null ? firstLine(summary) : dryRunLine(summary, preview));
        if (summary.bytes().moved().durable() > 0) {
            lines.add(INDENT + "moved " + moved(summary) + " over "
                    + Figures.count(summary.run().lanes(), "lane") + atRate(summary));
        }
        addIfAny(
                lines,
                "replaced ",
                summary.run().lanesReplaced(),
                Figures.count(summary.run().lanesReplaced(), "lane"));
        if (summary.files().skipped() > 0 && preview == null) {
            lines.add(INDENT + "skipped " + Figures.count(summary.files().skipped(), "file") + ", already there");
            lines.add(INDENT + "total " + Figures.count(summary.files().inPlace(), "file") + ", "
                    + Figures.bytes(summary.bytes().inPlace()));
        }
        addIfAny(
                lines,
                "deleted ",
                summary.files().deleted(),
                Figures.count(summary.files().deleted(), "file"));
        addIfAny(
                lines,
                "resumed ",
                summary.bytes().resumed(),
                Figures.bytes(summary.bytes().resumed()));
        long kept = summary.bytes().kept();
        if (kept > 0 && summary.failure() != null) {
            Moved moved = summary.bytes().moved();
            String all = Figures.bytes(kept + moved.arrivedOnly());
            String unit = all.substring(all.indexOf(' '));
            String part = Figures.bytes(kept);
            String least = summary.bytes().keptExact() ? "" : "at least ";
            lines.add(INDENT + "kept " + least
                    + (part.endsWith(unit) ? part.substring(0, part.length() - unit.length()) : part) + " of " + all);
        }
        addIfAny(
                lines,
                "resent ",
                summary.bytes().resent(),
                Figures.bytes(summary.bytes().resent()));
        if (summary.files().failed() > 0) {
            lines.add(INDENT + "failed " + Figures.count(summary.files().failed(), "file") + ":");
            failedFiles(summary).forEach(line -> lines.add(INDENT + "  " + line));
        }
        String digest = preview == null && isVerified(summary) ? summary.digest() : null;
        if (digest != null) {
            lines.add(INDENT + "tree digest " + digest);
        }
        if (!summary.run().bottleneck().isEmpty() && !summary.run().bottleneck().equals(Bottleneck.NONE)) {
            lines.add(INDENT + "bottleneck: "
                    + summary.run()
                            .bottleneck()
                            .replace("foreign-load", "CPU, used by other programs")
                            .replace("cpu", "CPU")
                            .replace('-', ' '));
        }
        return lines;
    }

    /** Holes of sparse files are in place, but nobody sent them. */
    private static String moved(Summary summary) {
        Moved bytes = summary.bytes().moved();
        boolean sparse = bytes.sent() > 0 && bytes.sent() < bytes.durable() / 2;
        return sparse
                ? Figures.bytes(bytes.sent()) + ", and holes for " + Figures.bytes(bytes.durable() - bytes.sent()) + ","
                : Figures.bytes(bytes.durable());
    }

    /** Returns a line for each known failed file, and one for the rest. */
    static List<String> failedFiles(Summary summary) {
        List<String> lines = new ArrayList<>();
        for (Summary.FailedFile file : summary.files().firstFailed()) {
            if (lines.size() == LISTED_FAILURES) {
                break;
            }
            lines.add(file.text());
        }
        long more = summary.files().failed() - lines.size();
        if (more > 0) {
            lines.add("and " + more + " more (all with --json=files)");
        }
        return lines;
    }

    /** Does not count skipped files as copied, and says "verified" only of files that have a digest. */
    static String firstLine(Summary summary) {
        return "fdt: copied "
                + Figures.count(summary.files().inPlace() - summary.files().skipped(), "file")
                + (summary.files().skipped() == 0
                        ? ", " + Figures.bytes(summary.bytes().inPlace())
                        : "")
                + " in " + Figures.elapsed(summary.run().elapsedNanos())
                + (isVerified(summary) ? ", verified" : "");
    }

    /** A digest of directories alone would be taken for one of the files, all of which have failed. */
    private static boolean isVerified(Summary summary) {
        return summary.digest() != null && summary.files().inPlace() > 0;
    }

    private static String dryRunLine(Summary summary, Summary.Preview preview) {
        return "fdt: dry run: would copy " + Figures.count(preview.filesToCopy(), "file") + ", replace "
                + preview.filesToReplace() + ", delete " + preview.filesToDelete() + " and skip "
                + summary.files().skipped() + "; " + Figures.bytes(preview.bytesToCopy()) + " to copy";
    }

    private static void addIfAny(List<String> lines, String what, long amount, String text) {
        if (amount > 0) {
            lines.add(INDENT + what + text);
        }
    }

    /** Returns the summary of a command that failed before there was a session. */
    public static Summary withoutSession(TransferException failure) {
        return Summary.of(failure, 0, 0, 0, 0, 0, "");
    }

    /** For a session that is abandoned, from its last known progress. */
    public static Summary abandoned(TransferException why, @Nullable Progress last) {
        return last == null ? withoutSession(why) : Summary.of(why, last, List.of(), "", "");
    }

    static @Nullable String nullIfEmpty(String text) {
        return text.isEmpty() ? null : text;
    }
}
