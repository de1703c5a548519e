package io.fdt.cli.report;

import io.fdt.cli.report.Drawing.Anchor;
import java.util.Locale;

/**
 * Writes drawings as SVG. Colours are classes, so that a page can be light or dark; texts are texts, which can be searched,
 * copied and read aloud, and every one of them is escaped.
 */
final class SvgWriter {
    private final StringBuilder out;

    private SvgWriter(StringBuilder out) {
        this.out = out;
    }

    /** A file of its own. */
    static String file(Drawing drawing, String name) {
        StringBuilder out = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        new SvgWriter(out).write(drawing, name, true);
        return out.toString();
    }

    /** An element of a page that has the {@link #style}. */
    static String element(Drawing drawing, String name) {
        StringBuilder out = new StringBuilder();
        new SvgWriter(out).write(drawing, name, false);
        return out.toString();
    }

    /** The colours, light, and dark for those who ask for it. */
    static String style() {
        StringBuilder css = new StringBuilder(
                "svg.fdt{font-family:\"DejaVu Sans\",Verdana,system-ui,sans-serif}.fdt path{fill:none;stroke-linejoin:round}\n");
        for (Ink ink : Ink.values()) {
            css.append(rule(ink, ink.light()));
        }
        css.append("\n@media (prefers-color-scheme:dark){");
        for (Ink ink : Ink.values()) {
            if (ink.dark() != ink.light()) {
                css.append(rule(ink, ink.dark()));
            }
        }
        return css.append("}\n").toString();
    }

    private static String rule(Ink ink, int rgb) {
        String color = String.format(Locale.ROOT, "#%06x", rgb);
        String name = name(ink);
        return ".fdt .f-" + name + "{fill:" + color + "}.fdt .s-" + name + "{stroke:" + color + "}";
    }

    private static String name(Ink ink) {
        return ink.name().toLowerCase(Locale.ROOT);
    }

    private void write(Drawing drawing, String name, boolean alone) {
        out.append("<svg class=\"fdt\" role=\"img\" viewBox=\"0 0 ")
                .append(at(drawing.width()))
                .append(' ')
                .append(at(drawing.height()))
                .append("\" xmlns=\"http://www.w3.org/2000/svg\" width=\"")
                .append(at(drawing.width()))
                .append("\" height=\"")
                .append(at(drawing.height()))
                .append("\">\n<title>")
                .append(Escape.xml(name))
                .append("</title>\n");
        if (alone) {
            out.append("<style>").append(style()).append("</style>\n");
        }
        for (Drawing.Shape shape : drawing.shapes()) {
            if (shape instanceof Drawing.Path path) {
                write(path);
            } else if (shape instanceof Drawing.Box box) {
                write(box);
            } else if (shape instanceof Drawing.Text text) {
                write(text);
            } else if (shape instanceof Drawing.Point point) {
                write(point);
            }
        }
        out.append("</svg>\n");
    }

    private void write(Drawing.Path path) {
        out.append("<path class=\"s-").append(name(path.ink())).append("\" d=\"");
        for (int i = 0; i < path.xs().length; i++) {
            out.append(i == 0 ? 'M' : 'L').append(at(path.xs()[i])).append(' ').append(at(path.ys()[i]));
        }
        out.append("\" stroke-width=\"").append(at(path.width())).append('"');
        if (path.dashed()) {
            out.append(" stroke-dasharray=\"6 4\"");
        }
        out.append("/>\n");
    }

    private void write(Drawing.Box box) {
        out.append("<rect class=\"f-")
                .append(name(box.ink()))
                .append("\" x=\"")
                .append(at(box.x()))
                .append("\" y=\"")
                .append(at(box.y()))
                .append("\" width=\"")
                .append(at(box.width()))
                .append("\" height=\"")
                .append(at(box.height()));
        if (box.note().isEmpty()) {
            out.append("\"/>\n");
        } else {
            out.append("\"><title>").append(Escape.xml(box.note())).append("</title></rect>\n");
        }
    }

    private void write(Drawing.Text text) {
        out.append("<text class=\"f-")
                .append(name(text.ink()))
                .append("\" x=\"")
                .append(at(text.x()));
        out.append("\" y=\"").append(at(text.y())).append("\" font-size=\"").append(at(text.size()));
        if (text.anchor() != Anchor.START) {
            out.append("\" text-anchor=\"").append(text.anchor() == Anchor.END ? "end" : "middle");
        }
        if (text.upright()) {
            out.append("\" transform=\"rotate(-90 ")
                    .append(at(text.x()))
                    .append(' ')
                    .append(at(text.y()))
                    .append(')');
        }
        out.append("\">").append(Escape.xml(text.text())).append("</text>\n");
    }

    private void write(Drawing.Point point) {
        String ink = name(point.ink());
        out.append("<g class=\"p\"><path class=\"s-").append(ink).append(point.hollow() ? " f-paper" : " f-" + ink);
        out.append("\" d=\"");
        double[][] corners = Marks.corners(point);
        for (int i = 0; i < corners.length; i++) {
            out.append(i == 0 ? 'M' : 'L').append(at(corners[i][0])).append(' ').append(at(corners[i][1]));
        }
        out.append("Z\"/></g>\n");
    }

    /** Two places: finer than any screen. */
    private static String at(double value) {
        return Numbers.exact(Math.rint(value * 100) / 100);
    }
}
