package io.fdt.core.fuzz;

import io.fdt.core.TransferException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The way for Jazzer into a target, by the names that it looks for; nothing of Jazzer is needed to compile it. The
 * property {@code fdt.fuzz.target} says which. As a program it writes a target's samples into a directory.
 */
public final class JazzerTarget {
    private JazzerTarget() {}

    /** Made at the first execution. */
    private static final class Chosen {
        static final FuzzTarget TARGET = target(System.getProperty("fdt.fuzz.target"));
    }

    private static FuzzTarget target(String name) {
        try {
            for (FuzzTarget each : FuzzTargets.all(Files.createTempDirectory("fdt-fuzz"))) {
                if (each.name().equals(name)) {
                    return each;
                }
            }
            throw new IllegalArgumentException("there is no target " + name);
        } catch (IOException e) {
            throw new UncheckedIOException("a temporary directory", e);
        }
    }

    /**
     * Makes the homes of those that read files; loads, and lets Jazzer instrument, what the samples need: that takes
     * longer than an input may.
     */
    public static void fuzzerInitialize() throws IOException {
        for (byte[] sample : Chosen.TARGET.corpus()) {
            fuzzerTestOneInput(sample);
        }
    }

    /** One execution. */
    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        try {
            Chosen.TARGET.run(input);
        } catch (TransferException failure) {
            if (!Chosen.TARGET.expected().contains(failure.kind())) {
                throw failure;
            }
        }
    }

    /** Arguments: target, directory. */
    public static void main(String[] arguments) throws IOException {
        int count = 0;
        for (byte[] sample : target(arguments[0]).corpus()) {
            Files.write(Path.of(arguments[1], "sample-" + count++), sample);
        }
    }
}
