package io.fdt.core.run;

/** Connections and threads that a job uses and releases at its end. May be closed twice. */
public interface Resources {
    /** Resources that are owned and closed by another object. */
    Resources LENT = timeoutMs -> {};

    /** Frees them, and waits up to this long for blocked threads. */
    void close(long timeoutMs);
}
