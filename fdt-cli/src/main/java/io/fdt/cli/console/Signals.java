package io.fdt.cli.console;

/** Hands signals to a command. */
public interface Signals {
    /**
     * Has the action run, on a thread of its own, for every signal of that name from now on; instead of ending the
     * process. A signal that the process was started to ignore stays ignored.
     *
     * @param name without {@code SIG}: {@code INT}, {@code TERM} …
     */
    void onSignal(String name, Runnable action);
}
