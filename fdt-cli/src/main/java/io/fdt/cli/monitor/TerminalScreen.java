package io.fdt.cli.monitor;

import io.fdt.cli.command.Context;
import io.fdt.cli.console.Console;
import io.fdt.cli.console.Signals;
import io.fdt.cli.console.Terminal;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.run.Threads;
import io.fdt.monitor.Screen;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes over the terminal of this process: uses its alternate screen, hides the cursor, and reads single keys without
 * echo. {@link #close} restores the terminal, and can also be called by a thread that halts the process. Thread-safe.
 */
final class TerminalScreen implements Screen, AutoCloseable {
    private static final long STTY_MS = 2_000;
    private static final int DEFAULT_ROWS = 24;
    private static final int DEFAULT_COLUMNS = 80;
    private static final String OTHER_SCREEN = "\u001b[?1049h\u001b[?25l\u001b[H\u001b[2J";
    private static final String FIRST_SCREEN = "\u001b[m\u001b[?25h\u001b[?1049l";

    private final Console console;
    private final boolean colours;
    private final String settings;
    private int rows;
    private int columns;
    private boolean changed = true;
    private boolean closed;

    private TerminalScreen(Console console, boolean colours, String settings) {
        this.console = console;
        this.colours = colours;
        this.settings = settings;
    }

    /** @throws TransferException USAGE if input or output is not a terminal, or if it cannot be drawn on */
    static TerminalScreen open(Context context) {
        String kind = context.environment().getOrDefault("TERM", "");
        String settings = Terminal.isAt(0) && Terminal.isAt(1) ? stty("-g") : null;
        if (settings == null || kind.isEmpty() || kind.equals("dumb")) {
            throw Cause.USAGE.failure(
                    "--tui needs a terminal for input and output; leave it out to serve the page and /metrics");
        }
        TerminalScreen screen = new TerminalScreen(
                context.console(),
                context.environment().getOrDefault("NO_COLOR", "").isEmpty(),
                settings);
        // Ctrl-C remains a signal. Ctrl-Z does not, because a stopped process would leave the terminal in this state.
        stty("-icanon", "-echo", "min", "1", "time", "0", "susp", "undef");
        context.console().hold();
        screen.write(OTHER_SCREEN);
        return screen;
    }

    private static @Nullable String stty(String... words) {
        return Terminal.stty(Redirect.INHERIT, STTY_MS, words);
    }

    /** Runs the action once the user presses q. */
    static void whenQuit(InputStream keys, Runnable action) {
        Threads.start("fdt-terminal-keys", () -> {
            try {
                int key = keys.read();
                while (key >= 0 && key != 'q' && key != 'Q') {
                    key = keys.read();
                }
                if (key >= 0) {
                    action.run();
                }
            } catch (IOException noMoreKeys) {
                // Without keys, only a signal ends the view.
            }
        });
    }

    /** Redraws when the terminal is resized. */
    void keepSize(Signals signals, Runnable redraw) {
        signals.onSignal("WINCH", () -> {
            onChange();
            redraw.run();
        });
    }

    private synchronized void onChange() {
        changed = true;
    }

    private synchronized void measure() {
        if (!changed) {
            return;
        }
        changed = false;
        int[] size = Terminal.size(Redirect.INHERIT, STTY_MS);
        rows = size[0] > 0 ? size[0] : DEFAULT_ROWS;
        columns = size[1] > 0 ? size[1] : DEFAULT_COLUMNS;
    }

    @Override
    public synchronized int rows() {
        measure();
        return rows;
    }

    @Override
    public synchronized int columns() {
        measure();
        return columns;
    }

    @Override
    public boolean hasColours() {
        return colours;
    }

    /** Writes all lines at once, so that no incomplete screen is visible. */
    @Override
    public synchronized void show(List<String> lines) {
        if (!closed) {
            write("\u001b[H" + String.join("\u001b[K\r\n", lines) + "\u001b[K\u001b[J");
        }
    }

    private void write(String text) {
        console.draw(text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            write(FIRST_SCREEN);
            stty(settings);
            console.release();
        }
    }
}
