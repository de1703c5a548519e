package io.fdt.cli.display;

import java.util.Map;

/** How progress is shown on standard error. */
public enum ProgressMode {
    AUTO,
    BAR,
    PLAIN,
    NONE;

    /** Returns the interval at which progress is shown as text; 0 for never. */
    public long intervalMs() {
        return this == BAR ? 100 : this == PLAIN ? 5_000 : 0;
    }

    /**
     * The mode to use: no bar without a terminal that can redraw a line or with {@code NO_COLOR}, nothing with quiet,
     * and with JSON only a mode that the user requested.
     */
    public ProgressMode resolve(boolean terminal, boolean quiet, boolean json, Map<String, String> environment) {
        if (quiet || this == NONE || (this == AUTO && json)) {
            return NONE;
        }
        boolean bar = terminal
                && environment.getOrDefault("NO_COLOR", "").isEmpty()
                && !environment.getOrDefault("TERM", "").equals("dumb");
        return this == PLAIN || !bar ? PLAIN : BAR;
    }
}
