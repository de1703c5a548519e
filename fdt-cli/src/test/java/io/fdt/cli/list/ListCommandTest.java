package io.fdt.cli.list;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.CommandRun;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.files.ListObserver;
import io.fdt.core.files.ListObserver.ListedKind;
import io.fdt.core.files.ListPlan;
import io.fdt.core.files.ListSummary;
import io.fdt.core.plan.Cleaning;
import io.fdt.core.plan.RawPath;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ListCommandTest {
    private static ListObserver.Entry entry(String path, ListedKind kind, long bytes, int mode, @Nullable String link) {
        return new ListObserver.Entry(
                RawPath.ofText(path),
                kind,
                bytes,
                mode,
                1_700_000_000,
                500_000_000,
                link == null ? null : RawPath.ofText(link));
    }

    private static CommandRun listing(ListObserver.Entry... entries) {
        CommandRun run = new CommandRun();
        run.engine.listing = observer -> List.of(entries).forEach(observer::onEntry);
        return run;
    }

    @Test
    void listsTheRootsWithoutAPath() {
        CommandRun run = listing(entry("/", ListedKind.DIR, 0, 0755, null));
        assertThat(run.run("ls", "fdt://h:4000")).as(run.err()).isZero();

        assertThat(run.engine.listPlan).isEqualTo(new ListPlan("h", 4000, RawPath.EMPTY, false, false, 30_000));
        assertThat(run.out()).isEqualTo("/\n");
    }

    @Test
    void sortsNamesAndMarksDirectories() {
        CommandRun run = listing(
                entry("b", ListedKind.FILE, 1, 0644, null),
                entry("a.x", ListedKind.FILE, 1, 0644, null),
                entry("a", ListedKind.DIR, 0, 0755, null),
                entry("a/z", ListedKind.LINK, 0, 0777, "b"));
        assertThat(run.run("ls", "-R", "--timeout", "5s", "fdt://h/d"))
                .as(run.err())
                .isZero();

        assertThat(run.engine.listPlan).isEqualTo(new ListPlan("h", 27_321, RawPath.ofText("/d"), true, false, 5_000));
        assertThat(run.out()).isEqualTo("a/\na/z\na.x\nb\n");
    }

    @Test
    void showsModesSizesAndTimesInColumns() {
        CommandRun run = listing(
                entry("f", ListedKind.FILE, 123_456, 04750, null),
                entry("d", ListedKind.DIR, 0, 01777, null),
                entry("l", ListedKind.LINK, 0, 0777, "f"),
                entry("p", ListedKind.OTHER, 0, 0600, null));
        assertThat(run.run("ls", "-l", "fdt://h/")).isZero();

        assertThat(run.out()).isEqualTo("""
                drwxrwxrwt              0 2023-11-14T22:13:20Z d/
                -rwsr-x---         123456 2023-11-14T22:13:20Z f
                lrwxrwxrwx              0 2023-11-14T22:13:20Z l -> f
                orw-------              0 2023-11-14T22:13:20Z p
                """);
    }

    @Test
    void escapesTerminalSequencesInNames() {
        ListObserver.Entry evil =
                entry("\u001b[31mx\n\u202ey\u009b\uDCFF", ListedKind.LINK, 0, 0777, "\u001b]0;t\u0007");
        for (String option : List.of("-l", "-R", "--json")) {
            CommandRun run = listing(evil);
            assertThat(run.run("ls", option, "fdt://h/")).isZero();
            assertThat(run.out().lines()).hasSize(1);
            assertThat(run.out()).doesNotContain("\u001b", "\u202e", "\u009b", "\u0007");
        }
        CommandRun json = listing(evil);
        json.run("ls", "--json", "fdt://h/");
        assertThat(json.lastJson()).containsEntry("path", "\u001b[31mx\n\u202ey\u009b\uDCFF");
    }

    @Test
    void acceptsTimesBeyondTheCalendar() {
        CommandRun run =
                listing(new ListObserver.Entry(RawPath.ofText("f"), ListedKind.FILE, 1, 0, Long.MIN_VALUE, 0, null));
        assertThat(run.run("ls", "-l", "fdt://h/")).as(run.err()).isZero();
        assertThat(run.out()).contains("? f");
        CommandRun json = listing(
                new ListObserver.Entry(RawPath.ofText("f"), ListedKind.FILE, 1, 0, Long.MAX_VALUE, 999_999_999, null));
        assertThat(json.run("ls", "--json", "fdt://h/")).as(json.err()).isZero();
        assertThat(json.out()).contains("\"mtime\":null");
    }

    @Test
    void writesAnObjectForEachEntry() {
        CommandRun run = listing(entry("a", ListedKind.FILE, 7, 0644, null), entry("b", ListedKind.LINK, 0, 0777, "a"));
        assertThat(run.run("ls", "--json", "fdt://h/")).isZero();

        assertThat(run.out()).isEqualTo("""
                {"type":"entry","path":"a","kind":"file","bytes":7,"mtime":"2023-11-14T22:13:20.500Z","mode":"0644"}
                {"type":"entry","path":"b","kind":"link","bytes":0,"mtime":"2023-11-14T22:13:20.500Z","mode":"0777","target":"a"}
                """);
    }

    @Test
    void listsMoreThanItSortsInTheOrderOfTheServer() {
        CommandRun run = new CommandRun();
        int count = 2 * ListView.SORTED_MAX;
        run.engine.listing = observer -> {
            for (int i = count; i > 0; i--) {
                observer.onEntry(entry("f" + i, ListedKind.FILE, 1, 0644, null));
            }
        };
        assertThat(run.run("ls", "fdt://h/")).isZero();
        assertThat(run.out().lines()).hasSize(count).startsWith("f" + count, "f" + (count - 1));
    }

    @Test
    void showsTheSpaceBehindTheEntries() {
        ListObserver.Space space = new ListObserver.Space(RawPath.ofText("/d"), 1L << 40, 4L << 40, 90, 100);
        CommandRun run = listing();
        run.engine.listing = observer -> observer.onSpace(space);
        run.engine.listed = new ListSummary(null, 0, 0, 3, 2 << 20, 0);
        assertThat(run.run("ls", "--space", "fdt://h/d")).isZero();
        assertThat(run.out()).isEqualTo("""
                /d: 1.00 TiB of 4.00 TiB free, 90 of 100 inodes free
                unfinished copies: 3 files, 2.00 MiB
                """);
        CommandRun json = listing();
        json.engine.listing = observer -> observer.onSpace(space);
        json.engine.listed = run.engine.listed;
        assertThat(json.run("ls", "--space", "--json", "fdt://h/d")).isZero();
        assertThat(json.lastJson())
                .containsEntry("type", "space")
                .containsEntry("free_bytes", 1L << 40)
                .containsEntry("free_inodes", 90L)
                .containsEntry("unfinished_bytes", 2L << 20);
    }

    @Test
    void namesWhatCouldNotBeReadAndFails() {
        CommandRun run = listing(entry("a", ListedKind.FILE, 7, 0644, null));
        run.engine.listing = observer -> observer.onUnreadable(
                Failure.of(Cause.UNREADABLE, "permission denied").at("d"));
        run.engine.listed = new ListSummary(Failure.of(Cause.SOURCE, "1 entry could not be read"), 1, 7, 0, 0, 1);
        assertThat(run.run("ls", "--json", "fdt://h/")).isEqualTo(4);
        assertThat(run.errLines()).hasSize(2).first().isEqualTo("fdt: warning: d: permission denied");
        assertThat(run.lastJson()).containsEntry("type", "error").containsEntry("exit_code", 4L);
    }

    @Test
    void cleansWhatIsOldAndTellsOfEachFile() {
        CommandRun run = listing(entry("d/p", ListedKind.FILE, 2048, 0600, null));
        run.engine.listed = new ListSummary(null, 1, 2048, 1, 7, 0);
        var removed = run.engine.listing;
        run.engine.listing = observer -> {
            removed.accept(observer);
            observer.onKept(entry("q", ListedKind.FILE, 7, 0600, null), "is younger than --older");
        };
        assertThat(run.run("clean", "--older", "1h", "/data")).as(run.err()).isZero();
        assertThat(run.engine.listPlan)
                .isEqualTo(
                        new ListPlan("", 0, RawPath.ofText("/data"), true, false, 30_000, new Cleaning(3600, false)));
        assertThat(run.out().lines().toList())
                .satisfiesExactly(
                        line -> assertThat(line).matches("removed d/p \\(2.00 KiB, \\d+ d old\\)"),
                        line -> assertThat(line).matches("kept q: is younger than --older \\(7 B, \\d+ d old\\)"),
                        line -> assertThat(line)
                                .isEqualTo(
                                        "removed 1 file, 2.00 KiB; kept 1 file, 7 B; what changed within 1h is kept"));

        CommandRun json = listing(entry("d/p", ListedKind.FILE, 2048, 0600, null));
        json.engine.listed = new ListSummary(
                Failure.of(Cause.SOME_FILES_FAILED, "1 entry could not be read or removed"), 1, 2048, 0, 0, 1);
        assertThat(json.run("clean", "-n", "--json", "fdt://h/d")).isEqualTo(3);
        assertThat(json.engine.listPlan)
                .isEqualTo(new ListPlan(
                        "h", 27_321, RawPath.ofText("/d"), true, false, 30_000, new Cleaning(7 * 86_400, true)));
        assertThat(json.json().get(0))
                .containsEntry("type", "entry")
                .containsEntry("path", "d/p")
                .containsEntry("outcome", "would_remove")
                .containsEntry("mtime", "2023-11-14T22:13:20.500Z");
        assertThat(json.json().get(1))
                .containsEntry("type", "summary")
                .containsEntry("exit_code", 3L)
                .containsEntry("files", 1L)
                .containsEntry("files_failed", 1L);
        assertThat(json.err()).isEqualTo("fdt: 1 entry could not be read or removed; run it again\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ls | nothing to list; write fdt ls [OPTION…] fdt://HOST[:PORT][/PATH]",
                "ls fdt://a fdt://b | more than one path; write fdt ls [OPTION…] fdt://HOST[:PORT][/PATH]",
                "ls x | 'x': fdt ls lists servers; did you mean 'fdt://x/'?",
                "ls ./x | './x' is local; fdt ls lists servers, fdt://HOST/PATH or USER@HOST:PATH",
                "ls --ssh ssh fdt://h/ | --ssh applies only over ssh; write USER@HOST:PATH",
                "clean | nothing to clean; write fdt clean [OPTION…] DIR, or fdt clean [OPTION…] fdt://HOST[:PORT]/PATH",
                "clean fdt://h | 'fdt://h': no path; write fdt://h/ for everything that the server exports",
                "clean --ssh ssh /d | --ssh applies only over ssh; write USER@HOST:PATH",
                "clean --older soon /d | --older 'soon': not a time; write for example 30s, 5m, 1h30m or 500ms",
                "client fdt://h . | 'fdt://h': no path; write fdt://h/ for everything that the server exports",
            })
    void refusesWhatMakesNoSenseInOneLine(String line, String message) {
        CommandRun run = new CommandRun();
        assertThat(run.run(List.of(line.split(" ", -1)))).isEqualTo(2);
        assertThat(run.err()).isEqualTo("fdt: " + message + "\n");
        assertThat(run.out()).isEmpty();
    }
}
