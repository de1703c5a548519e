package io.fdt.cli.display;

import io.fdt.cli.console.Console;
import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import java.io.PrintWriter;
import java.io.StringWriter;

/** Reports the failure of a command: one line on standard error and, with JSON, also one object on standard output. */
public record FailureReport(Console console, boolean json, boolean verbose) {
    /** Prints it and returns the exit code. A stack trace is printed only on request. */
    public int print(Throwable cause) {
        TransferException failure = TransferException.of(cause);
        FailureKind kind = failure.kind();
        String message = String.valueOf(failure.getMessage());
        if (json) {
            JsonDisplay.printError(console, kind, message);
        }
        console.failure(SummaryText.failureLine(kind, message));
        printTrace(cause, kind);
        return kind.exitCode();
    }

    /** Prints the stack trace if it was requested, unless the usage was bad. */
    public void printTrace(Throwable cause, FailureKind kind) {
        if (verbose && kind != FailureKind.USAGE) {
            StringWriter text = new StringWriter();
            cause.printStackTrace(new PrintWriter(text));
            console.message(text.toString().stripTrailing());
        }
    }
}
