package io.fdt.cli.report;

import io.fdt.cli.report.Drawing.Anchor;
import java.util.List;

/** Lying bars, one a thing, each with its value behind it: for a few figures that stand side by side. */
final class BarPlot implements Plot {
    private static final double LINE = 30;
    private static final double THICKNESS = 18;
    private static final double MAX_NAMES = 330;
    private static final double VALUE_ROOM = 90;

    private final String title;
    private final Axis axis;
    private final List<Bar> bars;

    /** One bar; that of a reference is thinner. */
    record Bar(String name, boolean reference, double value) {}

    BarPlot(String title, Axis axis, List<Bar> bars) {
        this.title = title;
        this.axis = axis;
        this.bars = bars.stream().filter(bar -> axis.shows(bar.value())).toList();
    }

    @Override
    public String title() {
        return title;
    }

    List<Bar> bars() {
        return bars;
    }

    @Override
    public Drawing draw() {
        double names = bars.stream()
                .mapToDouble(bar -> Glyphs.width(bar.name(), Frame.LABEL_SIZE))
                .max()
                .orElse(0);
        double left = 18 + Math.min(MAX_NAMES, names) + 12;
        double bottom = Frame.TOP + bars.size() * LINE;
        double most = bars.stream().mapToDouble(Bar::value).max().orElse(1);
        Scale scale = Scale.of(axis, 0, most, left, Plot.WIDTH - Frame.RIGHT - VALUE_ROOM);
        Drawing drawing = Frame.paper(title, bottom + 52);
        Frame.axisX(drawing, scale, axis.label(), Frame.TOP, bottom);
        for (int i = 0; i < bars.size(); i++) {
            Bar bar = bars.get(i);
            double middle = Frame.TOP + (i + 0.5) * LINE;
            double thickness = bar.reference() ? THICKNESS / 2 : THICKNESS;
            double end = scale.at(bar.value());
            String name = Glyphs.fit(bar.name(), Frame.LABEL_SIZE, MAX_NAMES);
            drawing.text(left - 10, middle + 4.5, Frame.LABEL_SIZE, Anchor.END, Ink.TEXT, name);
            drawing.add(new Drawing.Box(
                    left, middle - thickness / 2, Math.max(1, end - left), thickness, Ink.ofCurve(i), ""));
            drawing.text(
                    end + 8,
                    middle + 4.5,
                    Frame.LABEL_SIZE,
                    Anchor.START,
                    Ink.TEXT,
                    axis.unit().text(bar.value()));
        }
        return drawing;
    }

    @Override
    public Table table() {
        return new Table(
                List.of("", axis.label()),
                bars.stream()
                        .map(bar -> List.of(bar.name(), axis.unit().text(bar.value())))
                        .toList(),
                bars.size());
    }
}
