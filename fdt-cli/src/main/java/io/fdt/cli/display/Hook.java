package io.fdt.cli.display;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.run.Threads;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A command of the user that is started when something has ended, with one line of JSON on its standard input. It is
 * split at spaces and started without a shell, and nothing that a peer chose is among its arguments, so no name is
 * ever interpreted. A failure of the command is a warning. Thread-safe.
 */
public final class Hook {
    private static final long LIMIT_MINUTES = 5;
    private static final long INPUT_JOIN_MS = 1_000;

    private final List<String> words;
    private final Consumer<String> warnings;

    private Hook(String command, Consumer<String> warnings) {
        this.words = List.of(command.strip().split("\\s+", -1));
        this.warnings = warnings;
    }

    /** Returns the hook of an option's value; null without one. */
    public static @Nullable Hook of(@Nullable String command, Consumer<String> warnings) {
        if (command == null) {
            return null;
        }
        if (command.isBlank()) {
            throw Cause.USAGE.failure("the command of a hook is empty; write the path of a program");
        }
        return new Hook(command, warnings);
    }

    /** Runs the command, and waits for its end, with a limit. Its errors go to standard error. */
    public void run(byte[] json) {
        try {
            Process process = new ProcessBuilder(words)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            Thread input = Threads.daemon("fdt-hook-input", () -> write(process, json));
            Threads.start(input, noThread -> process.destroyForcibly());
            if (!process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES)) {
                process.destroyForcibly();
                warnings.accept("the hook " + words.get(0) + " was stopped after " + LIMIT_MINUTES + " minutes");
            } else if (process.exitValue() != 0) {
                warnings.accept("the hook " + words.get(0) + " ended with exit code " + process.exitValue());
            }
            Threads.join(input, INPUT_JOIN_MS);
        } catch (IOException unable) {
            warnings.accept("cannot start the hook " + words.get(0) + ": " + TransferException.reason(unable));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void write(Process process, byte[] json) {
        try (OutputStream out = process.getOutputStream()) {
            out.write(json);
        } catch (IOException notRead) {
            // The command need not read its input.
        }
    }
}
