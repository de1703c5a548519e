package io.fdt.cli.display;

import io.fdt.core.basic.Figures;
import io.fdt.core.stats.Progress;
import java.util.ArrayList;
import java.util.List;

/** Formats progress as one line of text. */
public final class ProgressLine {
    private static final int MAX_BAR = 30;
    private static final int MIN_BAR = 8;
    private static final String GAP = "  ";

    private ProgressLine() {}

    /** Returns all figures without a limit to the width, for logs. */
    public static String plain(ProgressView view) {
        return String.join(GAP, pieces(view));
    }

    /**
     * Returns a line that fits the terminal: the bar is shortened and dropped first, then the least important figures.
     */
    static String bar(ProgressView view, int columns) {
        int width = width(columns);
        List<String> pieces = new ArrayList<>(pieces(view));
        String text = String.join(GAP, pieces);
        while (text.length() > width && pieces.size() > 1) {
            pieces.remove(pieces.size() - 1);
            text = String.join(GAP, pieces);
        }
        int room = Math.min(MAX_BAR, width - text.length() - GAP.length() - 2);
        double share = view.share();
        if (room < MIN_BAR || share < 0) {
            return cut(text, columns);
        }
        int full = (int) (room * share);
        return "[" + "#".repeat(full) + ".".repeat(room - full) + "]" + GAP + text;
    }

    /** Cuts off a line at the width of the terminal. */
    public static String cut(String line, int columns) {
        return line.substring(0, Math.min(line.length(), width(columns)));
    }

    /** Leaves the last column free, because a cursor there makes some terminals wrap. */
    private static int width(int columns) {
        return Math.max(1, columns - 1);
    }

    /** Returns the figures, the most important first. */
    private static List<String> pieces(ProgressView view) {
        Progress progress = view.progress();
        List<String> pieces = new ArrayList<>();
        pieces.add(amount(view));
        pieces.add(Figures.rate(view.bitsPerSecond()));
        if (view.etaSeconds() >= 0) {
            pieces.add("ETA " + Figures.clock(view.etaSeconds()));
        }
        pieces.add(files(progress));
        pieces.add(Figures.count(progress.lanesAlive(), "lane"));
        if (progress.files().failed() > 0) {
            pieces.add(progress.files().failed() + " failed");
        }
        return pieces;
    }

    private static String amount(ProgressView view) {
        Progress progress = view.progress();
        if (progress.bytes().total() < 0) {
            return Figures.bytes(progress.bytes().shown());
        }
        String of = Figures.bytes(progress.bytes().shown()) + " of "
                + Figures.bytes(progress.bytes().total());
        // While files are still being found, a percentage could decrease.
        return progress.totalsFinal() ? percent(view.share()) + GAP + of : of + "+";
    }

    private static String percent(double share) {
        return Figures.text("%3d%%", (int) (share * 100));
    }

    private static String files(Progress progress) {
        String total = Figures.count(progress.files().total(), "file");
        return progress.files().done() + "/" + (progress.totalsFinal() ? total : total.replace(" ", "+ "));
    }
}
