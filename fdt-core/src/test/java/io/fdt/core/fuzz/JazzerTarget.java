package io.fdt.core.fuzz;

import io.fdt.core.failure.TransferException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The entry points that Jazzer finds by their names; nothing of Jazzer is needed to compile them. The property
 * {@code fdt.fuzz.target} selects the target. Run as a program, it writes a target's samples into a directory.
 */
public final class JazzerTarget {
    private JazzerTarget() {}

    /** Initialised at the first execution. */
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
     * Creates the homes of the targets that read files. Loads all classes that the samples need, and lets Jazzer
     * instrument them, because that takes longer than an input may.
     */
    public static void fuzzerInitialize() throws IOException {
        for (byte[] sample : Chosen.TARGET.corpus()) {
            fuzzerTestOneInput(sample);
        }
    }

    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        try {
            Chosen.TARGET.run(input);
        } catch (TransferException failure) {
            if (!Chosen.TARGET.expected().contains(failure.kind())) {
                throw failure;
            }
        }
    }

    /** @param arguments the target and the directory */
    public static void main(String[] arguments) throws IOException {
        int count = 0;
        for (byte[] sample : target(arguments[0]).corpus()) {
            Files.write(Path.of(arguments[1], "sample-" + count++), sample);
        }
    }
}
