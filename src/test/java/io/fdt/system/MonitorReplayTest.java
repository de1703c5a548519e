package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.fdt.core.Json;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A recorded transfer is replayed by a process that has only the recording. */
final class MonitorReplayTest {
    private static final double AGREES = 0.02;

    @RegisterExtension
    final Workplace work = new Workplace();

    @Test
    @Tag("dashboards")
    void aRecordedTransferIsShownAtAnyTimeOfIt() throws IOException {
        FdtServer server = work.server();
        Path recording = work.path("copy.rec");
        Outcome copied = work.copy(
                        "-P",
                        2,
                        "--record",
                        recording,
                        "--rate-limit",
                        "80Mbit",
                        "--duration",
                        "20s",
                        "/dev/zero",
                        server.url("/dev/null"))
                .expectExit(0);
        // Bytes that are no gzip member.
        Files.write(recording, new byte[] {0, 0, 1, 0, 'D', 1}, StandardOpenOption.APPEND);

        FdtProcess replay =
                work.start("replay", "monitor", "--json", "--replay", recording, "--monitor", "127.0.0.1:0");
        String url = monitorUrl(replay);
        replay.awaitErrorLine(Workplace.LIMIT, line -> line.contains("is damaged; its last 6 bytes are ignored"));
        List<?> samples = (List<?>) Json.value(Browser.get(URI.create(url + "api/history")));
        assertThat(samples).hasSizeGreaterThan(5);

        Browser browser = Browser.start(work);
        browser.look(1400, 1000, "light");
        browser.open(url);
        browser.until("document.getElementById('status')?.dataset.state === 'replay'");
        browser.until("document.querySelector('#ended tbody tr') !== null");
        double bytes = copied.number("bytes");
        assertThat(browser.number("document.querySelector('#ended td[data-name=Moved]').firstChild.value * 1"))
                .isCloseTo(bytes, within(AGREES * bytes));
        assertThat(browser.number("document.querySelector('#cores-here canvas').dataset.rows * 1"))
                .isEqualTo(cores());
        assertThat(browser.evaluate("document.getElementById('status').textContent"))
                .asString()
                .startsWith("Recording of 0:")
                .contains(samples.size() + " samples", "its damaged end is left out");
        browser.until("!document.getElementById('cores-there').hidden");

        // The axis ends at the time that the slider was moved to.
        Map<?, ?> middle = (Map<?, ?>) samples.get(samples.size() / 2);
        browser.evaluate("(() => { const s = document.querySelector('#replay input'); s.value = " + middle.get("t")
                + "; s.dispatchEvent(new Event('input')); })()");
        browser.until("document.querySelector('.session [data-figure=done]')?.value * 1 < " + 0.9 * bytes);
        browser.until("document.querySelectorAll('#lanes tbody tr').length === 2");
        assertThat(browser.requests()).allMatch(asked -> asked.startsWith(url) || asked.equals("about:blank"));
        assertThat(browser.complaints()).isEmpty();

        replay.signal("TERM");
        replay.await(Workplace.LIMIT).expectExit(0);
    }

    @Test
    void nextServerContinuesTheRecordingOfAKilledOne() {
        Path recording = work.path("server.rec");
        FdtServer first = work.server("--record", recording, "--monitor", "127.0.0.1:0");
        String url = monitorUrl(first.process());
        awaitRecorded(url);
        first.process().killHard();
        FdtServer second = work.server("--record", recording, "--monitor", "127.0.0.1:0");
        String again = monitorUrl(second.process());
        List<?> later = awaitRecorded(again);
        second.process().killHard();
        String text = Shell.run("zcat", recording).out();
        assertThat(text.substring(0, text.lastIndexOf('\n')).lines())
                .as("what zcat shows of a recording whose writer was killed")
                .hasSizeGreaterThan(later.size())
                .allMatch(line -> !Json.object(line).isEmpty());

        FdtProcess replay =
                work.start("replay", "monitor", "--json", "--replay", recording, "--monitor", "127.0.0.1:0");
        List<?> all = (List<?>) Json.value(Browser.get(URI.create(monitorUrl(replay) + "api/history")));
        assertThat(all).hasSizeGreaterThan(later.size());
        assertThat(all.contains(later.get(0)))
                .as("what came after the restart is in it")
                .isTrue();
        replay.signal("TERM");
        replay.await(Workplace.LIMIT).expectExit(0);
    }

    /** Returns samples that are certainly in the recording. The last sample of the page may not be. */
    private static List<?> awaitRecorded(String url) {
        List<Object> recorded = new ArrayList<>();
        Await.until("it has samples", Workplace.LIMIT, () -> {
            List<?> shown = (List<?>) Json.value(Browser.get(URI.create(url + "api/history")));
            recorded.addAll(shown.subList(0, Math.max(0, shown.size() - 1)));
            return !recorded.isEmpty();
        });
        return recorded;
    }

    @Test
    void refusesFilesThatAreNoRecording() throws IOException {
        Path letter = work.path("letter");
        Files.writeString(letter, "Dear operator,\n");
        assertThat(work.fdt("monitor", "--replay", letter).expectExit(2).errText())
                .contains("letter is not a recording of --record");
        work.fdt("monitor", "--replay", work.path("absent")).expectExit(4);
        work.fdt("monitor", "--record", letter, "--monitor", "127.0.0.1:0").expectExit(2);
        assertThat(letter).hasContent("Dear operator,\n");
        work.fdt("monitor", "--replay", letter, "--record", work.path("new")).expectExit(2);
    }

    static String monitorUrl(FdtProcess process) {
        String line = process.awaitLine(Workplace.LIMIT, text -> text.contains("\"type\":\"monitor\""));
        return (String) Json.object(line).get("url");
    }

    private static double cores() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/stat"))) {
            return lines.filter(line -> line.matches("cpu[0-9]+ .*")).count();
        }
    }
}
