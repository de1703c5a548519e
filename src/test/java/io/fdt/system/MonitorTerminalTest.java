package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code --tui} on a terminal: the screen at two sizes, and the restored terminal afterwards. */
@Order(5)
final class MonitorTerminalTest {
    private static final Path PYTHON = Path.of("/usr/bin/python3");
    private static final String FIRST_SCREEN_AGAIN = "\u001b[?25h\u001b[?1049l";

    @RegisterExtension
    final Workplace work = new Workplace();

    @ParameterizedTest
    @CsvSource({"q, 0", "^C, 130"})
    void showsTheCoresAndLeavesTheTerminalAsItWas(String key, int exitCode) throws IOException {
        Map<String, Object> seen = onTerminal(key, ".*", "monitor", "--tui");

        List<String> first = lines(seen.get("first"));
        assertThat(first.get(0)).contains("busy ", "softirq ", "q quits");
        assertThat(first.get(1)).contains("core", "user", "sys", "sirq", "iow");
        long rows;
        try (Stream<String> lines = Files.lines(Path.of("/proc/stat"))) {
            rows = lines.filter(line -> line.matches("cpu[0-9]+ .*")).count();
        }
        assertThat(first.stream().filter(line -> line.matches(" *[0-9]+ .*%.*")).count())
                .as("cores in %s", first)
                .isBetween(1L, rows);
        assertThat(first).anyMatch(line -> line.startsWith("NIC "));
        assertThat(lines(seen.get("second"))).hasSizeLessThanOrEqualTo(20).allMatch(line -> line.length() <= 60);

        assertThat(seen.get("exit")).isEqualTo((long) exitCode);
        assertThat((String) seen.get("last")).contains(FIRST_SCREEN_AGAIN);
        assertThat(seen.get("changed")).as("keys came one by one and unseen").isEqualTo(true);
        assertThat(seen.get("restored")).isEqualTo(true);
    }

    @Test
    void aCopysViewShowsItsSessionAndQLeavesTheCopyRunning() throws IOException {
        FdtServer server = work.rootlessServer("127.0.0.1:0", work.directory());
        Map<String, Object> seen = onTerminal(
                "q",
                "c1 copy .*bit/s .*",
                "client",
                "--tui",
                "--duration",
                "45s",
                "--rate-limit",
                "20MB/s",
                "-P",
                "2",
                "/dev/zero",
                "fdt://127.0.0.1:" + server.port() + "/dev/null");

        assertThat(lines(seen.get("first")).get(0)).contains("q closes this view");
        assertThat(seen.get("exit")).isEqualTo(0L);
        assertThat((String) seen.get("last")).contains(FIRST_SCREEN_AGAIN);
        assertThat(((String) seen.get("last")).split("1049l", 2)[1]).contains("copied 1 file");
        assertThat(seen.get("restored")).isEqualTo(true);
    }

    @Test
    void showsTheSessionsOfAServerThatIsMonitored() throws IOException {
        FdtServer server = work.rootlessServer("127.0.0.1:0", work.directory(), "--monitor", "127.0.0.1:0");
        FdtProcess copy = work.start(
                "copy",
                "client",
                "--duration",
                "10m",
                "--rate-limit",
                "20MB/s",
                "/dev/zero",
                "fdt://127.0.0.1:" + server.port() + "/dev/null");
        Map<String, Object> seen = onTerminal(
                "q", "s1 copy .*bit/s .*", "monitor", "--tui", MonitorReplayTest.monitorUrl(server.process()));

        assertThat(lines(seen.get("first")).get(0)).contains("q quits");
        assertThat(seen.get("exit")).isEqualTo(0L);
        assertThat(seen.get("restored")).isEqualTo(true);
        copy.signal("INT");
        copy.await(Workplace.LIMIT).expectExit(130);
    }

    @ParameterizedTest
    @CsvSource({
        "add --tui, monitor http://127.0.0.1:27322/",
        "is not the address of a monitor's page, monitor --tui http://127.0.0.1:27322/metrics",
        "--record is not for the page of another process, monitor --tui --record x.rec dtn1:27322",
        "one page at a time, monitor --tui dtn1:27322 dtn2:27322"
    })
    void refusesWhatItCannotShow(String message, String command) {
        Outcome outcome = work.fdt((Object[]) command.split(" ", -1)).expectExit(2);
        assertThat(outcome.errText()).contains(message);
    }

    @Test
    void saysWhatItNeedsWhereThereIsNoTerminal() {
        Outcome outcome = work.fdt("monitor", "--tui").expectExit(2);
        assertThat(outcome.errText()).contains("--tui needs a terminal");
        assertThat(outcome.err()).hasSize(1);
        assertThat(outcome.out()).as("not a byte that a terminal would obey").isEmpty();
    }

    /** A line of the second screen matches the pattern: until then the command goes on. */
    private Map<String, Object> onTerminal(String key, String pattern, Object... words) throws IOException {
        work.environment("TERM", "xterm-256color");
        Path script = work.path("terminal.py");
        try (InputStream in = MonitorTerminalTest.class.getResourceAsStream("terminal.py")) {
            Files.write(script, in.readAllBytes());
        }
        FdtProcess.Setup fdt = work.setup("tui", words);
        List<String> command = new ArrayList<>(List.of(PYTHON.toString(), script.toString(), key, pattern));
        command.addAll(fdt.command());
        Outcome outcome = work.track(
                        FdtProcess.start(new FdtProcess.Setup("tui", command, fdt.environment(), fdt.directory())))
                .await(Workplace.LIMIT)
                .expectExit(0);
        return Json.object(outcome.out().get(0));
    }

    private static List<String> lines(Object list) {
        return ((List<?>) list).stream().map(String.class::cast).toList();
    }
}
