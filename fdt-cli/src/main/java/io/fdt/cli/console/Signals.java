package io.fdt.cli.console;

/** Hands signals to a command. */
public interface Signals {
    /**
     * Has the action run on a thread of its own for every {@code INT}, {@code TERM} …, unless that was ignored at the
     * start.
     */
    void onSignal(String name, Runnable action);
}
