package io.fdt.cli.report;

/** The corners of what marks the points of curves. Shapes differ, so that curves do where colours do not. */
final class Marks {
    private static final int CIRCLE_CORNERS = 16;

    private Marks() {}

    static double[][] corners(Drawing.Point point) {
        double r = Drawing.Point.RADIUS;
        double a = r * 0.35;
        return switch (point.mark()) {
            case CIRCLE -> circle(point, r);
            case SQUARE -> around(point, new double[][] {{-r, -r}, {r, -r}, {r, r}, {-r, r}});
            case TRIANGLE -> around(point, new double[][] {{0, -1.25 * r}, {1.2 * r, r}, {-1.2 * r, r}});
            case DIAMOND -> around(point, new double[][] {{0, -1.4 * r}, {1.4 * r, 0}, {0, 1.4 * r}, {-1.4 * r, 0}});
            case CROSS ->
                around(point, new double[][] {
                    {-a, -r}, {a, -r}, {a, -a}, {r, -a}, {r, a}, {a, a}, {a, r}, {-a, r}, {-a, a}, {-r, a}, {-r, -a},
                    {-a, -a}
                });
        };
    }

    private static double[][] circle(Drawing.Point point, double radius) {
        double[][] offsets = new double[CIRCLE_CORNERS][];
        for (int i = 0; i < CIRCLE_CORNERS; i++) {
            double angle = 2 * Math.PI * i / CIRCLE_CORNERS;
            offsets[i] = new double[] {radius * Math.cos(angle), radius * Math.sin(angle)};
        }
        return around(point, offsets);
    }

    private static double[][] around(Drawing.Point point, double[][] offsets) {
        for (double[] offset : offsets) {
            offset[0] += point.x();
            offset[1] += point.y();
        }
        return offsets;
    }
}
