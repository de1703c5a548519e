package io.fdt.core.plan;

/**
 * What to do with the copies that a server makes for this key and that outlive their clients. Immutable.
 *
 * @param job its id; empty to list all
 */
public record JobsPlan(String host, int port, Action action, String job, long timeoutMs) {
    /** Codes on the wire are the ordinals. */
    public enum Action {
        LIST,
        /** Follow the copy to its end. */
        WAIT,
        /** Stop the copy in a resumable state, and wait for that. */
        CANCEL
    }
}
