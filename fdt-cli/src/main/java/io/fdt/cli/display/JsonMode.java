package io.fdt.cli.display;

import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.Words;
import java.util.List;
import java.util.Map;

/** The output that {@code --json} requests. */
public enum JsonMode {
    OFF,
    /** All objects except those for individual files. */
    EVENTS,
    /** All objects, including one for each file. */
    FILES;

    public static JsonMode parse(String text) throws BadValueException {
        if (text.equals("files")) {
            return FILES;
        }
        try {
            return Words.bool(text) ? EVENTS : OFF;
        } catch (BadValueException e) {
            throw new BadValueException("write --json or --json=files");
        }
    }

    /**
     * Returns the requested mode as far as it can be determined without parsing all arguments, so that a user gets a
     * JSON summary even if other arguments are wrong.
     */
    public static JsonMode asked(List<String> args, Map<String, String> environment) {
        for (String arg : args) {
            if (arg.equals("--")) {
                break;
            }
            if (arg.equals("--json") || arg.startsWith("--json=")) {
                return EVENTS;
            }
        }
        String variable = environment.getOrDefault("FDT_JSON", "");
        try {
            return variable.isEmpty() ? OFF : parse(variable);
        } catch (BadValueException e) {
            return OFF;
        }
    }
}
