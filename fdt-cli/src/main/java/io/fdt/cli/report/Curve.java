package io.fdt.cli.report;

import java.util.ArrayList;
import java.util.List;

/**
 * One curve: its name in the legend and its points.
 *
 * @param reference whether it is there to compare with: such a curve is dashed and its marks are hollow
 */
record Curve(String name, boolean reference, double[] xs, double[] ys) {
    static Curve of(String name, boolean reference, List<double[]> points) {
        double[] xs = new double[points.size()];
        double[] ys = new double[points.size()];
        for (int i = 0; i < xs.length; i++) {
            xs[i] = points.get(i)[0];
            ys[i] = points.get(i)[1];
        }
        return new Curve(name, reference, xs, ys);
    }

    /** The points that have a place on both axes. */
    Curve on(Axis x, Axis y) {
        List<double[]> shown = new ArrayList<>();
        for (int i = 0; i < xs.length; i++) {
            if (x.shows(xs[i]) && y.shows(ys[i])) {
                shown.add(new double[] {xs[i], ys[i]});
            }
        }
        return of(name, reference, shown);
    }
}
