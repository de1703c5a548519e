package io.fdt.cli.report;

import io.fdt.cli.report.Drawing.Anchor;
import java.util.ArrayList;
import java.util.List;

/** All plots of a report one below the other, with the verdicts above their captions at the end: what SVG and PNG show. */
final class Picture {
    private static final double MARGIN = 18;
    private static final double CAPTION_SIZE = 11.5;
    private static final double CAPTION_LINE = 16;
    private static final double GAP = 14;

    private Picture() {}

    static Drawing of(List<Section> sections) {
        List<Drawing> panels = new ArrayList<>();
        for (Section section : sections) {
            if (section.plots().isEmpty()) {
                panels.add(Frame.paper(section.suite().word() + ": " + Section.NOTHING, Frame.TOP));
            }
            section.plots().forEach(plot -> panels.add(plot.draw()));
            section.measurements().forEach(measurement -> panels.add(caption(measurement)));
        }
        double height = panels.stream().mapToDouble(Drawing::height).sum();
        Drawing picture = new Drawing(Plot.WIDTH, height + MARGIN);
        picture.add(new Drawing.Box(0, 0, Plot.WIDTH, height + MARGIN, Ink.PAPER, ""));
        double down = 0;
        for (Drawing panel : panels) {
            picture.place(panel, down);
            down += panel.height();
        }
        return picture;
    }

    private static Drawing caption(Measurement measurement) {
        double width = Plot.WIDTH - 2 * MARGIN;
        List<String> lines = new ArrayList<>();
        for (String line : measurement.caption()) {
            lines.addAll(Glyphs.wrapped(line, CAPTION_SIZE, width));
        }
        String verdict = Caption.verdict(measurement.head());
        List<String> verdictLines =
                verdict.isEmpty() ? List.of() : Glyphs.wrapped("verdict: " + verdict, CAPTION_SIZE, width);
        Drawing drawing = new Drawing(Plot.WIDTH, GAP + (lines.size() + verdictLines.size()) * CAPTION_LINE);
        double y = GAP;
        for (String line : verdictLines) {
            drawing.text(MARGIN, y + CAPTION_SIZE, CAPTION_SIZE, Anchor.START, Ink.TEXT, line);
            y += CAPTION_LINE;
        }
        for (String line : lines) {
            drawing.text(MARGIN, y + CAPTION_SIZE, CAPTION_SIZE, Anchor.START, Ink.MUTED, line);
            y += CAPTION_LINE;
        }
        return drawing;
    }
}
