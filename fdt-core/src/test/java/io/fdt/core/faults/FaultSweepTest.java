package io.fdt.core.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every call of a copy may fail. {@link FaultRuns} makes some of them fail, and others with another
 * {@code -Dfdt.seed=…}. {@code -Dfdt.faults=…} sets the number of faults for each of six copies, which
 * have about 10,000 in all.
 */
final class FaultSweepTest {
    private static final int FAULTS = Integer.getInteger("fdt.faults", 15);
    private static final long SEED = Long.getLong("fdt.seed", 1);

    @TempDir
    Path directory;

    @Test
    @Timeout(value = 4, unit = TimeUnit.HOURS)
    void everyCallMayFailOnce() throws Exception {
        FaultLibrary library = FaultLibrary.compile(Path.of(""), directory);
        ProcessBuilder runs = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Djava.io.tmpdir=" + directory,
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        FaultRuns.class.getName(),
                        library.file().toString(),
                        Files.createDirectory(directory.resolve("runs")).toString(),
                        String.valueOf(FAULTS),
                        String.valueOf(SEED))
                .redirectErrorStream(true);
        runs.environment().putAll(library.environment());
        Process process = runs.start();
        List<String> lines;
        try {
            lines = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        } finally {
            process.destroyForcibly();
        }
        assertThat(lines.stream().filter(line -> line.startsWith("FOUND ")).toList())
                .as("-Dfdt.seed=%d", SEED)
                .isEmpty();
        assertThat(process.waitFor()).as("%s", lines).isZero();
        assertThat(lines).filteredOn(line -> line.startsWith("SCENARIO ")).hasSize(6);
    }
}
