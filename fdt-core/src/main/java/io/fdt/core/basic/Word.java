package io.fdt.core.basic;

import java.util.Locale;

/** Converts an enum constant to its form in options, files and output: its name in lower case. */
public final class Word {
    private Word() {}

    public static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
