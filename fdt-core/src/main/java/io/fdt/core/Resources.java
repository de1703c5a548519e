package io.fdt.core;

/** What somebody runs with and gives back at its end: connections, threads. May be closed twice. */
public interface Resources {
    /** Somebody else's, who closes them. */
    Resources LENT = timeoutMs -> {};

    /** Frees them, and waits for at most this long for threads that are held up. */
    void close(long timeoutMs);
}
