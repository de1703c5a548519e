package io.fdt.cli.display;

import io.fdt.cli.console.Console;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import java.io.PrintWriter;
import java.io.StringWriter;

/** Reports the failure of a command: one line on standard error and, with JSON, also one object on standard output. */
public record FailureReport(Console console, boolean json, boolean verbose) {
    /** Shows the failure of a job, with the remedy of a new run: an object in JSON, and a message. */
    public static void show(Console console, boolean json, Failure failure) {
        Failure why = failure.toRunAgain();
        if (json) {
            JsonDisplay.printError(console, why);
        }
        console.failure(SummaryText.failureLine(why));
    }

    /** Prints it and returns the exit code. A stack trace is printed only on request. */
    public int print(Throwable cause) {
        TransferException failure = TransferException.of(cause);
        Failure why = failure.failure();
        if (json) {
            JsonDisplay.printError(console, why);
        }
        console.failure(SummaryText.failureLine(why));
        printTrace(cause, why.kind());
        return why.exitCode();
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
