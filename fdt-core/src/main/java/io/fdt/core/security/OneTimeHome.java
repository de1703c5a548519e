package io.fdt.core.security;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.stream.Stream;

/** The directory for identity and key of a server that serves one copy only. No other user can read it. */
public record OneTimeHome(Path directory) implements AutoCloseable {

    public static OneTimeHome create() throws IOException {
        return new OneTimeHome(Files.createTempDirectory(
                "fdt-once", PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))));
    }

    /** Removes the directory with everything that a server put there. */
    @Override
    public void close() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            // What is in a directory comes before it.
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
