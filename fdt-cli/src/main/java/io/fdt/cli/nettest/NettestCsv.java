package io.fdt.cli.nettest;

import io.fdt.core.FailureKind;
import io.fdt.core.NewFile;
import io.fdt.core.TransferException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Writes the table of a network test's result to a file. What stands in it is its suite's matter. */
final class NettestCsv {
    private NettestCsv() {}

    static void write(Path file, List<String> lines) {
        try {
            NewFile.write(file, (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new TransferException(FailureKind.TARGET, "cannot write " + file + ": " + e.getMessage(), e);
        }
    }
}
