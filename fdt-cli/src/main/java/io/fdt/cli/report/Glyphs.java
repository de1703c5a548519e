package io.fdt.cli.report;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The letters of pictures: their widths and, for PNG, their outlines. They are part of the program and independent of
 * the host.
 */
final class Glyphs {
    static final double UNITS = 2048;

    private static final int REPLACEMENT = 0xfffd;
    private static final Map<Integer, Glyph> ALL = load();

    private Glyphs() {}

    /** One letter: its advance and its outline, commands M, L, Q and Z with absolute coordinates. */
    record Glyph(int advance, String outline) {}

    /** The letter of a code point, or a replacement if there is none. */
    static Glyph of(int codePoint) {
        Glyph glyph = ALL.get(codePoint);
        return glyph != null ? glyph : ALL.getOrDefault(REPLACEMENT, new Glyph(1024, ""));
    }

    static double width(String text, double size) {
        return text.codePoints().mapToDouble(code -> of(code).advance()).sum() / UNITS * size;
    }

    /** The text, truncated with an ellipsis if it is wider. */
    static String fit(String text, double size, double width) {
        if (width(text, size) <= width) {
            return text;
        }
        int[] codes = text.codePoints().toArray();
        for (int count = codes.length - 1; count > 0; count--) {
            String cut = new String(codes, 0, count) + "…";
            if (width(cut, size) <= width) {
                return cut;
            }
        }
        return "…";
    }

    /** The text in lines that are not wider, broken at spaces; a word that is too wide is truncated. */
    static List<String> wrapped(String text, double size, double width) {
        List<String> lines = new ArrayList<>();
        String line = "";
        for (String word : text.split(" ", -1)) {
            String longer = line.isEmpty() ? word : line + " " + word;
            if (width(longer, size) <= width) {
                line = longer;
                continue;
            }
            if (!line.isEmpty()) {
                lines.add(line);
            }
            line = fit(word, size, width);
        }
        lines.add(line);
        return lines;
    }

    private static Map<Integer, Glyph> load() {
        Map<Integer, Glyph> glyphs = new HashMap<>();
        try (InputStream in = Glyphs.class.getResourceAsStream("glyphs.txt")) {
            if (in == null) {
                throw new IllegalStateException("this build of fdt lacks its font");
            }
            BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.startsWith("#")) {
                    String[] parts = line.split(" ", 3);
                    String outline = parts.length < 3 ? "" : parts[2];
                    glyphs.put(Integer.parseInt(parts[0], 16), new Glyph(Integer.parseInt(parts[1]), outline));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Map.copyOf(glyphs);
    }
}
