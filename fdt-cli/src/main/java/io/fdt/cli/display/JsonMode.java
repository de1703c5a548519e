package io.fdt.cli.display;

import io.fdt.cli.option.CommonOptions;
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
     * Whether JSON was requested on an otherwise wrong command line, so that its user gets a JSON summary, too: as far
     * as that is known without parsing the line.
     */
    public static JsonMode asked(String command, List<String> args, Map<String, String> environment) {
        for (String arg : args) {
            if (arg.equals("--")) {
                break;
            }
            if (arg.equals("--json") || arg.startsWith("--json=")) {
                return EVENTS;
            }
        }
        String ofThis = environment.getOrDefault(CommonOptions.JSON.variable(command), "");
        String variable = ofThis.isEmpty() ? environment.getOrDefault(CommonOptions.JSON.variable(), "") : ofThis;
        try {
            return variable.isEmpty() ? OFF : parse(variable);
        } catch (BadValueException e) {
            return OFF;
        }
    }
}
