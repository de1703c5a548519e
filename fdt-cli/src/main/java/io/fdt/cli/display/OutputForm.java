package io.fdt.cli.display;

import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.option.Option;
import io.fdt.cli.option.Settings;

/**
 * How the options request that a command reports.
 *
 * @param json whether standard output has JSON lines
 * @param quiet whether people see only errors
 */
public record OutputForm(boolean json, boolean verbose, boolean quiet, LogForm log) {
    /** Reads the options of a command, two of which are in its own table. */
    public static OutputForm of(Settings settings, Option json, Option verbose) {
        boolean quiet = settings.on(CommonOptions.QUIET);
        LogForm log = LogForm.of(settings, quiet);
        return new OutputForm(settings.on(json), settings.on(verbose), quiet || log.isQuiet(), log);
    }
}
