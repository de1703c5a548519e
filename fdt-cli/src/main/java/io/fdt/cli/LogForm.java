package io.fdt.cli;

/**
 * What the options ask of the log.
 *
 * @param json one JSON object a line
 * @param asked whether a level was asked for: otherwise people see the lines that they always saw, and no others
 */
record LogForm(LogLevel level, boolean json, boolean asked) {
    static LogForm of(Settings settings, boolean quiet) {
        boolean asked = !settings.isPreset(CommonOptions.LOG_LEVEL);
        LogLevel level = settings.choice(CommonOptions.LOG_LEVEL, LogLevel.class);
        return new LogForm(!asked && quiet ? LogLevel.ERROR : level, settings.on(CommonOptions.LOG_JSON), asked);
    }

    /** For people, nothing but errors. */
    boolean isQuiet() {
        return !level.has(LogLevel.WARN);
    }

    boolean hasFigures() {
        return level.has(LogLevel.INFO);
    }

    boolean isDebug() {
        return level == LogLevel.DEBUG;
    }
}
