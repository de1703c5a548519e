package io.fdt.cli.report;

import io.fdt.cli.report.Drawing.Anchor;
import java.util.List;

/** So many cells side by side between two points, with a gap where there is room for one. */
record Cells(int count, double from, double to) {
    double pitch() {
        return (to - from) / Math.max(1, count);
    }

    double start(int index) {
        return from + index * pitch();
    }

    double thickness() {
        return pitch() > 5 ? pitch() - 1 : pitch();
    }

    /** Names under cells, as many as there is room for. */
    void labelAcross(Drawing drawing, List<String> names, double y) {
        double lastEnd = Double.NEGATIVE_INFINITY;
        for (int i = 0; i < names.size(); i++) {
            double middle = start(i) + thickness() / 2;
            double half = Glyphs.width(names.get(i), Frame.TICK_SIZE) / 2;
            if (middle - half > lastEnd) {
                drawing.text(middle, y, Frame.TICK_SIZE, Anchor.MIDDLE, Ink.MUTED, names.get(i));
                lastEnd = middle + half + 8;
            }
        }
    }

    /** Names left of cells, as many as there is room for. */
    void labelDown(Drawing drawing, List<String> names, double x) {
        double lastBottom = Double.NEGATIVE_INFINITY;
        for (int i = 0; i < names.size(); i++) {
            double middle = start(i) + thickness() / 2;
            if (middle - Frame.TICK_SIZE / 2 > lastBottom) {
                drawing.text(x, middle + 4, Frame.TICK_SIZE, Anchor.END, Ink.MUTED, names.get(i));
                lastBottom = middle + Frame.TICK_SIZE / 2 + 1;
            }
        }
    }
}
