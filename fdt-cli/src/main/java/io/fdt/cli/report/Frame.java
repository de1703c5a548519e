package io.fdt.cli.report;

import io.fdt.cli.report.Drawing.Anchor;
import java.util.List;

/** What plots have in common: paper, a title, a grid with its ticks, names of axes, a legend. */
final class Frame {
    static final double TITLE_SIZE = 16;
    static final double LABEL_SIZE = 12.5;
    static final double TICK_SIZE = 11.5;
    static final double LEFT = 84;
    static final double RIGHT = 28;
    static final double TOP = 46;

    private static final double LEGEND_LINE = 19;
    private static final double LEGEND_MARK = 40;

    private Frame() {}

    static Drawing paper(String title, double height) {
        Drawing drawing = new Drawing(Plot.WIDTH, height);
        drawing.add(new Drawing.Box(0, 0, Plot.WIDTH, height, Ink.PAPER, ""));
        drawing.text(
                LEFT - 66,
                26,
                TITLE_SIZE,
                Anchor.START,
                Ink.TEXT,
                Glyphs.fit(title, TITLE_SIZE, Plot.WIDTH - LEFT - RIGHT + 60));
        return drawing;
    }

    static void axisX(Drawing drawing, Scale scale, String label, double top, double bottom) {
        double lastEnd = Double.NEGATIVE_INFINITY;
        for (Scale.Tick tick : scale.ticks()) {
            double x = scale.at(tick.value());
            drawing.line(x, top, x, bottom, Ink.GRID);
            double half = Glyphs.width(tick.label(), TICK_SIZE) / 2;
            if (!tick.label().isEmpty() && x - half > lastEnd) {
                drawing.line(x, bottom, x, bottom + 4, Ink.AXIS);
                drawing.text(x, bottom + 18, TICK_SIZE, Anchor.MIDDLE, Ink.MUTED, tick.label());
                lastEnd = x + half + 8;
            }
        }
        double left = scale.at(scale.min());
        double right = scale.at(scale.max());
        drawing.line(left, bottom, right, bottom, Ink.AXIS);
        drawing.text((left + right) / 2, bottom + 37, LABEL_SIZE, Anchor.MIDDLE, Ink.TEXT, label);
    }

    static void axisY(Drawing drawing, Scale scale, String label, double left, double right) {
        double lastTop = Double.POSITIVE_INFINITY;
        for (Scale.Tick tick : scale.ticks()) {
            double y = scale.at(tick.value());
            drawing.line(left, y, right, y, Ink.GRID);
            if (!tick.label().isEmpty() && y < lastTop - TICK_SIZE) {
                drawing.text(left - 8, y + 4, TICK_SIZE, Anchor.END, Ink.MUTED, tick.label());
                lastTop = y;
            }
        }
        double middle = (scale.at(scale.min()) + scale.at(scale.max())) / 2;
        drawing.line(left, scale.at(scale.min()), left, scale.at(scale.max()), Ink.AXIS);
        drawing.add(new Drawing.Text(22, middle, LABEL_SIZE, Anchor.MIDDLE, true, Ink.TEXT, label));
    }

    /** One thing of a legend: its name, and what draws its mark around a point. */
    record Entry(String name, Sample sample) {}

    /** Draws what stands before a name: from x on, around y. */
    interface Sample {
        void draw(Drawing drawing, double x, double y);
    }

    /** As many columns as the longest name leaves room for. */
    static double legendHeight(List<Entry> entries) {
        int columns = legendColumns(entries);
        return Math.ceil(entries.size() / (double) columns) * LEGEND_LINE + 8;
    }

    private static int legendColumns(List<Entry> entries) {
        double widest = entries.stream()
                .mapToDouble(entry -> Glyphs.width(entry.name(), LABEL_SIZE))
                .max()
                .orElse(0);
        int fitting = (int) ((Plot.WIDTH - LEFT - RIGHT) / (widest + LEGEND_MARK + 16));
        return Math.max(1, Math.min(fitting, 4));
    }

    static void legend(Drawing drawing, List<Entry> entries, double top) {
        int columns = legendColumns(entries);
        double columnWidth = (Plot.WIDTH - LEFT - RIGHT) / columns;
        int lines = (entries.size() + columns - 1) / columns;
        for (int i = 0; i < entries.size(); i++) {
            int column = i / lines;
            double x = LEFT + column * columnWidth;
            double y = top + (i % lines) * LEGEND_LINE + LEGEND_LINE / 2;
            entries.get(i).sample().draw(drawing, x, y);
            String name = Glyphs.fit(entries.get(i).name(), LABEL_SIZE, columnWidth - LEGEND_MARK - 8);
            drawing.text(x + LEGEND_MARK, y + 4.5, LABEL_SIZE, Anchor.START, Ink.TEXT, name);
        }
    }
}
