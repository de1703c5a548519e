package io.fdt.core.plan;

import java.util.function.IntFunction;
import java.util.stream.Collectors;

/**
 * Decides which characters are shown unchanged, and escapes those that could control a terminal or break a line of a
 * log.
 */
public final class Printable {
    private Printable() {}

    /** Shows control, format and separator characters and unpaired surrogates as {@code \\u{NN}}. */
    public static String of(String text) {
        return of(text, codePoint -> String.format("\\u{%X}", codePoint));
    }

    /** Returns the JSON with these characters escaped as JSON does. */
    public static String json(String json) {
        return of(
                json,
                codePoint -> Character.toString(codePoint)
                        .chars()
                        .mapToObj(unit -> String.format("\\u%04x", unit))
                        .collect(Collectors.joining()));
    }

    private static String of(String text, IntFunction<String> escape) {
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
                out.append(escape.apply(codePoint));
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
