package io.fdt.cli.console;

import java.io.PrintWriter;
import java.io.StringWriter;

/** Stack traces as text, for those who ask with {@code -v}. */
public final class StackTraces {
    private StackTraces() {}

    public static String of(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString().stripTrailing();
    }
}
