package io.fdt.core.plan;

import java.util.function.IntFunction;
import java.util.stream.Collectors;

/** What may be shown as it is, and what could steer a terminal or break a line of a log. */
public final class Printable {
    private Printable() {}

    /** Control, format and separator characters and halves of surrogates appear as {@code \\u{NN}}. */
    public static String of(String text) {
        return of(text, codePoint -> String.format("\\u{%X}", codePoint));
    }

    /** JSON in which they are escapes of JSON's. */
    public static String json(String json) {
        return of(
                json,
                codePoint -> Character.toString(codePoint)
                        .chars()
                        .mapToObj(unit -> String.format("\\u%04x", unit))
                        .collect(Collectors.joining()));
    }

    private static String of(String text, IntFunction<String> escape) {
        // Many texts come with every copy, and nearly all are empty: no stream for each.
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

    /** Control, format (among them the bidirectional overrides) and separator characters can deceive a terminal. */
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
