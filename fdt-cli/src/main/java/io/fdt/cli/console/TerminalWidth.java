package io.fdt.cli.console;

import io.fdt.cli.value.Words;
import java.io.File;
import java.lang.ProcessBuilder.Redirect;
import java.util.Map;
import java.util.function.IntSupplier;

/**
 * How wide the terminal is: {@code $COLUMNS}, else what {@code stty} says, else 80. That is a process, so it is asked
 * for once, and again after the terminal changed its size. For the thread that draws.
 */
public final class TerminalWidth implements IntSupplier {
    private static final int UNKNOWN = 80;
    private static final long STTY_MS = 500;

    private final Map<String, String> environment;
    private final Signals signals;
    /** The thread of a signal sets it. */
    private volatile boolean changed = true;

    /** 0 before the first drawing. */
    private int known;

    public TerminalWidth(Map<String, String> environment, Signals signals) {
        this.environment = environment;
        this.signals = signals;
    }

    @Override
    public int getAsInt() {
        if (known == 0) {
            signals.onSignal("WINCH", () -> changed = true);
        }
        if (changed) {
            changed = false;
            int columns = ofEnvironment(environment);
            known = columns > 0 ? columns : ofTerminal();
        }
        return known;
    }

    /** The width if the environment says so, for help texts; no process. */
    public static int of(Map<String, String> environment) {
        int columns = ofEnvironment(environment);
        return columns > 0 ? Math.max(60, Math.min(120, columns)) : UNKNOWN;
    }

    private static int ofEnvironment(Map<String, String> environment) {
        return Words.digits(environment.getOrDefault("COLUMNS", ""));
    }

    private static int ofTerminal() {
        int columns = Terminal.size(Redirect.from(new File("/dev/tty")), STTY_MS)[1];
        return columns > 0 ? columns : UNKNOWN;
    }
}
