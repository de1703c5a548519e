package io.fdt.cli;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.plan.RawPath;

/** Texts that a user gave, on their way into a message: one line, nothing in it that a terminal would obey. */
final class UserText {
    private UserText() {}

    /** Control characters, escapes and bytes that are no UTF-8 appear as {@code \xNN}. */
    static String visible(String text) {
        if (text.isEmpty()) {
            return "";
        }
        return RawPath.ofText(text.replace('\0', '\u0001')).display();
    }

    /** The same in single quotes. */
    static String quoted(String text) {
        return "'" + visible(text) + "'";
    }

    /** A refusal of what the user asked for: one line, exit code 2. */
    static TransferException refusal(String message) {
        return new TransferException(FailureKind.USAGE, message);
    }
}
