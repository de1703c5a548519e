package io.fdt.cli.report;

import java.util.ArrayList;
import java.util.List;

/**
 * A picture as a list of shapes, in points, y downwards: what plots are laid out to, and what the writers of SVG and PNG
 * turn into files. So both look the same, and a test can count what is in it.
 */
final class Drawing {
    private final double width;
    private final double height;
    private final List<Shape> shapes = new ArrayList<>();

    Drawing(double width, double height) {
        this.width = width;
        this.height = height;
    }

    double width() {
        return width;
    }

    double height() {
        return height;
    }

    List<Shape> shapes() {
        return shapes;
    }

    void add(Shape shape) {
        shapes.add(shape);
    }

    void line(double x1, double y1, double x2, double y2, Ink ink) {
        add(new Path(new double[] {x1, x2}, new double[] {y1, y2}, ink, 1, false));
    }

    void text(double x, double y, double size, Anchor anchor, Ink ink, String text) {
        add(new Text(x, y, size, anchor, false, ink, text));
    }

    /** All shapes of another drawing, moved down. */
    void place(Drawing other, double down) {
        for (Shape shape : other.shapes) {
            add(shape.movedDown(down));
        }
    }

    /** Which end of a text stands at its place. */
    enum Anchor {
        START,
        MIDDLE,
        END
    }

    /** What marks the points of a curve. */
    enum Mark {
        CIRCLE,
        SQUARE,
        TRIANGLE,
        DIAMOND,
        CROSS;

        static Mark ofCurve(int index) {
            return values()[index % values().length];
        }
    }

    /** One shape. */
    sealed interface Shape permits Path, Box, Text, Point {
        Shape movedDown(double by);
    }

    /** Lines through points. */
    record Path(double[] xs, double[] ys, Ink ink, double width, boolean dashed) implements Shape {
        @Override
        public Shape movedDown(double by) {
            double[] moved = new double[ys.length];
            for (int i = 0; i < moved.length; i++) {
                moved[i] = ys[i] + by;
            }
            return new Path(xs, moved, ink, width, dashed);
        }
    }

    /**
     * A filled rectangle.
     *
     * @param note what a reader sees who points at it; empty for nothing
     */
    record Box(double x, double y, double width, double height, Ink ink, String note) implements Shape {
        @Override
        public Shape movedDown(double by) {
            return new Box(x, y + by, width, height, ink, note);
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

    /** A point of a curve. */
    record Point(double x, double y, Mark mark, Ink ink, boolean hollow) implements Shape {
        static final double RADIUS = 3.2;

        @Override
        public Shape movedDown(double by) {
            return new Point(x, y + by, mark, ink, hollow);
        }
    }
}
