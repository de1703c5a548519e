package io.fdt.cli.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.control.ServedFile;
import io.fdt.core.plan.RawPath;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TransferLogTest {
    @TempDir
    Path directory;

    /** The log is a pipe that nobody reads yet, so every line waits. */
    @Test
    void linesOfOneKeyLeaveRoomForThoseOfOthers() throws IOException, InterruptedException {
        Path pipe = directory.resolve("log");
        assertThat(new ProcessBuilder("mkfifo", "-m", "600", pipe.toString())
                        .start()
                        .waitFor())
                .isZero();
        // Open for reading and writing: opening it does not wait for the other end.
        try (RandomAccessFile opened = new RandomAccessFile(pipe.toFile(), "rw");
                BufferedReader reader = Files.newBufferedReader(pipe, StandardCharsets.UTF_8)) {
            assertThat(opened.getFD().valid()).isTrue();
            TransferLog log = new TransferLog(pipe, warning -> {});
            String reason = "\u0001".repeat(1_000);
            for (int i = 0; i < 20_000; i++) {
                log.onFile("s1", "peer:1", "greedy", failed("f" + i, reason));
            }
            log.onFile("s2", "peer:2", "honest", failed("last", "no"));
            String line = reader.readLine();
            while (line != null && !line.contains("honest")) {
                line = reader.readLine();
            }
            assertThat(line).contains("last");
            log.close();
        }
    }

    private static ServedFile failed(String name, String reason) {
        return new ServedFile(
                RawPath.ofText(name), true, 0, 0, new ServedFile.Hashes(null, Map.of()), "failed", reason);
    }
}
