package io.fdt.cli.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.ServedFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TransferLogTest {
    private static final int GREEDY = 20_000;
    private static final int HONEST = 100;
    private static final Pattern LOST = Pattern.compile("\"lines_lost\": ?(\\d+)");

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
        int honest = 0;
        int written = 0;
        int lost = 0;
        // Open for reading and writing: opening it does not wait for the other end.
        try (RandomAccessFile opened = new RandomAccessFile(pipe.toFile(), "rw");
                BufferedReader reader = Files.newBufferedReader(pipe, StandardCharsets.UTF_8)) {
            assertThat(opened.getFD().valid()).isTrue();
            TransferLog log = new TransferLog(List.of(new LineFile(pipe)), "dtn1", warning -> {});
            String reason = "\u0001".repeat(1_000);
            for (int i = 0; i < GREEDY; i++) {
                log.onFile("s1", "peer:1", "greedy", failed("f" + i, reason));
            }
            // No smaller than the others: a small one could fit into what is left behind the last of them.
            for (int i = 0; i < HONEST; i++) {
                log.onFile("s2", "peer:2", "honest", failed("honest" + i, reason));
            }
            while (written + lost < GREEDY + HONEST) {
                String line = reader.readLine();
                Matcher counted = LOST.matcher(line);
                if (counted.find()) {
                    lost += Integer.parseInt(counted.group(1));
                } else {
                    written++;
                }
                honest += line.contains("honest") ? 1 : 0;
            }
            log.close();
        }
        assertThat(honest).isEqualTo(HONEST);
        assertThat(lost).as("of lines that together take seven times the room").isGreaterThan(GREEDY / 2);
    }

    private static ServedFile failed(String name, String reason) {
        return new ServedFile(
                new ServedFile.Place(RawPath.ofText(name), null, null),
                true,
                0,
                ServedFile.Moved.NOTHING,
                0,
                new ServedFile.Hashes(null, Map.of()),
                new ServedFile.Result("failed", null, Failure.of(Cause.TARGET, reason)));
    }
}
