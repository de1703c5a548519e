package io.fdt.cli.report;

import java.util.ArrayList;
import java.util.List;

/** For every core a standing bar of what its time went to, up to 100 %. */
final class StackPlot implements Plot {
    private static final double HEIGHT = 220;
    /** More than this would be thinner than a line. */
    private static final int MAX_COLUMNS = 512;

    private final String title;
    private final String label;
    private final List<String> parts;
    private final List<Column> columns;

    /** One bar: its name and the shares, from 0 to 1, in the order of the parts. */
    record Column(String name, double[] shares) {}

    StackPlot(String title, String label, List<String> parts, List<Column> columns) {
        this.title = columns.size() <= MAX_COLUMNS
                ? title
                : title + " (the first " + MAX_COLUMNS + " of " + columns.size() + ")";
        this.label = label;
        this.parts = parts;
        this.columns = columns.size() <= MAX_COLUMNS ? columns : columns.subList(0, MAX_COLUMNS);
    }

    @Override
    public String title() {
        return title;
    }

    @Override
    public Drawing draw() {
        List<Frame.Entry> entries = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            Ink ink = Ink.ofCurve(i);
            entries.add(new Frame.Entry(
                    parts.get(i), (drawing, x, y) -> drawing.add(new Drawing.Box(x + 8, y - 6, 16, 12, ink, ""))));
        }
        double bottom = Frame.TOP + HEIGHT;
        Drawing drawing = Frame.paper(title, bottom + 48 + Frame.legendHeight(entries) + 8);
        Scale up = Scale.of(Axis.linear("", Unit.PERCENT), 0, 100, bottom, Frame.TOP);
        Frame.axisY(drawing, up, "share of time", Frame.LEFT, Plot.WIDTH - Frame.RIGHT);
        Cells cells = new Cells(columns.size(), Frame.LEFT, Plot.WIDTH - Frame.RIGHT);
        for (int i = 0; i < columns.size(); i++) {
            drawColumn(drawing, columns.get(i), cells.start(i), cells.thickness(), up);
        }
        cells.labelAcross(drawing, columns.stream().map(Column::name).toList(), bottom + 18);
        drawing.text(
                (Frame.LEFT + Plot.WIDTH - Frame.RIGHT) / 2,
                bottom + 37,
                Frame.LABEL_SIZE,
                Drawing.Anchor.MIDDLE,
                Ink.TEXT,
                label);
        Frame.legend(drawing, entries, bottom + 48);
        return drawing;
    }

    private void drawColumn(Drawing drawing, Column column, double x, double width, Scale up) {
        double below = 0;
        for (int part = 0; part < parts.size(); part++) {
            double share = column.shares()[part];
            if (share > 0) {
                double above = Math.min(1, below + share);
                double y = up.at(above * 100);
                String note = column.name() + ": " + parts.get(part) + " " + Unit.PERCENT.text(percent(share));
                drawing.add(new Drawing.Box(x, y, width, up.at(below * 100) - y, Ink.ofCurve(part), note));
                below = above;
            }
        }
    }

    @Override
    public Table table() {
        List<String> heads = new ArrayList<>(List.of(label));
        heads.addAll(parts);
        List<List<String>> rows = new ArrayList<>();
        for (Column column : columns) {
            List<String> row = new ArrayList<>(List.of(column.name()));
            for (double share : column.shares()) {
                row.add(Unit.PERCENT.text(percent(share)));
            }
            rows.add(row);
        }
        return new Table(heads, rows, rows.size());
    }

    private static double percent(double share) {
        return Math.rint(share * 1000) / 10;
    }
}
