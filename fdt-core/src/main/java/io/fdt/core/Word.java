package io.fdt.core;

import java.util.Locale;

/** A constant as options, files and output write it: its name in lower case. */
public final class Word {
    private Word() {}

    public static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
