package io.fdt.cli.display;

import io.fdt.cli.console.LogLevel;
import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.option.Settings;

/**
 * What the options ask of the log.
 *
 * @param json one JSON object a line
 * @param asked whether a level was asked for: otherwise people see the lines that they always saw, and no others
 */
public record LogForm(LogLevel level, boolean json, boolean asked) {
    public static LogForm of(Settings settings, boolean quiet) {
        boolean asked = !settings.isPreset(CommonOptions.LOG_LEVEL);
        LogLevel level = settings.choice(CommonOptions.LOG_LEVEL, LogLevel.class);
        return new LogForm(!asked && quiet ? LogLevel.ERROR : level, settings.on(CommonOptions.LOG_JSON), asked);
    }

    /** For people, nothing but errors. */
    public boolean isQuiet() {
        return !level.has(LogLevel.WARN);
    }

    public boolean hasFigures() {
        return level.has(LogLevel.INFO);
    }

    public boolean isDebug() {
        return level == LogLevel.DEBUG;
    }
}
