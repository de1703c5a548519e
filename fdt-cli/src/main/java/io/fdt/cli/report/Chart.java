package io.fdt.cli.report;

import io.fdt.cli.report.Drawing.Anchor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.DoubleSummaryStatistics;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/**
 * One plot of a report: curves and boxes between two axes, a legend, and the numbers as a table. Curves, bars, stacked
 * bars and heat maps are charts with different contents that share axes, labels and legend.
 */
record Chart(String title, Frame frame, List<Curve> curves, List<Box> boxes, List<Entry> legend, Table table) {
    /** Wide enough for a page, and for a legend with names of result files. */
    static final double WIDTH = 900;

    static final double LEFT = 84;
    static final double RIGHT = 28;
    static final double TOP = 46;
    static final double CURVES_HEIGHT = 340;

    private static final double LABEL_SIZE = 12.5;
    private static final double TICK_SIZE = 11.5;
    private static final double LEGEND_LINE = 19;
    private static final double LEGEND_MARK = 40;
    private static final double MAX_NAMES = 330;
    private static final double VALUE_ROOM = 90;
    private static final double BAR_LINE = 30;

    /** With more points than this, the marks would hide the curve. */
    private static final int MAX_MARKS = 40;
    /** A curve with more points is drawn through this many of them. */
    private static final int MAX_POINTS = 2_000;
    /** More curves cannot be distinguished. */
    private static final int MAX_CURVES = 40;
    /** More rows or columns would be thinner than a line. */
    private static final int MAX_CELLS = 512;
    /** A heat map of a long run shows this many slices, each with the mean of its time. */
    private static final int MAX_SLICES = 150;

    /** The two axes, and the height of what is between them. */
    record Frame(Axis x, Axis y, double height) {}

    /**
     * A filled rectangle, in values of the axes.
     *
     * @param note shown when a reader points at it; empty for nothing
     * @param label written next to it; empty for nothing
     */
    record Box(double x, double y, double toX, double toY, Ink ink, String note, String label) {}

    /** The name and the value of a bar, and whether it is a reference, which is drawn thinner. */
    record Bar(String name, boolean reference, double value) {}

    /** A line of the legend: a sample of a curve, or of a colour if there is no curve. */
    record Entry(String name, Ink ink, @Nullable Curve curve) {}

    /** Curves over two axes. Points that cannot be shown on both are left out, and so are curves without points. */
    static Chart ofCurves(String title, Axis x, Axis y, List<Curve> given) {
        List<Curve> drawable = new ArrayList<>();
        for (Curve curve : given) {
            List<double[]> points = curve.points().stream()
                    .filter(point -> x.shows(point[0]) && y.shows(point[1]))
                    .toList();
            if (!points.isEmpty()) {
                drawable.add(new Curve(curve.name(), curve.reference(), points));
            }
        }
        List<Curve> curves = firstOf(drawable, MAX_CURVES);
        List<Entry> legend = new ArrayList<>();
        for (Curve curve : curves) {
            legend.add(new Entry(curve.name(), Ink.ofCurve(legend.size()), curve));
        }
        String name = limited(title, curves.size(), drawable.size());
        return new Chart(name, new Frame(x, y, CURVES_HEIGHT), curves, List.of(), legend, table(name, x, y, curves));
    }

    /** Horizontal bars, each followed by its value: for a few figures side by side. */
    static Chart ofBars(String title, Axis axis, List<Bar> given) {
        List<Bar> bars = given.stream().filter(bar -> axis.shows(bar.value())).toList();
        List<Box> boxes = new ArrayList<>();
        for (Bar bar : bars) {
            double middle = boxes.size() + 0.5;
            double half = bar.reference() ? 0.15 : 0.3;
            Ink ink = Ink.ofCurve(boxes.size());
            boxes.add(new Box(0, middle - half, bar.value(), middle + half, ink, "", axis.text(bar.value())));
        }
        List<List<String>> rows = bars.stream()
                .map(bar -> List.of(bar.name(), axis.text(bar.value())))
                .toList();
        Table table = new Table("Numbers: " + title, List.of("", axis.label()), rows, rows.size());
        Axis names = Axis.cells("", bars.stream().map(Bar::name).toList());
        return new Chart(title, new Frame(axis, names, bars.size() * BAR_LINE), List.of(), boxes, List.of(), table);
    }

    /** A vertical bar for each column, which shows its parts, shares from 0 to 1, up to 100 %. */
    static Chart ofStacks(String title, String label, List<String> parts, List<String> columns, List<double[]> shares) {
        Axis x = Axis.cells(label, firstOf(columns, MAX_CELLS));
        Axis y = Axis.linear("share of time", Unit.PERCENT);
        double[] below = new double[x.cells().size()];
        List<Curve> series = new ArrayList<>();
        List<Box> boxes = new ArrayList<>();
        List<Entry> legend = new ArrayList<>();
        for (String part : parts) {
            int index = series.size();
            Ink ink = Ink.ofCurve(index);
            List<double[]> points = new ArrayList<>();
            for (int i = 0; i < below.length; i++) {
                double percent = percent(shares.get(i)[index]);
                points.add(new double[] {i, percent});
                if (percent > 0) {
                    double above = Math.min(100, below[i] + percent);
                    String note = columns.get(i) + ": " + part + " " + y.text(percent);
                    boxes.add(new Box(i, below[i], i + 1, above, ink, note, ""));
                    below[i] = above;
                }
            }
            series.add(new Curve(part, false, points));
            legend.add(new Entry(part, ink, null));
        }
        String name = limited(title, below.length, columns.size());
        return new Chart(name, new Frame(x, y, 220), List.of(), boxes, legend, table(name, x, y, series));
    }

    /**
     * The load of every core over time. Each core has its own row, because an average over cores hides the one that is
     * the bottleneck.
     *
     * @param times of the end of each interval, in seconds
     * @param cores their names
     * @param intervals for every interval the busy share of each core, from 0 to 1, or NaN; one may have fewer cores
     */
    static Chart ofHeat(String title, double[] times, List<String> cores, List<double[]> intervals) {
        int slices = Math.min(times.length, MAX_SLICES);
        List<String> names = firstOf(cores, MAX_CELLS);
        int rows = names.size();
        List<String> ends = new ArrayList<>();
        List<Box> boxes = new ArrayList<>();
        double[][] shares = new double[rows][slices];
        for (int slice = 0; slice < slices; slice++) {
            int from = (int) ((long) slice * times.length / slices);
            int to = (int) ((long) (slice + 1) * times.length / slices);
            String end = Numbers.rounded(times[to - 1], 4);
            ends.add(end);
            for (int row = 0; row < rows; row++) {
                int core = row;
                double share = finite(intervals.subList(from, to).stream()
                                .filter(busy -> core < busy.length)
                                .mapToDouble(busy -> busy[core]))
                        .average()
                        .orElse(Double.NaN);
                shares[row][slice] = share;
                boolean known = Double.isFinite(share);
                String note = "core " + names.get(row) + ", " + end + " s: "
                        + (known ? Numbers.rounded(share * 100, 3) + " % busy" : "not measured");
                boxes.add(new Box(slice, row, slice + 1, row + 1, known ? Ink.ofShare(share) : Ink.GRID, note, ""));
            }
        }
        List<List<String>> numbers = new ArrayList<>();
        for (String name : names) {
            DoubleSummaryStatistics of =
                    finite(Arrays.stream(shares[numbers.size()])).summaryStatistics();
            boolean known = of.getCount() > 0;
            numbers.add(DoubleStream.of(of.getAverage(), of.getMin(), of.getMax())
                    .mapToObj(share -> known ? Unit.PERCENT.text(percent(share)) : "")
                    .collect(() -> new ArrayList<>(List.of(name)), List::add, List::addAll));
        }
        List<Entry> legend = new ArrayList<>();
        for (int step = 1; step <= Ink.shareSteps(); step++) {
            double end = (double) step / Ink.shareSteps();
            legend.add(new Entry("up to " + Math.round(end * 100) + " %", Ink.ofShare(end - 0.01), null));
        }
        String name = limited(title, rows, cores.size());
        return new Chart(
                name,
                new Frame(
                        Axis.cells("time (s)", ends),
                        Axis.cells("core", names),
                        Math.min(640, Math.max(90, rows * 16))),
                List.of(),
                boxes,
                legend,
                new Table("Numbers: " + name, List.of("core", "mean", "least", "most"), numbers, rows));
    }

    private static DoubleStream finite(DoubleStream values) {
        return values.filter(Double::isFinite);
    }

    private static double percent(double share) {
        return Math.rint(share * 1000) / 10;
    }

    private static <T> List<T> firstOf(List<T> list, int most) {
        return list.subList(0, Math.min(list.size(), most));
    }

    private static String limited(String title, int shown, int all) {
        return shown == all ? title : title + " (the first " + shown + " of " + all + ")";
    }

    /** A row for each x value, with a column for each curve. */
    private static Table table(String title, Axis x, Axis y, List<Curve> curves) {
        TreeSet<Double> places = new TreeSet<>();
        List<String> columns = new ArrayList<>(List.of(x.label()));
        List<Map<Double, String>> values = new ArrayList<>();
        for (Curve curve : curves) {
            columns.add(curve.name());
            Map<Double, String> texts = new HashMap<>();
            for (double[] point : curve.points()) {
                places.add(point[0]);
                texts.put(point[0], y.text(point[1]));
            }
            values.add(texts);
        }
        List<List<String>> rows = new ArrayList<>();
        places.stream().limit(x.ofCells() ? MAX_CELLS : Table.MAX_ROWS).forEach(place -> {
            List<String> row = new ArrayList<>(List.of(x.text(place)));
            values.forEach(of -> row.add(of.getOrDefault(place, "")));
            rows.add(row);
        });
        return new Table("Numbers: " + title, columns, rows, places.size());
    }

    Drawing draw() {
        Axis x = frame.x();
        Axis y = frame.y();
        double bottom = TOP + frame.height();
        double widest = widest(y.cells(), TICK_SIZE);
        double left = Math.max(LEFT, 30 + Math.min(MAX_NAMES, widest));
        boolean labelled = boxes.stream().anyMatch(box -> !box.label().isEmpty());
        double right = WIDTH - RIGHT - (labelled ? VALUE_ROOM : 0);
        Drawing drawing = paper(title, bottom + 48 + legendLines() * LEGEND_LINE + 16);
        Scale across = scale(x, true, left, right);
        Scale up = y.ofCells() ? scale(y, false, TOP, bottom) : scale(y, false, bottom, TOP);
        drawAxisX(drawing, across, left, right, bottom);
        drawAxisY(drawing, up, left, right, bottom);
        double gapX = gap(x, across);
        double gapY = gap(y, up);
        for (Box box : boxes) {
            double end = across.at(box.toX()) - gapX;
            drawing.box(across.at(box.x()), up.at(box.y()), end, up.at(box.toY()) - gapY, box.ink(), box.note());
            double middle = up.at((box.y() + box.toY()) / 2) + 4.5;
            drawing.text(end + 8, middle, LABEL_SIZE, Anchor.START, Ink.TEXT, box.label());
        }
        for (int i = curves.size() - 1; i >= 0; i--) {
            drawCurve(drawing, i, across, up);
        }
        drawLegend(drawing, bottom + 48);
        return drawing;
    }

    static Drawing paper(String title, double height) {
        Drawing drawing = new Drawing(WIDTH, height);
        drawing.box(0, 0, WIDTH, height, Ink.PAPER, "");
        drawing.text(18, 26, 16, Anchor.START, Ink.TEXT, TextWidth.fit(title, 16, WIDTH - LEFT - RIGHT + 60));
        return drawing;
    }

    /** A space between cells if there is room for one. */
    private static double gap(Axis axis, Scale scale) {
        return axis.ofCells() && Math.abs(scale.at(1) - scale.at(0)) > 5 ? 1 : 0;
    }

    private Scale scale(Axis axis, boolean ofX, double from, double to) {
        DoubleStream ofBoxes = boxes.stream()
                .flatMapToDouble(
                        box -> ofX ? DoubleStream.of(box.x(), box.toX()) : DoubleStream.of(box.y(), box.toY()));
        DoubleStream ofCurves =
                curves.stream().flatMap(curve -> curve.points().stream()).mapToDouble(point -> point[ofX ? 0 : 1]);
        DoubleSummaryStatistics range = DoubleStream.concat(ofBoxes, ofCurves).summaryStatistics();
        return range.getCount() == 0
                ? Scale.of(axis, 1, 10, from, to)
                : Scale.of(axis, range.getMin(), range.getMax(), from, to);
    }

    private void drawAxisX(Drawing drawing, Scale scale, double left, double right, double bottom) {
        Axis x = frame.x();
        double lastEnd = Double.NEGATIVE_INFINITY;
        for (Scale.Tick tick : scale.ticks()) {
            double at = scale.at(tick.value());
            if (!x.ofCells()) {
                drawing.line(at, TOP, at, bottom, Ink.GRID);
            }
            double half = TextWidth.of(tick.label(), TICK_SIZE) / 2;
            if (!tick.label().isEmpty() && at - half > lastEnd) {
                drawing.line(at, bottom, at, bottom + 4, Ink.AXIS);
                drawing.text(at, bottom + 18, TICK_SIZE, Anchor.MIDDLE, Ink.MUTED, tick.label());
                lastEnd = at + half + 8;
            }
        }
        drawing.line(left, bottom, right, bottom, Ink.AXIS);
        drawing.text((left + right) / 2, bottom + 37, LABEL_SIZE, Anchor.MIDDLE, Ink.TEXT, x.label());
    }

    private void drawAxisY(Drawing drawing, Scale scale, double left, double right, double bottom) {
        Axis y = frame.y();
        double last = Double.NEGATIVE_INFINITY;
        for (Scale.Tick tick : scale.ticks()) {
            double at = scale.at(tick.value());
            if (!y.ofCells()) {
                drawing.line(left, at, right, at, Ink.GRID);
            }
            if (!tick.label().isEmpty() && Math.abs(at - last) > TICK_SIZE) {
                String label = TextWidth.fit(tick.label(), TICK_SIZE, MAX_NAMES);
                drawing.text(left - 8, at + 4, TICK_SIZE, Anchor.END, Ink.MUTED, label);
                last = at;
            }
        }
        drawing.line(left, bottom, left, TOP, Ink.AXIS);
        if (!y.label().isEmpty()) {
            drawing.add(new Drawing.Text(22, (TOP + bottom) / 2, LABEL_SIZE, Anchor.MIDDLE, true, Ink.TEXT, y.label()));
        }
    }

    private void drawCurve(Drawing drawing, int index, Scale across, Scale up) {
        Curve curve = curves.get(index);
        int count = curve.points().size();
        int every = 1 + (count - 1) / MAX_POINTS;
        int drawn = (count + every - 1) / every;
        double[] xs = new double[drawn];
        double[] ys = new double[drawn];
        for (int i = 0; i < drawn; i++) {
            // The last point is always drawn, so that a curve ends where its values end.
            double[] point = curve.points().get(i == drawn - 1 ? count - 1 : i * every);
            xs[i] = across.at(point[0]);
            ys[i] = up.at(point[1]);
        }
        drawLine(drawing, index, curve, xs, ys);
        for (int i = 0; i < drawn && count <= MAX_MARKS; i++) {
            drawMark(drawing, index, curve, xs[i], ys[i]);
        }
    }

    private static void drawLine(Drawing drawing, int index, Curve curve, double[] xs, double[] ys) {
        double width = curve.reference() ? 1.5 : 2.2;
        drawing.add(new Drawing.Path(xs, ys, Ink.ofCurve(index), width, curve.reference(), null, ""));
    }

    private static void drawMark(Drawing drawing, int index, Curve curve, double x, double y) {
        Ink ink = Ink.ofCurve(index);
        drawing.mark(x, y, index, ink, curve.reference() ? Ink.PAPER : ink);
    }

    /** As many columns as the longest name leaves room for. */
    private int legendColumns() {
        double widest = widest(legend.stream().map(Entry::name).toList(), LABEL_SIZE);
        return Math.max(1, (int) ((WIDTH - LEFT - RIGHT) / (widest + LEGEND_MARK + 16)));
    }

    private int legendLines() {
        return (legend.size() + legendColumns() - 1) / legendColumns();
    }

    private static double widest(List<String> names, double size) {
        return names.stream()
                .mapToDouble(name -> TextWidth.of(name, size))
                .max()
                .orElse(0);
    }

    private void drawLegend(Drawing drawing, double top) {
        double columnWidth = (WIDTH - LEFT - RIGHT) / legendColumns();
        int lines = legendLines();
        for (int i = 0; i < legend.size(); i++) {
            Entry entry = legend.get(i);
            int column = i / lines;
            double left = LEFT + column * columnWidth;
            double middle = top + i % lines * LEGEND_LINE + LEGEND_LINE / 2;
            Curve curve = entry.curve();
            if (curve == null) {
                drawing.box(left + 8, middle - 6, left + 24, middle + 6, entry.ink(), "");
            } else {
                double[] level = {middle, middle};
                drawLine(drawing, i, curve, new double[] {left, left + 32}, level);
                if (curve.points().size() <= MAX_MARKS) {
                    drawMark(drawing, i, curve, left + 16, middle);
                }
            }
            String name = TextWidth.fit(entry.name(), LABEL_SIZE, columnWidth - LEGEND_MARK - 8);
            drawing.text(left + LEGEND_MARK, middle + 4.5, LABEL_SIZE, Anchor.START, Ink.TEXT, name);
        }
    }
}
