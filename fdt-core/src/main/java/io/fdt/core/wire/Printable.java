package io.fdt.core.wire;

/** Text of a peer, made fit to be shown. */
final class Printable {
    private Printable() {}

    /** Control, format and separator characters and halves of surrogates appear as {@code \\u{NN}}. */
    static String of(String text) {
        if (text.codePoints().allMatch(Printable::isPrintable)) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(codePoint -> {
            if (isPrintable(codePoint)) {
                out.appendCodePoint(codePoint);
            } else {
                out.append(String.format("\\u{%X}", codePoint));
            }
        });
        return out.toString();
    }

    private static boolean isPrintable(int codePoint) {
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
