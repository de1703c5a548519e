package io.fdt.cli.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A picture as a list of shapes, in points, y downwards. Charts are laid out to it, and the writers of SVG and PNG turn
 * it into files, so both look the same, and a test can count its contents.
 */
record Drawing(double width, double height, List<Shape> shapes) {
    private static final double MARK_RADIUS = 3.2;

    /** A circle, a square, a triangle, a diamond and a cross, each as the corners around its centre: x, y, x, y. */
    private static final double[][] MARKS = {
        circle(),
        {-1, -1, 1, -1, 1, 1, -1, 1},
        {0, -1.25, 1.2, 1, -1.2, 1},
        {0, -1.4, 1.4, 0, 0, 1.4, -1.4, 0},
        {
            -.35, -1, .35, -1, .35, -.35, 1, -.35, 1, .35, .35, .35, .35, 1, -.35, 1, -.35, .35, -1, .35, -1, -.35,
            -.35, -.35
        }
    };

    Drawing(double width, double height) {
        this(width, height, new ArrayList<>());
    }

    void add(Shape shape) {
        shapes.add(shape);
    }

    void line(double x1, double y1, double x2, double y2, Ink ink) {
        add(new Path(new double[] {x1, x2}, new double[] {y1, y2}, ink, 1, false, null, ""));
    }

    void box(double x1, double y1, double x2, double y2, Ink ink, String note) {
        add(new Path(new double[] {x1, x2, x2, x1}, new double[] {y1, y1, y2, y2}, null, 0, false, ink, note));
    }

    void text(double x, double y, double size, Anchor anchor, Ink ink, String text) {
        if (!text.isEmpty()) {
            add(new Text(x, y, size, anchor, false, ink, text));
        }
    }

    /**
     * The mark of a point of the curve with this index. Its shape differs, so that curves can be distinguished without
     * colours.
     */
    void mark(double x, double y, int index, Ink stroke, Ink fill) {
        double[] corners = MARKS[index % MARKS.length];
        double[] xs = new double[corners.length / 2];
        double[] ys = new double[xs.length];
        for (int i = 0; i < xs.length; i++) {
            xs[i] = x + MARK_RADIUS * corners[2 * i];
            ys[i] = y + MARK_RADIUS * corners[2 * i + 1];
        }
        add(new Path(xs, ys, stroke, 1.2, false, fill, ""));
    }

    private static double[] circle() {
        double[] corners = new double[32];
        for (int i = 0; i < corners.length; i += 2) {
            corners[i] = Math.cos(Math.PI * i / 16);
            corners[i + 1] = Math.sin(Math.PI * i / 16);
        }
        return corners;
    }

    /** Adds all shapes of another drawing, moved down. */
    void place(Drawing other, double down) {
        for (Shape shape : other.shapes) {
            add(shape.movedDown(down));
        }
    }

    /** Which end of a text is at its position. */
    enum Anchor {
        START,
        MIDDLE,
        END
    }

    sealed interface Shape permits Path, Text {
        Shape movedDown(double by);
    }

    /**
     * Lines through points. A filled one is closed.
     *
     * @param note shown when a reader points at it; empty for nothing
     */
    record Path(
            double[] xs,
            double[] ys,
            @Nullable Ink stroke,
            double width,
            boolean dashed,
            @Nullable Ink fill,
            String note)
            implements Shape {
        boolean closed() {
            return fill != null;
        }

        @Override
        public Shape movedDown(double by) {
            double[] moved = Arrays.stream(ys).map(y -> y + by).toArray();
            return new Path(xs, moved, stroke, width, dashed, fill, note);
        }
    }

    /** A line of text on its base line; upright ones read from below. */
    record Text(double x, double y, double size, Anchor anchor, boolean upright, Ink ink, String text)
            implements Shape {
        @Override
        public Shape movedDown(double by) {
            return new Text(x, y + by, size, anchor, upright, ink, text);
        }
    }
}
