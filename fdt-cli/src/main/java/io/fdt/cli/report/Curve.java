package io.fdt.cli.report;

import java.util.List;

/**
 * One curve: its name in the legend and its points.
 *
 * @param reference whether it is for comparison: such a curve is dashed and its marks are hollow
 */
record Curve(String name, boolean reference, double[] xs, double[] ys) {
    static Curve of(String name, boolean reference, List<double[]> points) {
        double[] xs = points.stream().mapToDouble(point -> point[0]).toArray();
        return new Curve(
                name,
                reference,
                xs,
                points.stream().mapToDouble(point -> point[1]).toArray());
    }

    /** A horizontal line, for a figure that does not depend on x. */
    static Curve level(String name, double until, double level) {
        return new Curve(name, true, new double[] {0, until}, new double[] {level, level});
    }
}
