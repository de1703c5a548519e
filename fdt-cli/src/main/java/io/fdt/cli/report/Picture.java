package io.fdt.cli.report;

import io.fdt.cli.report.Drawing.Anchor;
import java.util.ArrayList;
import java.util.List;

/**
 * All plots of a report, one below the other, and at the end the captions, preceded by the verdicts: the content of an
 * SVG report.
 */
final class Picture {
    private static final double MARGIN = 18;
    private static final double CAPTION_SIZE = 11.5;
    private static final double CAPTION_LINE = 16;
    private static final double GAP = 14;

    private Picture() {}

    static Drawing of(List<Report.Section> sections) {
        List<Drawing> panels = new ArrayList<>();
        for (Report.Section section : sections) {
            if (section.charts().isEmpty()) {
                panels.add(Chart.paper(section.suite().name() + ": " + Report.Section.NOTHING, Chart.TOP));
            }
            section.charts().forEach(chart -> panels.add(chart.draw()));
            section.measurements().forEach(measurement -> panels.add(caption(measurement)));
        }
        double height = panels.stream().mapToDouble(Drawing::height).sum();
        Drawing picture = new Drawing(Chart.WIDTH, height + MARGIN);
        picture.box(0, 0, Chart.WIDTH, height + MARGIN, Ink.PAPER, "");
        double down = 0;
        for (Drawing panel : panels) {
            picture.place(panel, down);
            down += panel.height();
        }
        return picture;
    }

    private static Drawing caption(Measurement measurement) {
        List<Drawing.Text> texts = new ArrayList<>();
        String verdict = Caption.verdict(measurement.head());
        if (!verdict.isEmpty()) {
            addLines(texts, Ink.TEXT, "verdict: " + verdict);
        }
        measurement.caption().forEach(line -> addLines(texts, Ink.MUTED, line));
        Drawing drawing = new Drawing(Chart.WIDTH, GAP + texts.size() * CAPTION_LINE);
        texts.forEach(drawing::add);
        return drawing;
    }

    private static void addLines(List<Drawing.Text> texts, Ink ink, String text) {
        for (String line : TextWidth.wrapped(text, CAPTION_SIZE, Chart.WIDTH - 2 * MARGIN)) {
            double y = GAP + texts.size() * CAPTION_LINE + CAPTION_SIZE;
            texts.add(new Drawing.Text(MARGIN, y, CAPTION_SIZE, Anchor.START, false, ink, line));
        }
    }
}
