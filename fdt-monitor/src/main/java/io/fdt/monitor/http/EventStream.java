package io.fdt.monitor.http;

/** An answer that goes on, piece by piece. Thread-safe; no call waits. */
public interface EventStream {
    /** Sends this, or drops it while the reader has not taken what was sent before. */
    void send(byte[] piece);

    /** Ends the answer and the connection. */
    void end();

    /** Runs the action when the connection is closed, at once if it is. */
    void whenClosed(Runnable action);
}
