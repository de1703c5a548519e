package io.fdt.cli.display;

import io.fdt.cli.console.LogLevel;
import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.option.Settings;
import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.Words;
import java.util.Locale;

/**
 * The log that the options request.
 *
 * @param json whether each line is a JSON object
 * @param asked whether a level was requested; if not, people see only the lines that are always shown
 */
public record LogForm(LogLevel level, boolean json, boolean asked) {
    public static LogForm of(Settings settings, boolean quiet) {
        boolean asked = !settings.isPreset(CommonOptions.LOG_LEVEL);
        LogLevel level = settings.get(CommonOptions.LOG_LEVEL, LogForm::level);
        return new LogForm(!asked && quiet ? LogLevel.ERROR : level, settings.on(CommonOptions.LOG_JSON), asked);
    }

    /** In any case, because other tools write levels in capitals. */
    private static LogLevel level(String text) throws BadValueException {
        String word = Words.among(LogLevel.words()).parse(text.toLowerCase(Locale.ROOT));
        return LogLevel.valueOf(word.toUpperCase(Locale.ROOT));
    }

    /** Whether people see only errors. */
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
