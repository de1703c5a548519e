package io.fdt.cli.console;

import io.fdt.cli.value.Words;
import java.io.File;
import java.lang.ProcessBuilder.Redirect;
import java.util.Map;
import java.util.function.IntSupplier;

/**
 * The width of the terminal: {@code $COLUMNS}, otherwise the output of {@code stty}, otherwise 80. Because stty is a
 * process, it runs only once, and again after the terminal was resized. For the thread that draws.
 */
public final class TerminalWidth implements IntSupplier {
    private static final int UNKNOWN = 80;
    private static final long STTY_MS = 500;

    private final Map<String, String> environment;
    private final Signals signals;
    /** Set by a signal's thread. */
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

    /** Returns the width from the environment, otherwise 80, for help texts. Starts no process. */
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
