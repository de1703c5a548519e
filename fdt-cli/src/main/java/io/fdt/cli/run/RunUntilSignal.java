package io.fdt.cli.run;

import io.fdt.cli.console.Interruption;
import io.fdt.core.FailureKind;

/**
 * The effect of a signal on a command that runs until one comes: it expects SIGTERM, so that is no failure.
 *
 * @param atLast what must be done even when the process is ended without its consent
 */
public record RunUntilSignal(String announcement, long patienceMs, Runnable atLast) implements Interruption.Policy {
    @Override
    public int exitCode(FailureKind why) {
        return why == FailureKind.TERMINATED ? 0 : why.exitCode();
    }

    @Override
    public void lastWords(FailureKind why) {
        atLast.run();
    }
}
