package io.fdt.cli.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Curves over two axes, linear or logarithmic. Curves without a point that has a place on both are left out. */
final class CurvePlot implements Plot {
    private static final double HEIGHT = 340;
    /** With more points than this the marks would hide the curve. */
    private static final int MAX_MARKS = 40;
    /** A curve of more points is drawn by so many of them. */
    private static final int MAX_POINTS = 2_000;

    /** Nobody can tell more of them apart. */
    private static final int MAX_CURVES = 40;

    private final String title;
    private final Axis x;
    private final Axis y;
    private final List<Curve> curves = new ArrayList<>();

    CurvePlot(String title, Axis x, Axis y, List<Curve> given) {
        this.x = x;
        this.y = y;
        int shownOnes = 0;
        for (Curve curve : given) {
            Curve shown = curve.on(x, y);
            if (shown.xs().length > 0) {
                shownOnes++;
                if (curves.size() < MAX_CURVES) {
                    curves.add(shown);
                }
            }
        }
        this.title =
                shownOnes == curves.size() ? title : title + " (the first " + MAX_CURVES + " of " + shownOnes + ")";
    }

    @Override
    public String title() {
        return title;
    }

    List<Curve> curves() {
        return curves;
    }

    @Override
    public Drawing draw() {
        List<Frame.Entry> entries = new ArrayList<>();
        for (int i = 0; i < curves.size(); i++) {
            Curve curve = curves.get(i);
            int index = i;
            entries.add(new Frame.Entry(curve.name(), (drawing, left, middle) -> sample(drawing, left, middle, index)));
        }
        double bottom = Frame.TOP + HEIGHT;
        Drawing drawing = Frame.paper(title, bottom + 48 + Frame.legendHeight(entries) + 8);
        Scale across = scale(x, true, Frame.LEFT, Plot.WIDTH - Frame.RIGHT);
        Scale up = scale(y, false, bottom, Frame.TOP);
        Frame.axisX(drawing, across, x.label(), Frame.TOP, bottom);
        Frame.axisY(drawing, up, y.label(), Frame.LEFT, Plot.WIDTH - Frame.RIGHT);
        for (int i = curves.size() - 1; i >= 0; i--) {
            draw(drawing, i, across, up);
        }
        Frame.legend(drawing, entries, bottom + 48);
        return drawing;
    }

    private Scale scale(Axis axis, boolean ofX, double from, double to) {
        double least = Double.POSITIVE_INFINITY;
        double most = Double.NEGATIVE_INFINITY;
        for (Curve curve : curves) {
            double[] values = ofX ? curve.xs() : curve.ys();
            least = Math.min(least, Arrays.stream(values).min().orElse(least));
            most = Math.max(most, Arrays.stream(values).max().orElse(most));
        }
        return curves.isEmpty() ? Scale.of(axis, 1, 10, from, to) : Scale.of(axis, least, most, from, to);
    }

    private void draw(Drawing drawing, int index, Scale across, Scale up) {
        Curve curve = curves.get(index);
        int count = curve.xs().length;
        int every = 1 + (count - 1) / MAX_POINTS;
        int drawn = (count + every - 1) / every;
        double[] xs = new double[drawn];
        double[] ys = new double[drawn];
        for (int i = 0; i < drawn; i++) {
            // The last point is always there: a curve ends where it ends.
            int point = i == drawn - 1 ? count - 1 : i * every;
            xs[i] = across.at(curve.xs()[point]);
            ys[i] = up.at(curve.ys()[point]);
        }
        drawing.add(new Drawing.Path(xs, ys, Ink.ofCurve(index), curve.reference() ? 1.5 : 2.2, curve.reference()));
        if (count <= MAX_MARKS) {
            for (int i = 0; i < drawn; i++) {
                drawing.add(point(xs[i], ys[i], index));
            }
        }
    }

    private void sample(Drawing drawing, double left, double middle, int index) {
        Curve curve = curves.get(index);
        drawing.add(new Drawing.Path(
                new double[] {left, left + 32},
                new double[] {middle, middle},
                Ink.ofCurve(index),
                curve.reference() ? 1.5 : 2.2,
                curve.reference()));
        if (curve.xs().length <= MAX_MARKS) {
            drawing.add(point(left + 16, middle, index));
        }
    }

    private Drawing.Point point(double px, double py, int index) {
        return new Drawing.Point(
                px,
                py,
                Drawing.Mark.ofCurve(index),
                Ink.ofCurve(index),
                curves.get(index).reference());
    }

    @Override
    public Table table() {
        TreeSet<Double> places = new TreeSet<>();
        for (Curve curve : curves) {
            Arrays.stream(curve.xs()).forEach(places::add);
        }
        List<String> columns = new ArrayList<>(List.of(x.label()));
        curves.forEach(curve -> columns.add(curve.name()));
        List<Map<Double, String>> values = curves.stream().map(this::values).toList();
        List<List<String>> rows = new ArrayList<>();
        for (double place : places) {
            if (rows.size() == Table.MAX_ROWS) {
                break;
            }
            List<String> row = new ArrayList<>(List.of(x.unit().text(place)));
            values.forEach(of -> row.add(of.getOrDefault(place, "")));
            rows.add(row);
        }
        return new Table(columns, rows, places.size());
    }

    private Map<Double, String> values(Curve curve) {
        Map<Double, String> values = new HashMap<>();
        for (int i = 0; i < curve.xs().length; i++) {
            values.put(curve.xs()[i], y.unit().text(curve.ys()[i]));
        }
        return values;
    }
}
