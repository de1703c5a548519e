package io.fdt.cli.console;

/** Delivers signals to a command, and ends the process. */
public interface Signals {
    /**
     * Runs the action on a separate thread for every {@code INT}, {@code TERM} and so on, unless the signal was ignored
     * when the process started.
     */
    void onSignal(String name, Runnable action);

    /** Ends the process at once with an exit code; only for a user who does not want to wait. */
    void halt(int exitCode);

    /** Whether the process exists for the command alone, which may then restrict it for good. */
    default boolean ofOwnProcess() {
        return false;
    }
}
