package io.fdt.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Standard output and standard error. Data goes to the one, messages and progress to the other, always in UTF-8 and
 * whole lines at a time. Thread-safe. A reader that has gone away is no failure: what is written after that is dropped,
 * for the transfer matters more than who watches it.
 */
final class Console {
    private static final String CLEAR_TO_END = "\u001b[K";

    private final OutputStream data;
    private final OutputStream messages;
    private final boolean terminal;
    /** The progress line that stands on the terminal; empty for none. */
    private String transientLine = "";

    private boolean dataGone;
    private boolean messagesGone;

    /** The flag says whether messages go to a terminal. */
    Console(OutputStream data, OutputStream messages, boolean terminal) {
        this.data = data;
        this.messages = messages;
        this.terminal = terminal;
    }

    boolean isTerminal() {
        return terminal;
    }

    /** One line, or several with newlines between them, on standard output. */
    synchronized void data(String text) {
        data((text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Bytes that end with a newline, on standard output. */
    synchronized void data(byte[] lines) {
        if (dataGone) {
            return;
        }
        try {
            data.write(lines);
            data.flush();
        } catch (IOException readerGone) {
            dataGone = true;
        }
    }

    /** One line, or several, on standard error, above the progress line if one stands there. */
    synchronized void message(String text) {
        if (transientLine.isEmpty()) {
            write(text + "\n");
        } else {
            write("\r" + CLEAR_TO_END + text + "\n" + transientLine);
        }
    }

    /** Replaces the progress line; an empty text takes it away. Only for a terminal. */
    synchronized void redraw(String line) {
        if (line.equals(transientLine)) {
            return;
        }
        transientLine = line;
        write("\r" + line + CLEAR_TO_END);
    }

    private void write(String text) {
        if (messagesGone) {
            return;
        }
        try {
            messages.write(text.getBytes(StandardCharsets.UTF_8));
            messages.flush();
        } catch (IOException readerGone) {
            messagesGone = true;
        }
    }
}
