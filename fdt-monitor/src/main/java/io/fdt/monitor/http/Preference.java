package io.fdt.monitor.http;

import java.util.Locale;

/** How much a client wants an answer in some form, by its {@code Accept} headers (RFC 9110, 12.4.2). */
public final class Preference {
    private static final String QUALITY = "q=";

    private Preference() {}

    /**
     * Returns the quality from 0 to 1 that a header gives to a value: 0 if it is not acceptable. A name counts before a
     * range such as {@code text/*}, and that before {@code *}.
     */
    public static double of(String header, String value) {
        String range = value.substring(0, value.indexOf('/') + 1) + "*";
        double quality = 0;
        int best = -1;
        for (String item : header.split(",", -1)) {
            String[] parts = item.split(";", -1);
            String name = parts[0].strip().toLowerCase(Locale.ROOT);
            int exactness = name.equals(value) ? 2 : name.equals(range) ? 1 : name.matches("\\*(/\\*)?") ? 0 : -1;
            double here = exactness < 0 ? 0 : quality(parts);
            // A client may name several versions of a format.
            if (exactness > best || (exactness >= 0 && exactness == best && here > quality)) {
                best = exactness;
                quality = here;
            }
        }
        return quality;
    }

    private static double quality(String[] parts) {
        for (int i = 1; i < parts.length; i++) {
            String part = parts[i].strip().toLowerCase(Locale.ROOT);
            if (part.startsWith(QUALITY)) {
                try {
                    return Double.parseDouble(part.substring(QUALITY.length()));
                } catch (NumberFormatException malformed) {
                    return 0;
                }
            }
        }
        return 1;
    }
}
