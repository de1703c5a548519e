package io.fdt.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.option.ServerOptions;
import io.fdt.core.control.ServerLimits;
import java.lang.reflect.Field;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Numbers in documents are those of the code. */
final class DocumentedLimitsTest {
    private static final String PACKAGE = "io.fdt.core.";

    @Test
    void theDocumentsNameTheDefaultOfSessions() {
        int sessions = ServerLimits.DEFAULT.sessions();
        assertThat(text("security.md")).contains("| sessions | " + sessions + ";");
        assertThat(text("operators.md"))
                .contains("of the server's " + sessions + " sessions as it leaves free: " + sessions / 2 + ",");
    }

    /** The table of limits in docs/security.md: the beginning of a row, and each number that it names. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a message before the client is authenticated | BYTES transport.tcp.TcpLink.UNAUTHENTICATED_MESSAGE_BYTES",
                "a control message | BYTES wire.Bounds.MAX_MESSAGE_BYTES",
                "a control message | NUMBER wire.CborReader.MAX_DEPTH",
                "a control message | NUMBER wire.CborReader.MAX_VALUES",
                "control messages that wait | BYTES control.Session.ENOUGH_WAITING_BYTES",
                "control messages that are not confirmed | BYTES control.ControlChannel.MAX_UNCONFIRMED_BYTES",
                "control messages that are not confirmed | BYTES control.ControlChannel.UNCHARGED_BYTES",
                "control messages that are not confirmed | BYTES control.ControlChannel.MAX_UNCOUNTED_BYTES",
                "time in which a session | HOURS control.ServerLimits.IDLE_MS",
                "reports of an account's process | NUMBER wire.AccountCodec.MAX_VALUES",
                "entries of a transfer | NUMBER transfer.receiving.OfferedEntries.MAX_OPEN_ENTRIES",
                "names, link targets | BYTES transfer.receiving.OfferedEntries.MAX_OFFERED_BYTES",
                "state of arriving | NUMBER transfer.receiving.OfferedEntries.MAX_NODES",
                "state of arriving | NUMBER transfer.receiving.Flusher.MAX_QUEUED",
                "directories of a transfer | BYTES storage.target.DirectoryLog.PAGE_BYTES",
                "directories of a transfer | BYTES storage.target.DirectoryLog.MAX_BYTES",
                "sources of a request | NUMBER plan.TransferPlan.MAX_LISTED",
                "sources of a request | BYTES plan.TransferPlan.MAX_SOURCES_BYTES",
                "`--include` and `--exclude` of a transfer | BYTES plan.TransferPlan.MAX_RULES_BYTES",
                "descriptors of lanes | NUMBER control.Server.LANE_DESCRIPTORS",
                "threads that hash | NUMBER control.ServerLimits.MAX_THREADS",
                "reasons of failed files | NUMBER transfer.Ledger.MAX_LISTED_FAILURES",
                "reasons of failed files | BYTES transfer.Ledger.MAX_LISTED_CHARS",
                "reasons of failed files | NUMBER plan.Printable.SHOWN_MAX_CHARS",
                "names in a request | NUMBER plan.TransferPlan.MAX_NAMES",
                "names in a request | BYTES plan.TransferPlan.MAX_NAMES_BYTES",
                "an xattr; xattrs of an entry | NUMBER wire.Bounds.MAX_ATTRIBUTES",
                "a chunk | BYTES plan.CopyValue.MAX_CHUNK_BYTES",
                "log lines about refused connections | NUMBER control.RefusalLimit.MAX_OF_ADDRESS",
                "log lines about refused connections | NUMBER control.RefusalLimit.MAX_ADDRESSES",
            })
    void theTableOfLimitsHasTheNumbersOfTheCode(String row, String number) throws ReflectiveOperationException {
        assertThat(rows(row)).hasSize(1).allSatisfy(line -> assertThat(line).containsPattern(word(shown(number))));
    }

    /** Sentences with a number that the code has. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "docs/decisions/032-one-budget.md | a session is opened only with % descriptors | NUMBER budget.Resource.DESCRIPTORS",
                "docs/security.md | with % that each session has for itself | NUMBER budget.Resource.DESCRIPTORS",
                "docs/tuning.md | A copy opens % lanes. | WORD plan.LaneRange.FIRST",
                "docs/tuning.md | % for each large file | WORD plan.WorkShares.LANES_OF_A_FILE",
            })
    void sentencesHaveTheNumbersOfTheCode(String document, String sentence, String number)
            throws ReflectiveOperationException {
        String text = Documents.text(Documents.CHECKOUT.resolve(document)).replaceAll("\\s+", " ");
        assertThat(text).contains(sentence.replace("%", shown(number)));
    }

    @Test
    void theTableOfLimitsHasTheDefaultsOfTheOptions() {
        for (var option : List.of(
                ServerOptions.MAX_CONNECTIONS,
                ServerOptions.MAX_UNADMITTED,
                ServerOptions.MAX_LANES,
                ServerOptions.MAX_PATH_BYTES,
                ServerOptions.MAX_PATH_DEPTH,
                ServerOptions.MAX_SESSIONS)) {
            assertThat(text("security.md").lines().filter(line -> line.contains("`" + option.name() + "`")))
                    .as(option.name())
                    .anySatisfy(line -> assertThat(line)
                            .containsPattern(word(String.valueOf(option.value().preset()))));
        }
    }

    private static String word(String number) {
        return "(?<![\\d,.])" + number + "(?!\\d|,\\d)";
    }

    private static List<String> rows(String start) {
        return text("security.md")
                .lines()
                .filter(line -> line.startsWith("| " + start))
                .toList();
    }

    /** Returns a number of the code as documents write it. */
    private static String shown(String unitAndName) throws ReflectiveOperationException {
        String[] parts = unitAndName.split(" ", -1);
        int dot = parts[1].lastIndexOf('.');
        Class<?> type = Class.forName(PACKAGE + parts[1].substring(0, dot));
        Field field = type.getDeclaredField(parts[1].substring(dot + 1));
        field.setAccessible(true);
        Object constant = field.get(null);
        if (constant instanceof Enum<?> resource) {
            var floor = resource.getDeclaringClass().getDeclaredMethod("floor");
            floor.setAccessible(true);
            constant = floor.invoke(resource);
        }
        long value = ((Number) constant).longValue();
        return switch (parts[0]) {
            case "BYTES" -> bytes(value);
            case "HOURS" -> TimeUnit.MILLISECONDS.toHours(value) + " h";
            case "WORD" ->
                List.of("no", "one", "two", "three", "four", "five", "six").get((int) value);
            default -> value < 10_000 ? String.valueOf(value) : String.format(Locale.ROOT, "%,d", value);
        };
    }

    private static String bytes(long value) {
        String[] units = {"bytes", "KiB", "MiB", "GiB"};
        int unit = 0;
        long left = value;
        while (unit < units.length - 1 && left % 1024 == 0) {
            left /= 1024;
            unit++;
        }
        return left + " " + units[unit];
    }

    private static String text(String name) {
        return Documents.text(Documents.CHECKOUT.resolve("docs").resolve(name));
    }
}
