package io.fdt.cli.display;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.console.Console;
import io.fdt.cli.console.LogEvent;
import io.fdt.cli.console.LogLevel;
import io.fdt.core.Json;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.plan.Printable;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each event is one line, whatever its texts contain, as text and as JSON. */
class EventLogTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "logging.md");
    private static final Pattern ROW = Pattern.compile("^\\| `([a-z_]+)` \\| ([a-z]+) \\|.*", Pattern.MULTILINE);
    private static final Instant NOON = Instant.parse("2026-11-22T12:00:00.007Z");

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Console console = new Console(new ByteArrayOutputStream(), err, false);

    private EventLog log(LogLevel level, boolean json, boolean asked) {
        return EventLog.begin(console, new LogForm(level, json, asked), () -> NOON, false);
    }

    private String text() {
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void writesOneJsonObjectWithTheFieldsThatEveryLineHas() {
        log(LogLevel.INFO, true, false)
                .tell(
                        LogEvent.SESSION_START,
                        "s1",
                        "10.0.0.7:5",
                        "session s1 from 10.0.0.7:5: push",
                        new JsonObject().with("what", "push"));

        assertThat(text())
                .isEqualTo("{\"time\":\"2026-11-22T12:00:00.007Z\",\"level\":\"info\",\"event\":\"session_start\","
                        + "\"session\":\"s1\",\"peer\":\"10.0.0.7:5\",\"message\":\"session s1 from 10.0.0.7:5: push\","
                        + "\"what\":\"push\"}\n");
    }

    @ParameterizedTest
    @EnumSource(LogLevel.class)
    void writesOnlyEventsOfItsLevel(LogLevel level) {
        EventLog log = log(level, true, true);
        for (LogEvent event : LogEvent.values()) {
            log.tell(event, null, null, event.word(), new JsonObject());
        }
        List<String> expected = Stream.of(LogEvent.values())
                .filter(event -> event.level().compareTo(level) <= 0)
                .map(LogEvent::word)
                .toList();
        assertThat(text().lines().map(Json::object).map(line -> (String) line.get("event")))
                .containsExactlyElementsOf(expected);
    }

    @Test
    void textLogIsShortByDefault() {
        EventLog defaults = log(LogLevel.INFO, false, false);
        defaults.note(LogEvent.LANE_LOST, "s1", "p", "lane 3 lost", new JsonObject());
        defaults.tell(LogEvent.PEER_REFUSED, null, "p", "refused p: why", new JsonObject());
        assertThat(text()).isEqualTo("fdt: warning: refused p: why\n");

        err.reset();
        EventLog asked = log(LogLevel.INFO, false, true);
        asked.note(LogEvent.LANE_LOST, "s1", "p", "lane 3 lost", new JsonObject());
        asked.note(LogEvent.LANE_JOINED, "s1", "p", "lane 3 joined", new JsonObject());
        assertThat(text()).isEqualTo("fdt: warning: lane 3 lost\n");
    }

    @Test
    void longRunningCommandsPrefixTime() {
        EventLog.begin(console, new LogForm(LogLevel.INFO, false, false), () -> NOON, true)
                .tell(LogEvent.PEER_REFUSED, null, "p", "refused p: why", new JsonObject());
        assertThat(text()).isEqualTo("2026-11-22T12:00:00.007Z fdt: warning: refused p: why\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a\nfdt: session s9 from 10.0.0.1:1 ended ok",
                "a\r\n{\"event\":\"server_stop\"}",
                "\u001b[2J\u001b]0;title\u0007",
                "\u202etxt.exe",
                "\u2028line\u2029paragraph\u0085next",
                "\"},{\"event\":\"x",
                "\uDC80 half a pair",
                "\0\u007f\u009b31m",
            })
    void noTextCanEndALineOrSteerATerminal(String nasty) {
        EventLog json = log(LogLevel.DEBUG, true, true);
        json.tell(LogEvent.PEER_REFUSED, nasty, nasty, "refused " + nasty, new JsonObject().with("reason", nasty));
        console.message(nasty);
        console.warning(nasty);
        assertThat(text().lines()).hasSize(3).allSatisfy(line -> {
            assertThat(Json.object(line)).containsKeys("time", "level", "event", "session", "peer", "message");
            assertThat(line.codePoints()).allMatch(Printable::isPrintable);
        });
        Map<String, Object> first = Json.object(text().lines().findFirst().orElseThrow());
        assertThat(first).containsEntry("event", "peer_refused").containsEntry("reason", nasty);

        ByteArrayOutputStream human = new ByteArrayOutputStream();
        EventLog.begin(
                        new Console(new ByteArrayOutputStream(), human, false),
                        new LogForm(LogLevel.DEBUG, false, true),
                        () -> NOON,
                        false)
                .tell(LogEvent.PEER_REFUSED, null, nasty, "refused " + nasty, new JsonObject());
        String shown = human.toString(StandardCharsets.UTF_8);
        assertThat(shown).endsWith("\n");
        assertThat(shown.substring(0, shown.length() - 1).codePoints()).allMatch(Printable::isPrintable);
    }

    @Test
    void jsonLogHidesProgress() {
        console.redraw("50%");
        err.reset();
        log(LogLevel.INFO, true, false);
        err.reset();
        console.redraw("60%");
        console.message("fdt: two\nlines");
        console.warning("careful");
        console.failure("fdt: no; do better");
        List<Map<String, Object>> lines = text().lines().map(Json::object).toList();
        assertThat(lines).extracting(line -> line.get("event")).containsExactly("message", "warning", "error");
        assertThat(lines)
                .extracting(line -> line.get("message"))
                .containsExactly("two\nlines", "careful", "no; do better");
        assertThat(lines).extracting(line -> line.get("level")).containsExactly("info", "warn", "error");
    }

    @Test
    void theDocumentationHasEveryEventWithItsLevel() throws IOException {
        Map<String, String> documented = new TreeMap<>();
        Matcher rows = ROW.matcher(Files.readString(DOCUMENT));
        while (rows.find()) {
            documented.put(rows.group(1), rows.group(2));
        }
        Map<String, String> known = new TreeMap<>();
        for (LogEvent event : LogEvent.values()) {
            known.put(event.word(), event.shownLevel().word());
        }
        assertThat(documented).isEqualTo(known);
    }
}
