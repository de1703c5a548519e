package io.fdt.cli.nettest;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Writes the table of a network test's result to a file. What stands in it is its suite's matter. */
final class NettestCsv {
    private NettestCsv() {}

    static void write(Path file, List<String> lines) {
        try {
            Files.write(file, lines);
        } catch (IOException e) {
            throw new TransferException(FailureKind.TARGET, "cannot write " + file + ": " + e.getMessage(), e);
        }
    }
}
