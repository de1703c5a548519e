package io.fdt.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The built jar starts, and knows what it is. */
final class VersionTest {
    private static final Path JAR = Path.of(System.getProperty("fdt.jar"));

    @Test
    void printsNameAndVersion() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-jar",
                        JAR.toString(),
                        "--version")
                .redirectErrorStream(true)
                .start();
        String printed = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(printed).isZero();
        assertThat(printed).matches("fdt \\d+\\.\\d+\\.\\d+\\S*\n");
    }
}
