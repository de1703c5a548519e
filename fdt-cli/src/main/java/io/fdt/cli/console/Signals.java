package io.fdt.cli.console;

/** Delivers signals to a command. */
public interface Signals {
    /**
     * Runs the action on a separate thread for every {@code INT}, {@code TERM} and so on, unless the signal was ignored
     * when the process started.
     */
    void onSignal(String name, Runnable action);
}
