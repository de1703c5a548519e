package io.fdt.cli.report;

import io.fdt.core.FailureKind;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.AffineTransform;
import java.awt.geom.Path2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.imageio.ImageIO;

/**
 * Writes drawings as PNG, light, two pixels per point. It only fills shapes and uses no font of AWT: on a host without
 * fontconfig or without fonts AWT would fail, and pictures would differ from host to host.
 */
final class PngWriter {
    private static final double PIXELS_A_POINT = 2;
    private static final double MAX_PIXELS = 40e6;
    private static final Pattern COMMAND = Pattern.compile("([MLQZ])([-0-9,]*)");

    private final Graphics2D graphics;
    private final Map<Integer, Path2D> outlines = new HashMap<>();

    private PngWriter(Graphics2D graphics) {
        this.graphics = graphics;
    }

    static byte[] file(Drawing drawing) {
        // Before the first class of AWT, which must not look for a screen.
        System.setProperty("java.awt.headless", "true");
        ImageIO.setUseCache(false);
        double scale = scale(drawing);
        BufferedImage image = new BufferedImage(
                (int) Math.ceil(drawing.width() * scale),
                (int) Math.ceil(drawing.height() * scale),
                BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = image.createGraphics();
        try {
            graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
            graphics.setRenderingHint(RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE);
            graphics.scale(scale, scale);
            PngWriter writer = new PngWriter(graphics);
            drawing.shapes().forEach(writer::draw);
        } finally {
            graphics.dispose();
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            if (!ImageIO.write(image, "png", out)) {
                throw new IllegalStateException("this Java runtime cannot write PNG");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    /** Fewer pixels per point for a report of very many results: the whole picture is in memory. */
    private static double scale(Drawing drawing) {
        for (double scale : new double[] {PIXELS_A_POINT, PIXELS_A_POINT / 2}) {
            if (drawing.width() * drawing.height() * scale * scale <= MAX_PIXELS) {
                return scale;
            }
        }
        throw FailureKind.USAGE.failure("too many plots for one PNG; write .html or .svg, or fewer results");
    }

    private void draw(Drawing.Shape shape) {
        if (shape instanceof Drawing.Path path) {
            draw(path);
        } else if (shape instanceof Drawing.Text text) {
            draw(text);
        }
    }

    private void draw(Drawing.Path path) {
        Path2D lines = new Path2D.Double();
        lines.moveTo(path.xs()[0], path.ys()[0]);
        for (int i = 1; i < path.xs().length; i++) {
            lines.lineTo(path.xs()[i], path.ys()[i]);
        }
        if (path.closed()) {
            lines.closePath();
        }
        if (path.fill() != null) {
            graphics.setColor(color(path.fill()));
            graphics.fill(lines);
        }
        if (path.stroke() != null) {
            float[] dashes = path.dashed() ? new float[] {6, 4} : null;
            graphics.setStroke(
                    new BasicStroke((float) path.width(), BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1, dashes, 0));
            graphics.setColor(color(path.stroke()));
            graphics.draw(lines);
        }
    }

    private void draw(Drawing.Text text) {
        double width = Glyphs.width(text.text(), text.size());
        double before = switch (text.anchor()) {
            case START -> 0;
            case MIDDLE -> width / 2;
            case END -> width;
        };
        AffineTransform restored = graphics.getTransform();
        graphics.translate(text.x(), text.y());
        if (text.upright()) {
            graphics.rotate(-Math.PI / 2);
        }
        double scale = text.size() / Glyphs.UNITS;
        graphics.translate(-before, 0);
        graphics.scale(scale, scale);
        graphics.setColor(color(text.ink()));
        text.text().codePoints().forEach(code -> {
            graphics.fill(outlines.computeIfAbsent(code, missing -> outline(Glyphs.of(missing))));
            graphics.translate(Glyphs.of(code).advance(), 0);
        });
        graphics.setTransform(restored);
    }

    private static Path2D outline(Glyphs.Glyph glyph) {
        Path2D path = new Path2D.Double(Path2D.WIND_NON_ZERO);
        Matcher command = COMMAND.matcher(glyph.outline());
        while (command.find()) {
            String[] at = command.group(2).split(",", -1);
            switch (command.group(1)) {
                case "M" -> path.moveTo(number(at, 0), number(at, 1));
                case "L" -> path.lineTo(number(at, 0), number(at, 1));
                case "Q" -> path.quadTo(number(at, 0), number(at, 1), number(at, 2), number(at, 3));
                default -> path.closePath();
            }
        }
        return path;
    }

    private static double number(String[] numbers, int index) {
        return Double.parseDouble(numbers[index]);
    }

    private static Color color(Ink ink) {
        return new Color(ink.light());
    }
}
