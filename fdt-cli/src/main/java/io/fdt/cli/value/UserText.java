package io.fdt.cli.value;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;

/** Text from a user for a message: one line without anything that steers a terminal. */
public final class UserText {
    private UserText() {}

    /** Replaces control characters and bytes that are not UTF-8 by {@code \xNN}. */
    public static String visible(String text) {
        if (text.isEmpty()) {
            return "";
        }
        return RawPath.ofText(text.replace('\0', '\u0001')).display();
    }

    /** Like {@link #visible}, but in single quotes. */
    public static String quoted(String text) {
        return "'" + visible(text) + "'";
    }

    /** Fills the text with spaces up to this width. */
    public static String padded(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }

    /** Creates the failure for an invalid request by the user: one line, exit code 2. */
    public static TransferException refusal(String message) {
        return Cause.USAGE.failure(message);
    }
}
