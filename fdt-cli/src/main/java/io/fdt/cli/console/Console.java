package io.fdt.cli.console;

import io.fdt.core.basic.Figures;
import io.fdt.core.failure.KernelError;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Standard output and standard error. Data goes to the one, messages and progress to the other, always in UTF-8 and
 * whole lines at a time. Thread-safe. A reader that has gone away is no failure: what is written after that is dropped,
 * because the transfer matters more than its viewer.
 */
public final class Console {
    private static final String CLEAR_TO_END = "\u001b[K";
    private static final int MAX_HELD = 1_000;

    private final OutputStream data;
    private final OutputStream messages;
    /** Returns how many messages were lost since the last call. */
    private final LongSupplier lost;

    private final boolean terminal;
    /** The progress line on the terminal; empty if there is none. */
    private String transientLine = "";

    private boolean dataGone;
    private boolean dataLost;
    private boolean messagesGone;
    /**
     * Converts a message to a line for machines, or to null to omit it. If this field is null, messages are for people.
     */
    private @Nullable BiFunction<LogEvent, String, @Nullable String> saying;

    /** What to print when the terminal is free again; null while it is. */
    private @Nullable ArrayDeque<Runnable> held;

    public Console(OutputStream data, OutputStream messages, boolean terminal) {
        this(data, messages, () -> 0, terminal);
    }

    /** @param lost the number of lost messages since the last call */
    public Console(OutputStream data, OutputStream messages, LongSupplier lost, boolean terminal) {
        this.data = data;
        this.messages = messages;
        this.lost = lost;
        this.terminal = terminal;
    }

    public boolean isTerminal() {
        return terminal;
    }

    /** Writes one line, or several separated by newlines, to standard output. */
    public synchronized void data(String text) {
        data((text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Writes bytes that end with a newline to standard output. */
    public synchronized void data(byte[] lines) {
        if (!isHeld(() -> writeData(lines))) {
            writeData(lines);
        }
    }

    private void writeData(byte[] lines) {
        if (dataGone) {
            return;
        }
        try {
            data.write(lines);
            data.flush();
        } catch (IOException e) {
            dataGone = true;
            if (KernelError.of(e) != KernelError.EPIPE) {
                dataLost = true;
                warning("cannot write to standard output: " + e.getMessage());
            }
        }
    }

    /** Whether data could not be written for another reason than that the reader has closed its end. */
    public synchronized boolean hasLostData() {
        return dataLost;
    }

    /** Whether the reader of standard output has closed its end. */
    public synchronized boolean isReaderGone() {
        return dataGone && !dataLost;
    }

    /**
     * Writes one or more lines to standard error, above the progress line if there is one. Replaces control characters,
     * because parts of a message may come from a peer.
     */
    public synchronized void message(String given) {
        say(LogEvent.MESSAGE, given, given);
    }

    /** Writes a warning for the operator. The text does not include a prefix such as "warning". */
    public synchronized void warning(String text) {
        say(LogEvent.WARNING, "fdt: warning: " + text, text);
    }

    public synchronized void failure(String line) {
        say(LogEvent.ERROR, line, line);
    }

    /** From now on, converts every message on standard error to a line with this function, and shows no progress. */
    public synchronized void sayAs(BiFunction<LogEvent, String, @Nullable String> other) {
        redraw("");
        saying = other;
    }

    /** Writes a complete machine-readable line to standard error. */
    public synchronized void line(String ready) {
        tellLost();
        write(ready + "\n");
    }

    /**
     * Keeps all output from now on because a screen is drawn on the terminal. Keeps only the newest output if there is
     * too much.
     */
    public synchronized void hold() {
        redraw("");
        held = new ArrayDeque<>();
    }

    /** Writes the kept output. Called when the terminal is free again. */
    public synchronized void release() {
        ArrayDeque<Runnable> kept = held;
        held = null;
        if (kept != null) {
            kept.forEach(Runnable::run);
        }
    }

    /** Writes a picture for the terminal to standard output, even while other output is held. */
    public synchronized void draw(byte[] picture) {
        writeData(picture);
    }

    private boolean isHeld(Runnable saying) {
        ArrayDeque<Runnable> kept = held;
        if (kept == null) {
            return false;
        }
        kept.addLast(saying);
        if (kept.size() > MAX_HELD) {
            kept.removeFirst();
        }
        return true;
    }

    private void say(LogEvent event, String forPeople, String plain) {
        tellLost();
        BiFunction<LogEvent, String, @Nullable String> forMachines = saying;
        if (forMachines == null) {
            print(forPeople);
            return;
        }
        String line = forMachines.apply(event, plain);
        if (line != null) {
            line(line);
        }
    }

    private void tellLost() {
        long missing = lost.getAsLong();
        if (missing > 0) {
            warning(Figures.count(missing, "earlier message") + " could not be written");
        }
    }

    private void print(String given) {
        String text = withoutControls(given);
        if (transientLine.isEmpty()) {
            write(text + "\n");
        } else {
            write("\r" + CLEAR_TO_END + text + "\n" + transientLine);
        }
    }

    /** Replaces the progress line; an empty text removes it. Only for a terminal. */
    public synchronized void redraw(String line) {
        if (saying != null || held != null || line.equals(transientLine)) {
            return;
        }
        transientLine = line;
        write("\r" + line + CLEAR_TO_END);
    }

    private static String withoutControls(String text) {
        StringBuilder out = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            out.append(Character.isISOControl(c) && c != '\n' && c != '\t' ? '?' : c);
        }
        return out.toString();
    }

    private void write(String text) {
        write(text.getBytes(StandardCharsets.UTF_8));
    }

    private void write(byte[] text) {
        if (isHeld(() -> write(text)) || messagesGone) {
            return;
        }
        try {
            messages.write(text);
            messages.flush();
        } catch (IOException readerGone) {
            messagesGone = true;
        }
    }
}
