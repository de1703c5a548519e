package io.fdt.cli.report;

/**
 * What an axis shows.
 *
 * @param base 0 for a linear axis, else the base of its logarithm
 */
record Axis(String label, Unit unit, int base) {
    static Axis linear(String label, Unit unit) {
        return new Axis(label, unit, 0);
    }

    static Axis log(String label, Unit unit) {
        return new Axis(label, unit, 10);
    }

    /** Powers of two where all sizes are, else powers of ten. */
    static Axis sizes(String label, Iterable<Curve> curves) {
        boolean binary = true;
        for (Curve curve : curves) {
            for (double x : curve.xs()) {
                binary &= x >= 1 && Math.getExponent(x) < 62 && Long.bitCount((long) x) == 1 && x == Math.rint(x);
            }
        }
        return new Axis(label, Unit.BYTES, binary ? 2 : 10);
    }

    boolean logarithmic() {
        return base != 0;
    }

    /** Whether a value has a place on it. */
    boolean shows(double value) {
        return Double.isFinite(value) && (!logarithmic() || value > 0);
    }
}
