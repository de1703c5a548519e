package io.fdt.cli.report;

import java.util.List;

/**
 * One curve: its name in the legend and its points, x and y each.
 *
 * @param reference whether it is for comparison: such a curve is dashed and its marks are hollow
 */
record Curve(String name, boolean reference, List<double[]> points) {
    /** A horizontal line, for a figure that does not depend on x. */
    static Curve level(String name, double until, double level) {
        return new Curve(name, true, List.of(new double[] {0, level}, new double[] {until, level}));
    }
}
