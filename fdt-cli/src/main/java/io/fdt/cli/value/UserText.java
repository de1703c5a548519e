package io.fdt.cli.value;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.plan.RawPath;

/** Text from a user for a message: one line without anything that steers a terminal. */
public final class UserText {
    private UserText() {}

    /** Control characters, escapes and bytes that are no UTF-8 appear as {@code \xNN}. */
    public static String visible(String text) {
        if (text.isEmpty()) {
            return "";
        }
        return RawPath.ofText(text.replace('\0', '\u0001')).display();
    }

    /** The same in single quotes. */
    public static String quoted(String text) {
        return "'" + visible(text) + "'";
    }

    /** A refusal of what the user asked for: one line, exit code 2. */
    public static TransferException refusal(String message) {
        return FailureKind.USAGE.failure(message);
    }
}
