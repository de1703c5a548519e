package io.fdt.cli.console;

import io.fdt.cli.value.Words;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * How wide the terminal is: {@code $COLUMNS}, else what {@code stty} says, else 80. That is a process, so it is asked
 * for once, and again after the terminal changed its size. For the thread that draws.
 */
public final class TerminalWidth implements IntSupplier {
    private static final int UNKNOWN = 80;

    private final Map<String, String> environment;
    /** Another thread may say so. */
    private volatile boolean changed = true;

    private int known;

    public TerminalWidth(Map<String, String> environment) {
        this.environment = environment;
    }

    /** The terminal has another size now. Any thread. */
    public void onChange() {
        changed = true;
    }

    @Override
    public int getAsInt() {
        if (changed) {
            changed = false;
            int columns = Words.digits(environment.getOrDefault("COLUMNS", ""));
            known = columns > 0 ? columns : ofTerminal();
        }
        return known;
    }

    /** The width if the environment says so, for help texts; no process. */
    public static int of(Map<String, String> environment) {
        int columns = Words.digits(environment.getOrDefault("COLUMNS", ""));
        return columns > 0 ? Math.max(60, Math.min(120, columns)) : UNKNOWN;
    }

    private static int ofTerminal() {
        try {
            Process stty = new ProcessBuilder("stty", "size")
                    .redirectInput(new File("/dev/tty"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!stty.waitFor(500, TimeUnit.MILLISECONDS)) {
                stty.destroyForcibly();
                return UNKNOWN;
            }
            String size = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
            int columns = Words.digits(size.substring(size.indexOf(' ') + 1));
            return columns > 0 ? columns : UNKNOWN;
        } catch (IOException noSttyOrNoTerminal) {
            return UNKNOWN;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return UNKNOWN;
        }
    }
}
