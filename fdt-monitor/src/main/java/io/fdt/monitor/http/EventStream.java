package io.fdt.monitor.http;

/** An answer that is sent piece by piece. Thread-safe; no call blocks. */
public interface EventStream {
    /** Sends the piece, or drops it while the client has not read earlier ones. */
    void send(byte[] piece);

    /** Ends the answer and the connection. */
    void end();

    /** Runs the action when the connection is closed, or at once if it is closed already. */
    void whenClosed(Runnable action);
}
