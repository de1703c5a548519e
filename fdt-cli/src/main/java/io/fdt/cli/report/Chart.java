package io.fdt.cli.report;

import io.fdt.core.basic.JsonObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.DoubleSummaryStatistics;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.DoubleStream;

/**
 * One chart of a report without its layout: curves and boxes between two scales, a legend, and the numbers as a table.
 * Curves, bars, stacked bars and heat maps are charts with different contents. The scripts of a page and {@link Svg}
 * only place it; what it shows and where its ticks are is decided here.
 */
record Chart(String title, Frame frame, List<Curve> curves, List<Box> boxes, List<Entry> legend, Table table) {
    static final double CURVES_HEIGHT = 340;
    static final double BAR_LINE = 44;

    /** The dashes of curves, which differ in them as well as in colour. */
    private static final List<List<Long>> DASHES =
            List.of(List.of(), List.of(6L, 3L), List.of(2L, 3L), List.of(8L, 3L, 2L, 3L));

    private static final int COLOURS = 8;

    /** With more points than this, the marks would hide the curve. */
    static final int MAX_MARKS = 40;
    /** A curve with more points is drawn through this many of them. */
    private static final int MAX_POINTS = 2_000;
    /** More curves cannot be distinguished. */
    private static final int MAX_CURVES = 40;
    /** More rows or columns would be thinner than a line. */
    private static final int MAX_CELLS = 512;
    /** A heat map of a long run shows this many slices, each with the mean of its time. */
    private static final int MAX_SLICES = 150;
    /** Makes small loads visible: at low shares, the colour depth grows faster than the share. */
    private static final double DEPTH = 0.72;

    /** The two scales, and the height of the area between the axes in CSS pixels. */
    record Frame(Scale x, Scale y, double height) {}

    /**
     * A filled rectangle, in values of the scales.
     *
     * @param ink the name of a colour of the page's style
     * @param depth how much of it covers the colour of idle cores, from 0 to 1
     * @param note its value; written above a bar, and otherwise shown when a reader points at it
     */
    record Box(double x, double y, double toX, double toY, String ink, double depth, String note) {}

    /** The name and the value of a bar, and whether it is a reference, which is drawn thinner. */
    record Bar(String name, boolean reference, double value) {}

    /** A line of the legend of boxes. */
    record Entry(String name, String ink) {}

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
        String name = limited(title, curves.size(), drawable.size());
        return new Chart(
                name,
                new Frame(scale(x, curves, 0), scale(y, curves, 1), CURVES_HEIGHT),
                curves,
                List.of(),
                List.of(),
                table(name, x, y, curves));
    }

    private static Scale scale(Axis axis, List<Curve> curves, int of) {
        DoubleSummaryStatistics range = curves.stream()
                .flatMap(curve -> curve.points().stream())
                .mapToDouble(point -> point[of])
                .summaryStatistics();
        return range.getCount() == 0 ? Scale.of(axis, 1, 10) : Scale.of(axis, range.getMin(), range.getMax());
    }

    /** Horizontal bars, each below its name and value: for a few figures side by side. */
    static Chart ofBars(String title, Axis axis, List<Bar> given) {
        List<Bar> bars = given.stream().filter(bar -> axis.shows(bar.value())).toList();
        List<Box> boxes = new ArrayList<>();
        for (Bar bar : bars) {
            int row = boxes.size();
            String note = bar.name() + ": " + axis.text(bar.value()) + " " + axis.label();
            boxes.add(new Box(0, row + (bar.reference() ? 0.65 : 0.5), bar.value(), row + 0.85, ink(row), 1, note));
        }
        List<List<String>> rows = bars.stream()
                .map(bar -> List.of(bar.name(), axis.text(bar.value())))
                .toList();
        Table table = new Table("Numbers: " + title, List.of("", axis.label()), rows, rows.size());
        double most = bars.stream().mapToDouble(Bar::value).max().orElse(1);
        Scale names = Scale.of(Axis.cells("", bars.stream().map(bar -> "").toList()), 0, 0);
        return new Chart(
                title,
                new Frame(Scale.of(axis, 0, most), names, bars.size() * BAR_LINE),
                List.of(),
                boxes,
                List.of(),
                table);
    }

    /** A vertical bar for each column, which shows its parts, shares from 0 to 1, up to 100 %. */
    static Chart ofStacks(String title, String label, List<String> parts, List<String> columns, List<double[]> shares) {
        Axis x = Axis.cells(label, firstOf(columns, MAX_CELLS));
        Axis y = Axis.linear("share of time", Unit.PERCENT);
        double[] below = new double[x.cells().size()];
        List<List<String>> rows = new ArrayList<>();
        x.cells().forEach(name -> rows.add(new ArrayList<>(List.of(name))));
        List<Box> boxes = new ArrayList<>();
        for (int part = 0; part < parts.size(); part++) {
            for (int i = 0; i < below.length; i++) {
                double percent = percent(shares.get(i)[part]);
                rows.get(i).add(y.text(percent));
                if (percent > 0) {
                    double above = Math.min(100, below[i] + percent);
                    String note = parts.get(part) + " " + y.text(percent);
                    boxes.add(new Box(i, below[i], i + 1, above, parts.get(part), 1, note));
                    below[i] = above;
                }
            }
        }
        String name = limited(title, below.length, columns.size());
        List<String> heads = new ArrayList<>(List.of(label));
        heads.addAll(parts);
        return new Chart(
                name,
                new Frame(Scale.of(x, 0, 0), Scale.of(y, 0, 100), 220),
                List.of(),
                boxes,
                parts.stream().map(part -> new Entry(part, part)).toList(),
                new Table("Numbers: " + name, heads, rows, rows.size()));
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
        List<Box> boxes = new ArrayList<>();
        List<List<String>> numbers = new ArrayList<>();
        for (String name : names) {
            int core = numbers.size();
            DoubleSummaryStatistics of = new DoubleSummaryStatistics();
            for (int slice = 0; slice < slices; slice++) {
                int from = (int) ((long) slice * times.length / slices);
                int to = (int) ((long) (slice + 1) * times.length / slices);
                double begin = from == 0 ? 0 : times[from - 1];
                intervals.subList(from, to).stream()
                        .filter(busy -> core < busy.length && Double.isFinite(busy[core]))
                        .mapToDouble(busy -> busy[core])
                        .average()
                        .ifPresent(share -> {
                            of.accept(share);
                            double depth = Math.pow(Math.min(1, Math.max(0, share)), DEPTH);
                            String note = Unit.PERCENT.text(percent(share)) + " busy";
                            boxes.add(new Box(begin, core, times[to - 1], core + 1, "user", depth, note));
                        });
            }
            List<String> row = new ArrayList<>(List.of(name));
            DoubleStream.of(of.getAverage(), of.getMin(), of.getMax())
                    .mapToObj(share -> of.getCount() > 0 ? Unit.PERCENT.text(percent(share)) : "")
                    .forEach(row::add);
            numbers.add(row);
        }
        String name = limited(title, names.size(), cores.size());
        double end = Arrays.stream(times).max().orElse(1);
        return new Chart(
                name,
                new Frame(
                        Scale.of(Axis.linear("time (s)", Unit.TIME), 0, end),
                        Scale.of(Axis.cells("core", names), 0, 0),
                        Math.min(640, Math.max(90, names.size() * 16))),
                List.of(),
                boxes,
                List.of(new Entry("idle", "idle"), new Entry("busy", "user")),
                new Table("Numbers: " + name, List.of("core", "mean", "least", "most"), numbers, names.size()));
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
        List<String> columns = new ArrayList<>(List.of(x.label()));
        List<Map<Double, String>> values = new ArrayList<>();
        for (Curve curve : curves) {
            columns.add(curve.name());
            Map<Double, String> texts = new HashMap<>();
            curve.points().forEach(point -> texts.put(point[0], y.text(point[1])));
            values.add(texts);
        }
        List<List<String>> rows = new ArrayList<>();
        Set<Double> places = places(curves);
        places.stream().limit(Table.MAX_ROWS).forEach(place -> {
            List<String> row = new ArrayList<>(List.of(x.text(place)));
            values.forEach(of -> row.add(of.getOrDefault(place, "")));
            rows.add(row);
        });
        return new Table("Numbers: " + title, columns, rows, places.size());
    }

    /** Where curves have points, a row of the table each. */
    private static Set<Double> places(List<Curve> curves) {
        Set<Double> places = new TreeSet<>();
        curves.forEach(curve -> curve.points().forEach(point -> places.add(point[0])));
        return places;
    }

    // ---- Places and looks.

    Scale x() {
        return frame.x();
    }

    Scale y() {
        return frame.y();
    }

    /** The colour of the curve or bar with this index; they repeat. */
    static String ink(int index) {
        return "line" + index % COLOURS;
    }

    static List<Long> dash(int index) {
        return DASHES.get((index % COLOURS / 2 + index / COLOURS) % DASHES.size());
    }

    /** The share of the width at which a value is. */
    double across(double value) {
        return x().at(value);
    }

    /** The share of the height at which a value is, downwards; cells begin at the top. */
    double down(double value) {
        return y().axis().ofCells() ? y().at(value) : 1 - y().at(value);
    }

    /** The points through which a curve is drawn; the last one is always one of them. */
    static List<double[]> drawn(Curve curve) {
        List<double[]> points = curve.points();
        int every = 1 + (points.size() - 1) / MAX_POINTS;
        List<double[]> drawn = new ArrayList<>();
        for (int i = 0; i < points.size() - 1; i += every) {
            drawn.add(points.get(i));
        }
        drawn.add(points.get(points.size() - 1));
        return drawn;
    }

    /** The chart for the scripts of a page: shares of width and height, downwards. */
    JsonObject json() {
        List<JsonObject> lines = new ArrayList<>();
        for (Curve curve : curves) {
            List<List<Object>> points = drawn(curve).stream()
                    .map(point -> List.of(share(across(point[0])), share(down(point[1]))))
                    .toList();
            lines.add(new JsonObject()
                    .with("name", curve.name())
                    .with("ink", ink(lines.size()))
                    .with("dash", dash(lines.size()))
                    .with("reference", curve.reference())
                    .with("marks", curve.points().size() <= MAX_MARKS)
                    .with("points", points));
        }
        Function<Box, List<Object>> box = each -> List.of(
                share(across(each.x())),
                share(down(each.y())),
                share(across(each.toX())),
                share(down(each.toY())),
                each.ink(),
                share(each.depth()),
                each.note());
        return new JsonObject()
                .with("title", title)
                .with("height", frame.height(), 0)
                .with("x", axis(x(), this::across))
                .with("y", axis(y(), this::down))
                .with("curves", lines)
                .with("boxes", boxes.stream().map(box).toList())
                .with(
                        "legend",
                        legend.stream()
                                .map(entry -> List.of(entry.name(), entry.ink()))
                                .toList())
                .with("table", table.json())
                .with(
                        "rows_at",
                        places(curves).stream()
                                .limit(Table.MAX_ROWS)
                                .map(place -> share(across(place)))
                                .toList());
    }

    private static JsonObject axis(Scale scale, Function<Double, Double> place) {
        return new JsonObject()
                .with("label", scale.axis().label())
                .with("cells", scale.axis().ofCells())
                .with(
                        "ticks",
                        scale.ticks().stream()
                                .map(tick -> List.of(share(place.apply(tick.value())), tick.label()))
                                .toList());
    }

    private static Object share(double value) {
        return new JsonObject.Fraction(value, 5);
    }
}
