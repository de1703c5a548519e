package io.fdt.cli.nettest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fdt.cli.CommandRun;
import io.fdt.cli.Main;
import io.fdt.cli.report.Report;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nettest.stream.LatencySuite;
import io.fdt.core.nettest.stream.SweepSuite;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReportCommandTest {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource({"html,<!doctype html>", "SVG,<?xml"})
    void writesTheFormatThatTheNameAsksFor(String ending, String beginning) throws IOException {
        Path out = directory.resolve("report." + ending);
        CommandRun run = new CommandRun();
        assertThat(run.run("nettest", "report", example("latency"), "--report", out.toString()))
                .as(run.err())
                .isZero();
        String content = Files.readString(out, StandardCharsets.ISO_8859_1);
        assertThat(content).startsWith(beginning);
        assertThat(run.out() + run.err()).isEmpty();
        try (var files = Files.list(directory)) {
            assertThat(files).containsExactly(out);
        }
        Path other = Files.createFile(directory.resolve("other"));
        assertThat(Files.getPosixFilePermissions(out)).isEqualTo(Files.getPosixFilePermissions(other));
    }

    @Test
    void writesThroughALinkAndIntoAPipe() throws Exception {
        Path real = Files.createFile(directory.resolve("real"));
        Path link = Files.createSymbolicLink(directory.resolve("link.svg"), real);
        CommandRun run = new CommandRun();
        assertThat(run.run("nettest", "report", example("rpc"), "--report", link.toString()))
                .as(run.err())
                .isZero();
        assertThat(link).isSymbolicLink();
        assertThat(Files.readString(real)).startsWith("<?xml");

        Path pipe = directory.resolve("pipe.svg");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        Path got = directory.resolve("got");
        Process reader = new ProcessBuilder("cat", pipe.toString())
                .redirectOutput(got.toFile())
                .start();
        try {
            assertThat(run.run("nettest", "report", example("rpc"), "--report", pipe.toString()))
                    .as(run.err())
                    .isZero();
            assertThat(reader.waitFor(Await.LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        } finally {
            reader.destroyForcibly();
        }
        assertThat(got).hasSameBinaryContentAs(real);
    }

    @Test
    void overlaysResultsAndComparisons() throws IOException {
        Path out = directory.resolve("report.html");
        Files.writeString(out, "what was there before");
        CommandRun run = new CommandRun();
        assertThat(run.run(
                        "nettest",
                        "report",
                        example("sweep-a"),
                        example("sweep-a"),
                        "--compare",
                        "vmi/ia64/shared-memory",
                        "--compare",
                        example("sweep-b"),
                        "--report",
                        out.toString()))
                .as(run.err())
                .isZero();
        assertThat(Files.readString(out))
                .contains("\"name\":\"sweep-a\",\"reference\":false", "\"name\":\"sweep-a (2)\",\"reference\":false")
                .contains("\"name\":\"sweep-b\",\"reference\":true", "\"name\":\"vmi\",\"reference\":true")
                .contains("\"name\":\"vmi ia64/shared-memory/mpi-blocking\"")
                .doesNotContain("what was there before");
    }

    /** A test of ten minutes must not fail at its end because the comparison does not exist. */
    @Test
    void checksComparisonAndReportPathBeforeTheTest() {
        Report.checkComparison("vmi/ia32", SweepSuite.SWEEP);
        Report.checkComparison(example("latency"), LatencySuite.LATENCY);
        Report.checkOutput(Path.of("a.svg"));
        assertThatExceptionOfType(TransferException.class)
                .isThrownBy(() -> Report.checkComparison("vmi", LatencySuite.LATENCY))
                .withMessageContaining("published figures for that: verbs-rtt, verbs-rtt-histogram");
        assertThatExceptionOfType(TransferException.class)
                .isThrownBy(() -> Report.checkOutput(Path.of("svg")))
                .withMessageContaining("a report must be .html or .svg");
    }

    @Test
    void namesThePublishedFiguresWithTheirHardware() {
        CommandRun run = new CommandRun();
        assertThat(run.run("nettest", "report", "--list")).isZero();
        assertThat(run.out())
                .contains("fdt-40ge: FDT over one and two 40GE NICs (throughput), November 2010")
                .contains("  hardware: dual Intel Xeon X5670", "\nvmi: ", "\nverbs-rtt: ", "\nbuffer-pools: ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "EXAMPLE | 2 | add --report FILE: fdt nettest report RESULT.json --report OUT.html",
                "--report a.html | 2 | name a result file: fdt",
                "EXAMPLE --report a.pdf | 2 | a report must be .html or .svg, not 'a.pdf'",
                "EXAMPLE --report a.html --compare fdt-40ge | 2 | is of the suite throughput, the result is of latency; published figures for that: verbs-rtt, verbs-rtt-histogram",
                "EXAMPLE --report a.html --compare nobody | 2 | --compare nobody is neither a published figure nor a file",
                "--list EXAMPLE | 2 | --list needs no result files",
                "EXAMPLE --reprot a.html | 2 | did you mean '--report'",
                "/nonexistent.json --report a.html | 4 | there is no file '/nonexistent.json'",
                "/dev/null --report a.html | 4 | '/dev/null' contains no result",
                "EXAMPLE --report /proc/none/a.html | 5 | cannot write the report '/proc/none/a.html': no such file or directory",
            })
    void saysInOneLineWhatWasWrong(String line, int exitCode, String message) {
        List<String> args = new ArrayList<>(List.of("nettest", "report"));
        for (String word : line.split(" ", -1)) {
            args.add(word.equals("EXAMPLE") ? example("latency") : word);
        }
        CommandRun run = new CommandRun();
        assertThat(run.run(args)).as(run.err()).isEqualTo(exitCode);
        assertThat(run.err()).contains(message);
        assertThat(run.errLines()).hasSize(1);
        assertThat(run.out()).isEmpty();
    }

    /** On a host without fonts AWT fails at the first request for a font, and a bundled runtime has no AWT. */
    @ParameterizedTest
    @ValueSource(strings = {"svg", "html"})
    void usesNoFontOfTheHost(String ending) throws Exception {
        Path log = directory.resolve("classes");
        Path out = directory.resolve("report." + ending);
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xlog:class+load:file=" + log,
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "nettest",
                "report",
                example("throughput"),
                "--report",
                out.toString());
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("said").toFile())
                .start();
        try {
            assertThat(process.waitFor(Await.LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue())
                .as(Files.readString(directory.resolve("said")))
                .isZero();
        assertThat(out).isNotEmptyFile();
        String classes = Files.readString(log);
        assertThat(classes).contains(" io.fdt.cli.report.Report ").doesNotContain(" java.awt.");
    }

    private static String example(String name) {
        try {
            return Path.of(Objects.requireNonNull(
                                    ReportCommandTest.class.getResource("/io/fdt/cli/report/" + name + ".json"))
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
