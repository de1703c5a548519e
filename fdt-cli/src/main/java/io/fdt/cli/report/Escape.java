package io.fdt.cli.report;

/** Escapes untrusted text for XML or HTML, as the content of an element or a quoted attribute. */
final class Escape {
    private Escape() {}

    /** Escapes markup, and replaces characters that are not allowed by U+FFFD. */
    static String xml(String text) {
        StringBuilder out = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(code -> {
            switch (code) {
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '&' -> out.append("&amp;");
                case '"' -> out.append("&quot;");
                case '\'' -> out.append("&#39;");
                default -> out.appendCodePoint(allowed(code) ? code : 0xfffd);
            }
        });
        return out.toString();
    }

    /** No controls except tab and newline, no unpaired surrogates, and nothing that changes the direction of text. */
    private static boolean allowed(int code) {
        boolean control = Character.isISOControl(code) && code != '\t' && code != '\n';
        boolean turns = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
        return !control && !turns && !(code >= 0xd800 && code <= 0xdfff) && code != 0xfffe && code != 0xffff;
    }
}
