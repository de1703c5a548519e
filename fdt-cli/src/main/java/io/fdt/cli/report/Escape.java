package io.fdt.cli.report;

/** Texts of strangers on their way into XML or HTML, as an element's content or a quoted attribute. */
final class Escape {
    private Escape() {}

    /** What has a meaning in XML or HTML gets none, and what must not stand there becomes U+FFFD. */
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

    /** No controls but tab and newline, no half surrogates, and nothing that turns the direction of a line. */
    private static boolean allowed(int code) {
        boolean control = Character.isISOControl(code) && code != '\t' && code != '\n';
        boolean turns = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
        return !control && !turns && !(code >= 0xd800 && code <= 0xdfff) && code != 0xfffe && code != 0xffff;
    }
}
