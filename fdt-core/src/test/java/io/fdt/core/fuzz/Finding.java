package io.fdt.core.fuzz;

import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** An input that broke a rule. */
public final class Finding extends Exception {
    private static final long serialVersionUID = 1L;
    private static final int SHOWN_BYTES = 4096;

    @SuppressWarnings("serial")
    private final byte[] input;

    Finding(String target, byte[] input, String what, @Nullable Throwable cause) {
        super(target + ": " + what + "; input of " + input.length + " bytes: " + shown(input), cause);
        this.input = input;
    }

    private static String shown(byte[] input) {
        return HexFormat.of().formatHex(input, 0, Math.min(input.length, SHOWN_BYTES))
                + (input.length > SHOWN_BYTES ? "…" : "");
    }

    byte[] input() {
        return input;
    }
}
