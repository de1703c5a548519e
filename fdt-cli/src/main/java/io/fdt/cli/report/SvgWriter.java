package io.fdt.cli.report;

import io.fdt.cli.report.Drawing.Anchor;
import io.fdt.core.basic.Figures;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.Word;

/**
 * Writes drawings as SVG. Colours are classes, so that a page can be light or dark; texts remain texts, which can be
 * searched, copied and read aloud, and all of them are escaped.
 */
final class SvgWriter {
    private final StringBuilder out;

    private SvgWriter(StringBuilder out) {
        this.out = out;
    }

    static String file(Drawing drawing, String name) {
        StringBuilder out = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        new SvgWriter(out).write(drawing, name, true);
        return out.toString();
    }

    /** An element of a page that contains the {@link #style}. */
    static String element(Drawing drawing, String name) {
        StringBuilder out = new StringBuilder();
        new SvgWriter(out).write(drawing, name, false);
        return out.toString();
    }

    /** The colours, light, and dark if the reader prefers that. */
    static String style() {
        StringBuilder css = new StringBuilder(
                "svg.fdt{font-family:\"DejaVu Sans\",Verdana,system-ui,sans-serif}.fdt path{fill:none;"
                        + "stroke-linejoin:round}\n");
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
        String color = Figures.text("#%06x", rgb);
        String name = Word.of(ink);
        return ".fdt .f-" + name + "{fill:" + color + "}.fdt .s-" + name + "{stroke:" + color + "}";
    }

    private void write(Drawing drawing, String name, boolean alone) {
        String width = at(drawing.width());
        String height = at(drawing.height());
        out.append("<svg class=\"fdt\" role=\"img\" viewBox=\"0 0 " + width + " " + height
                + "\" xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width + "\" height=\"" + height + "\">\n<title>"
                + Escape.xml(name) + "</title>\n");
        if (alone) {
            out.append("<style>" + style() + "</style>\n");
        }
        for (Drawing.Shape shape : drawing.shapes()) {
            if (shape instanceof Drawing.Path path) {
                write(path);
            } else if (shape instanceof Drawing.Text text) {
                write(text);
            }
        }
        out.append("</svg>\n");
    }

    private void write(Drawing.Path path) {
        String stroke = path.stroke() == null ? "" : "s-" + Word.of(path.stroke());
        String fill = path.fill() == null ? "" : "f-" + Word.of(path.fill());
        out.append("<path class=\"" + (stroke + " " + fill).strip() + "\" d=\"");
        for (int i = 0; i < path.xs().length; i++) {
            out.append(i == 0 ? 'M' : 'L').append(at(path.xs()[i])).append(' ').append(at(path.ys()[i]));
        }
        out.append(path.closed() ? "Z\"" : "\"");
        if (path.stroke() != null) {
            out.append(" stroke-width=\"" + at(path.width()) + "\"");
        }
        if (path.dashed()) {
            out.append(" stroke-dasharray=\"6 4\"");
        }
        out.append(path.note().isEmpty() ? "/>\n" : "><title>" + Escape.xml(path.note()) + "</title></path>\n");
    }

    private void write(Drawing.Text text) {
        String x = at(text.x());
        String y = at(text.y());
        out.append("<text class=\"f-" + Word.of(text.ink()) + "\" x=\"" + x + "\" y=\"" + y + "\" font-size=\""
                + at(text.size()));
        if (text.anchor() != Anchor.START) {
            out.append("\" text-anchor=\"" + Word.of(text.anchor()));
        }
        if (text.upright()) {
            out.append("\" transform=\"rotate(-90 " + x + " " + y + ")");
        }
        out.append("\">" + Escape.xml(text.text()) + "</text>\n");
    }

    /** Two decimal places: finer than any screen. */
    private static String at(double value) {
        return JsonObject.exact(Math.rint(value * 100) / 100);
    }
}
