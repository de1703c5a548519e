package io.fdt.core.plan;

import java.util.HexFormat;
import java.util.Locale;
import java.util.function.ObjIntConsumer;

/**
 * Decides which characters are shown unchanged, and escapes those that could control a terminal or break a line of a
 * log.
 */
public final class Printable {
    private static final int SHOWN_MAX_CHARS = 1024;

    private Printable() {}

    /** A peer determines most texts that are logged, and every character costs memory, time and space. */
    public static String shortened(String text) {
        return text.length() <= SHOWN_MAX_CHARS ? text : text.substring(0, SHOWN_MAX_CHARS) + "…";
    }

    /** Shows control, format and separator characters and unpaired surrogates as {@code \\u{NN}}. */
    public static String of(String text) {
        return of(text, Printable::appendEscaped);
    }

    /** Returns the JSON with these characters escaped as JSON does. */
    public static String json(String json) {
        return of(json, (out, codePoint) -> {
            for (char unit : Character.toChars(codePoint)) {
                out.append("\\u").append(HexFormat.of().toHexDigits(unit));
            }
        });
    }

    /** Appends {@code \\u{NN}}. A peer determines how many characters need it, so there is no formatter here. */
    static void appendEscaped(StringBuilder out, int codePoint) {
        out.append("\\u{")
                .append(Integer.toHexString(codePoint).toUpperCase(Locale.ROOT))
                .append('}');
    }

    private static String of(String text, ObjIntConsumer<StringBuilder> escape) {
        // Every copy formats many texts, and nearly all are empty: avoid a stream for each.
        int shown = 0;
        while (shown < text.length() && isPrintable(text.codePointAt(shown))) {
            shown += Character.charCount(text.codePointAt(shown));
        }
        if (shown == text.length()) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(codePoint -> {
            if (isPrintable(codePoint)) {
                out.appendCodePoint(codePoint);
            } else {
                escape.accept(out, codePoint);
            }
        });
        return out.toString();
    }

    /**
     * Control, format (including bidirectional overrides) and separator characters can deceive the reader of a
     * terminal.
     */
    public static boolean isPrintable(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }
}
