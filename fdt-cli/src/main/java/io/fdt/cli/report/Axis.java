package io.fdt.cli.report;

import java.util.List;

/**
 * The content of an axis: numbers, or named cells side by side.
 *
 * @param base 0 for a linear axis, otherwise the base of its logarithm
 * @param cells the names of its cells; empty for an axis of numbers
 */
record Axis(String label, Unit unit, int base, List<String> cells) {
    static Axis linear(String label, Unit unit) {
        return new Axis(label, unit, 0, List.of());
    }

    static Axis log(String label, Unit unit) {
        return new Axis(label, unit, 10, List.of());
    }

    static Axis cells(String label, List<String> names) {
        return new Axis(label, Unit.NUMBER, 0, names);
    }

    /** Powers of two if all sizes are, otherwise powers of ten. */
    static Axis sizes(String label, Iterable<Curve> curves) {
        boolean binary = true;
        for (Curve curve : curves) {
            for (double[] point : curve.points()) {
                double x = point[0];
                binary &= x >= 1 && Math.getExponent(x) < 62 && Long.bitCount((long) x) == 1 && x == Math.rint(x);
            }
        }
        return new Axis(label, Unit.BYTES, binary ? 2 : 10, List.of());
    }

    boolean logarithmic() {
        return base != 0;
    }

    boolean ofCells() {
        return !cells.isEmpty();
    }

    boolean shows(double value) {
        return Double.isFinite(value) && (!logarithmic() || value > 0);
    }

    /** A value as text; on an axis of cells, the value is the index of a cell. */
    String text(double value) {
        return ofCells() ? cells.get((int) value) : unit.text(value);
    }
}
