package io.fdt.cli.report;

import java.util.ArrayList;
import java.util.List;

/** The widths of texts in the sans-serif fonts that reports name, with which a layout needs no font on the host. */
final class TextWidth {
    private static final int FIRST = ' ';
    /** The advances of the characters of ASCII, in hundredths of the font's size. */
    private static final int[] ADVANCES = {
        32, 41, 46, 84, 64, 96, 78, 28, 40, 40, 50, 84, 32, 37, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34,
        84, 84, 84, 54, 100, 69, 69, 70, 78, 64, 58, 78, 76, 30, 30, 66, 56, 87, 75, 79, 61, 79, 70, 64, 62, 74, 69, 99,
        69, 62, 69, 40, 34, 40, 84, 50, 50, 62, 64, 55, 64, 62, 36, 64, 64, 28, 28, 58, 28, 98, 64, 62, 64, 64, 42, 53,
        40, 64, 60, 82, 60, 60, 53, 64, 34, 64, 84
    };
    /** Of every other character: as wide as the widest. */
    private static final int OTHER_ADVANCE = 100;

    private static final double HUNDREDTHS = 100;

    private TextWidth() {}

    static double of(String text, double size) {
        return text.codePoints().mapToDouble(TextWidth::advance).sum() / HUNDREDTHS * size;
    }

    private static int advance(int codePoint) {
        int index = codePoint - FIRST;
        return index >= 0 && index < ADVANCES.length ? ADVANCES[index] : OTHER_ADVANCE;
    }

    /** The text, truncated with an ellipsis if it is wider. */
    static String fit(String text, double size, double width) {
        if (of(text, size) <= width) {
            return text;
        }
        int[] codes = text.codePoints().toArray();
        for (int count = codes.length - 1; count > 0; count--) {
            String cut = new String(codes, 0, count) + "…";
            if (of(cut, size) <= width) {
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
            if (of(longer, size) <= width) {
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
}
