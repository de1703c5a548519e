package io.fdt.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code java -jar} and the launcher of the packages give Java the same options. */
final class QuickStartTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "server --root /data",
                "server --for-ssh --quiet",
                "server --for-ssh=hashing --quiet",
                "monitor host",
                "client from to",
                "client --digest sha256 from to",
                "nettest host",
                "verify from to",
                "batch fdt://host",
                "ls host"
            })
    void optionsAreThoseOfTheLauncher(String line) throws IOException, InterruptedException {
        List<String> words = List.of(line.split(" "));
        Path jar = install();
        List<String> expected = new ArrayList<>(QuickStart.options(words));
        expected.addAll(List.of("-Dfdt.libraries=" + jar.resolveSibling("native"), "-jar", jar.toString()));
        expected.addAll(words);
        assertThat(givenToJava(words)).isEqualTo(expected);

        Path archive = Files.createFile(jar.resolveSibling("fdt.jsa"));
        Files.writeString(directory.resolve("java/release"), "JAVA_VERSION=\"17.0.15\"\n");
        expected = new ArrayList<>(QuickStart.options(words));
        expected.addAll(QuickStart.optionsWithArchive(words.get(0)));
        expected.addAll(List.of("-XX:SharedArchiveFile=" + archive, "-Dfdt.libraries=" + jar.resolveSibling("native")));
        expected.addAll(List.of("-cp", jar.toString(), Main.class.getName()));
        expected.addAll(words);
        assertThat(givenToJava(words)).isEqualTo(expected);

        Files.writeString(directory.resolve("java/release"), "JAVA_VERSION=\"22.0.1\"\n");
        assertThat(givenToJava(words)).contains("-jar").doesNotContain("-cp", "-XX:ArchiveRelocationMode=0");
    }

    /** Java would open its own files as descriptor 0, and a copy of standard input would send one of these. */
    @Test
    void aClosedStandardInputStaysUnreadable() throws IOException, InterruptedException {
        install();
        Files.writeString(directory.resolve("java/bin/java"), """
                #!/bin/sh
                readlink /proc/$$/fd/0
                cat
                """);
        String launcher = "FDT_JAVA_HOME=java sh bin/fdt client - fdt://host/x";

        assertThat(output(launcher + " <&- 2>&1 | sed 's/.*: /cat: /'"))
                .containsExactly("/dev/null", "cat: Bad file descriptor");
        assertThat(output("echo text | " + launcher)).hasSize(2).endsWith("text");
        assertThat(output(launcher + " </dev/null")).containsExactly("/dev/null");
    }

    private List<String> output(String script) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", script).directory(directory.toFile());
        builder.environment().put("LC_ALL", "C");
        return linesOf(builder.redirectError(ProcessBuilder.Redirect.INHERIT).start());
    }

    /** Returns the jar of an installation whose Java prints its arguments. */
    private Path install() throws IOException {
        Path java = Files.createDirectories(directory.resolve("java/bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwx------"));
        Path launcher = Files.createDirectories(directory.resolve("bin")).resolve("fdt");
        Files.copy(Documents.CHECKOUT.resolve("scripts/package-src/fdt"), launcher);
        return Files.createFile(
                Files.createDirectories(directory.resolve("lib")).resolve("fdt.jar"));
    }

    private List<String> givenToJava(List<String> words) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("sh", directory.resolve("bin/fdt").toString()));
        command.addAll(words);
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("FDT_JAVA_HOME", directory.resolve("java").toString());
        builder.environment().remove("FDT_JAVA_OPTIONS");
        return linesOf(builder.start());
    }

    private static List<String> linesOf(Process process) throws IOException, InterruptedException {
        List<String> given = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        assertThat(process.waitFor()).isZero();
        return given;
    }
}
