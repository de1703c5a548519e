package io.fdt.cli.copy;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.fdt.cli.CommandRun;
import io.fdt.cli.FakeEngine;
import io.fdt.cli.display.Display;
import io.fdt.cli.display.Displays;
import io.fdt.cli.display.JsonDisplay;
import io.fdt.cli.display.JsonMode;
import io.fdt.cli.display.ProgressTicker;
import io.fdt.cli.display.ProgressView;
import io.fdt.core.Json;
import io.fdt.core.digest.FileHash;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.stats.Moved;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferObserver.FileOutcome;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.InBackground;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClientCommandTest {
    private static String[] copy(String... options) {
        String[] args = new String[options.length + 3];
        args[0] = "client";
        System.arraycopy(options, 0, args, 1, options.length);
        args[args.length - 2] = "a";
        args[args.length - 1] = "fdt://h/b";
        return args;
    }

    @Test
    void writesTransferAsJson() {
        CommandRun run = new CommandRun();
        run.engine.session = observer -> {
            observer.onStart("s1", 4, "epoll, TLSv1.3", "10.0.0.7:27321");
            observer.onFile("a\"\\x1B\n\u2028.dat", FileOutcome.COPIED, 123, null);
            observer.onFile("gone", FileOutcome.FAILED, 7, Failure.of(Cause.SOURCE, "no such file"));
            observer.onWarning("half a pair \uD800 here");
        };
        assertThat(run.run(copy("--json=files"))).isZero();
        assertThat(run.json())
                .containsExactly(
                        Map.of(
                                "type",
                                "start",
                                "session",
                                "s1",
                                "lanes",
                                4L,
                                "transport",
                                "epoll, TLSv1.3",
                                "peer",
                                "10.0.0.7:27321"),
                        Map.of("type", "file", "path", "a\"\\x1B\n\u2028.dat", "outcome", "copied", "bytes", 123L),
                        Map.of(
                                "type",
                                "file",
                                "path",
                                "gone",
                                "outcome",
                                "failed",
                                "bytes",
                                7L,
                                "cause",
                                "source",
                                "place",
                                "local",
                                "errno",
                                Json.NULL,
                                "exit_code",
                                4L,
                                "retry",
                                false,
                                "reason",
                                "no such file"),
                        Map.of("type", "warning", "message", "half a pair ? here"),
                        run.lastJson());
        assertThat(run.out()).endsWith("\n");
        assertThat(run.err()).isEqualTo("fdt: warning: half a pair ? here\n");
    }

    /** Someone who sets it for this command only relies on the summary as much. */
    @Test
    void writesRefusalAsJsonIfVariableRequestsIt() {
        CommandRun run = new CommandRun().environment("FDT_CLIENT_JSON", "true");
        assertThat(run.run("client", "--nope", "a", "fdt://h/b")).isEqualTo(2);
        assertThat(run.lastJson()).containsEntry("type", "summary").containsEntry("exit_code", 2L);
        CommandRun off = new CommandRun().environment("FDT_JSON", "true").environment("FDT_CLIENT_JSON", "false");
        assertThat(off.run("client", "--nope", "a", "fdt://h/b")).isEqualTo(2);
        assertThat(off.out()).isEmpty();
    }

    @Test
    void writesTheSummaryThatTheContractShows() {
        CommandRun run = new CommandRun();
        run.run(copy("--json"));
        assertThat(run.engine.closed).containsExactly("at leisure");
        assertThat(run.out()).isEqualTo("""
                        {"type":"summary","outcome":"ok","exit_code":0,"files":3,"bytes":123,"bytes_sent":123,"bytes_arrived":123,\
                        "bytes_verified":123,"bytes_durable":123,"bytes_final":123,"bytes_resumed":0,"bytes_resent":0,"bytes_kept":0,"kept_exact":true,\
                        "files_skipped":0,"files_failed":0,"files_deleted":0,"lanes":4,\
                        "seconds":1.230000,"bits_per_second":800.0,"digest":"xxh3-128:00ff",\
                        "bottleneck":"target-disk","session":"s1","failed":[],"attempts":1}
                        """);
    }

    @Test
    void showsTheChecksumsOfAFile() {
        CommandRun run = new CommandRun();
        run.engine.session =
                observer -> observer.onFileInPlace("a", FileOutcome.RESUMED, 1, Map.of(FileHash.ADLER32, "00620062"));
        run.run(copy("--json=files"));
        assertThat(run.json())
                .contains(Map.of(
                        "type",
                        "file",
                        "path",
                        "a",
                        "outcome",
                        "resumed",
                        "bytes",
                        1L,
                        "checksums",
                        Map.of("adler32", "00620062")));
    }

    @Test
    void jsonOmitsFilesUnlessRequested() {
        CommandRun run = new CommandRun();
        run.engine.session = observer -> observer.onFile("a", FileOutcome.COPIED, 1, null);
        run.run(copy("--json"));
        assertThat(run.json()).hasSize(1);
    }

    @Test
    void endsWithExactlyOneSummaryEvenWhenTheUsageIsWrong() {
        for (String[] args : new String[][] {
            {"client", "--json", "--lane", "3", "a", "fdt://h/b"},
            {"client", "--json", "a", "b:c"},
            {"client", "--json=x", "a", "fdt://h/b"},
            {"client", "--lanes=0", "--json", "a", "fdt://h/b"}
        }) {
            CommandRun run = new CommandRun();
            assertThat(run.run(args)).isEqualTo(2);
            assertThat(run.json()).hasSize(2);
            assertThat(run.json().get(0))
                    .containsEntry("type", "error")
                    .containsEntry("exit_code", 2L)
                    .containsEntry("cause", "usage");
            assertThat(run.lastJson())
                    .containsEntry("type", "summary")
                    .containsEntry("outcome", "failed")
                    .containsEntry("exit_code", 2L)
                    .containsEntry("bytes", 0L)
                    .containsEntry("bits_per_second", 0.0)
                    .containsEntry("session", Json.NULL);
            assertThat(run.errLines()).hasSize(1);
        }
    }

    @Test
    void endsWithExactlyOneSummaryWhenItCannotConnect() {
        CommandRun run = new CommandRun();
        run.engine.failure = Cause.CANNOT_CONNECT.failure("cannot connect to h:27321: refused");
        assertThat(run.run(copy("--json"))).isEqualTo(8);
        assertThat(run.json().stream().map(one -> one.get("type"))).containsExactly("error", "summary");
        assertThat(run.json().get(0))
                .containsEntry("cause", "cannot-connect")
                .containsEntry("exit_code", 8L)
                .containsEntry("message", "cannot connect to h:27321: refused")
                .containsEntry("remedy", Cause.CANNOT_CONNECT.remedy());
        assertThat(run.err())
                .isEqualTo("fdt: cannot connect to h:27321: refused; " + Cause.CANNOT_CONNECT.remedy() + "\n");
    }

    @ParameterizedTest
    @EnumSource(Cause.class)
    void takesExitCodeAndRemedyFromTheCause(Cause kind) {
        CommandRun run = new CommandRun();
        run.engine.end = FakeEngine.summary(kind, "it went wrong");
        assertThat(run.run(copy("--json"))).isEqualTo(kind.exitCode());
        String outcome = switch (kind) {
            case SOME_FILES_FAILED -> "partial";
            case INTERRUPTED, TERMINATED -> "interrupted";
            default -> "failed";
        };
        assertThat(run.lastJson()).containsEntry("outcome", outcome).containsEntry("exit_code", (long) kind.exitCode());
        assertThat(run.errLines()).hasSize(1);
        assertThat(run.err()).startsWith("fdt: it went wrong");
    }

    @Test
    void showsCopiedAndFailedFilesAsText() {
        CommandRun run = new CommandRun();
        run.engine.end = someFailed();
        assertThat(run.run(copy("--progress=none"))).isEqualTo(3);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).isEqualTo("""
                        fdt: copied 2 files in 2.00 s, verified
                             moved 1.00 GiB over 4 lanes at 4.29 Gbit/s (512 MiB/s)
                             replaced 2 lanes
                             skipped 1 file, already there
                             total 3 files, 3.00 GiB
                             resumed 2.00 GiB
                             resent 128 KiB
                             failed 12 files:
                               dir/a: permission denied
                               and 11 more (all with --json=files)
                             tree digest xxh3-128:00ff
                             bottleneck: source disk
                        fdt: 12 of 15 files failed; all other files are in place; correct what is listed, then run the same command again
                        """);
    }

    @Test
    void showsNoRateForTinyCopy() {
        CommandRun run = new CommandRun();
        assertThat(run.run(copy("--progress=none"))).isZero();
        assertThat(run.errLines()).contains("     moved 123 B over 4 lanes");
    }

    @Test
    void reportsLanesThatWereNotGranted() {
        for (String lanes : List.of("100", "64", "auto")) {
            CommandRun run = new CommandRun();
            run.engine.session = observer -> observer.onStart("s1", 64, "epoll", "h:27321");
            assertThat(run.run(copy("-q", "--json", "-P", lanes))).isZero();
            assertThat(run.json().stream()
                            .map(line -> line.get("type"))
                            .toList()
                            .contains("warning"))
                    .isEqualTo(lanes.equals("100"));
            assertThat(run.out().contains("the server granted 64 of the 100 lanes of -P"))
                    .isEqualTo(lanes.equals("100"));
        }
    }

    @Test
    void suggestsRemedyForPatternWithoutMatches() {
        CommandRun run = new CommandRun();
        run.engine.end = FakeEngine.summary(
                Failure.of(Cause.NO_MATCH, "nothing matches this pattern").at("/d/*.x"));
        assertThat(run.run(copy("-q"))).isEqualTo(4);
        assertThat(run.err())
                .isEqualTo(
                        "fdt: /d/*.x: nothing matches this pattern; correct the pattern; fdt ls shows the names there are\n");
    }

    @Test
    void quietPrintsNothingOnSuccess() {
        CommandRun run = new CommandRun();
        run.engine.session = observer -> observer.onWarning("w");
        assertThat(run.run(copy("--quiet"))).isZero();
        assertThat(run.out() + run.err()).isEmpty();
    }

    private static Summary someFailed() {
        return new Summary(
                Failure.of(Cause.SOME_FILES_FAILED, "12 of 15 files failed"),
                new Summary.Files(
                        3,
                        1,
                        12,
                        0,
                        List.of(new Summary.FailedFile("dir/a", Failure.of(Cause.SOURCE, "permission denied")))),
                new Summary.Bytes(
                        3L << 30,
                        new Moved((1L << 30) + 131_072, 1L << 30, 1L << 30, 1L << 30, 1L << 30),
                        2L << 30,
                        131_072,
                        0,
                        true),
                new Summary.Run("s1", 4, 2, 2_000_000_000L, "source-disk"),
                "xxh3-128:00ff",
                null);
    }

    @Test
    void quietPrintsFailures() {
        CommandRun run = new CommandRun();
        run.engine.end = FakeEngine.summary(Cause.TARGET, "no space left on /x");
        assertThat(run.run(copy("-q"))).isEqualTo(5);
        assertThat(run.err()).isEqualTo("fdt: no space left on /x; " + Cause.TARGET.remedy() + "\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--quiet", "--log-level=warn", "--log-level=error"})
    void listsTheFilesThatFailedEvenWithoutTheFigures(String option) {
        CommandRun run = new CommandRun();
        run.engine.end = someFailed();
        assertThat(run.run(copy(option, "--progress=none"))).isEqualTo(3);
        assertThat(run.errLines())
                .containsExactly(
                        "fdt: failed: dir/a: permission denied",
                        "fdt: failed: and 11 more (all with --json=files)",
                        "fdt: 12 of 15 files failed; " + Cause.SOME_FILES_FAILED.remedy());
        assertThat(run.out()).isEmpty();
    }

    @Test
    void leavesTheListOfWhatFailedToJson() {
        CommandRun run = new CommandRun();
        run.engine.end = someFailed();
        run.run(copy("--json", "--quiet"));
        assertThat(run.errLines()).hasSize(1);
    }

    @Test
    void listsOnStandardOutputWhatADryRunWouldCopy() {
        CommandRun run = new CommandRun();
        run.engine.session = observer -> observer.onFile("a/b", FileOutcome.WOULD_COPY, 2048, null);
        assertThat(run.run(copy("--dry-run"))).isZero();
        assertThat(run.out()).isEqualTo("would copy a/b (2.00 KiB)\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--log-json", "--verbose", "--quiet", "--log-level=error"})
    void listsTheSameHoweverItLogs(String option) {
        CommandRun run = new CommandRun();
        run.engine.session = observer -> {
            observer.onFile("a/b", FileOutcome.WOULD_REPLACE, 2048, null);
            observer.onFile("c", FileOutcome.SKIPPED, 1, null);
            observer.onFile("d/", FileOutcome.WOULD_DELETE, 0, null);
        };
        assertThat(run.run(copy("--dry-run", option))).isZero();
        assertThat(run.out()).isEqualTo("would replace a/b (2.00 KiB)\nwould delete d/\n");
        assertThat(run.err()).doesNotContain("would replace a/b");
    }

    @Test
    void dryRunFailsIfItsListCannotBeWritten() {
        CommandRun run = new CommandRun().toFullDisk();
        run.engine.session = observer -> observer.onFile("a/b", FileOutcome.WOULD_COPY, 2048, null);
        assertThat(run.run(copy("--dry-run"))).isEqualTo(FailureKind.TARGET.exitCode());
    }

    @Test
    void endsADryRunWithTheTotalsOfWhatItWouldDo() {
        CommandRun run = new CommandRun();
        run.engine.end = dryRun();
        assertThat(run.run(copy("--dry-run", "--progress=none"))).isZero();
        assertThat(run.err())
                .isEqualTo("fdt: dry run: would copy 3 files, replace 1, delete 2 and skip 5; 4.00 KiB to copy\n");
        CommandRun json = new CommandRun();
        json.engine.end = dryRun();
        json.run(copy("--dry-run", "--json"));
        assertThat(json.lastJson())
                .containsEntry("files_to_copy", 3L)
                .containsEntry("files_to_replace", 1L)
                .containsEntry("files_to_delete", 2L)
                .containsEntry("bytes_to_copy", 4096L)
                .containsEntry("files_deleted", 0L);
    }

    /** A pushed result would claim that everything was copied, and when. */
    @Test
    void dryRunWritesNoMetrics() throws IOException {
        List<String> pushed = new CopyOnWriteArrayList<>();
        HttpServer gateway = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        gateway.createContext("/", exchange -> {
            pushed.add(exchange.getRequestURI().getPath());
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        gateway.start();
        try {
            String push =
                    "--push=pushgateway://127.0.0.1:" + gateway.getAddress().getPort() + "/j";
            CommandRun dry = new CommandRun();
            dry.engine.end = dryRun();
            assertThat(dry.run(copy("--dry-run", push))).isZero();
            assertThat(pushed).isEmpty();
            assertThat(new CommandRun().run(copy(push))).isZero();
            assertThat(pushed).hasSize(1);
        } finally {
            gateway.stop(0);
        }
    }

    /** A dry run leaves nothing to resume. */
    @Test
    void interruptedDryRunSuggestsRunningAgain() {
        CommandRun run = new CommandRun();
        run.engine.end = dryRun().failedWith(Failure.of(Cause.INTERRUPTED, "interrupted"));
        assertThat(run.run(copy("--dry-run"))).isEqualTo(130);
        assertThat(run.errLines())
                .contains("fdt: interrupted; run it again")
                .noneMatch(line -> line.contains("resume"));
    }

    private static Summary dryRun() {
        Summary.Preview preview = new Summary.Preview(3, 1, 2, 4096);
        return new Summary(
                null,
                new Summary.Files(5, 5, 0, 0, List.of()),
                Summary.Bytes.of(9, new Moved(0, 0, 0, 0, 0)),
                new Summary.Run("s1", 0, 0, 1, "none"),
                "xxh3-128:00ff",
                preview);
    }

    @Test
    void namesSessionAndFilesWhenVerbose() {
        CommandRun run = new CommandRun();
        run.engine.session = observer -> {
            observer.onStart("s1", 1, "nio", "h:27321");
            observer.onFile("a", FileOutcome.FAILED, 1, Failure.of(Cause.SOURCE, "gone"));
        };
        run.run(copy("-v"));
        assertThat(run.errLines()).startsWith("fdt: session s1 with h:27321, 1 lane, nio", "fdt: failed a: gone");
    }

    @Test
    void reportsUnexpectedExceptionAsBugWithTraceIfVerbose() {
        CommandRun run = new CommandRun();
        run.engine.failure = new IllegalStateException("oops");
        assertThat(run.run(copy())).isEqualTo(1);
        assertThat(run.err())
                .isEqualTo(
                        "fdt: unexpected error: java.lang.IllegalStateException: oops; this is a bug in fdt, please report it\n");
        CommandRun verbose = new CommandRun();
        verbose.engine.failure = new IllegalStateException("oops");
        assertThat(verbose.run(copy("--verbose"))).isEqualTo(1);
        assertThat(verbose.err()).contains("\tat io.fdt.cli.");
    }

    @ParameterizedTest
    @EnumSource(
            value = Cause.class,
            names = {"INTERRUPTED", "TERMINATED"})
    void stopsASessionOnASignalWithItsExitCode(Cause kind) throws Exception {
        CommandRun run = new CommandRun();
        run.engine.endless = true;
        var command = InBackground.start(() -> run.run(copy("--json")));
        run.engine.started.await();
        run.signals.raise(kind == Cause.INTERRUPTED ? "INT" : "TERM");
        assertThat(command.result()).isEqualTo(kind.exitCode());
        assertThat(run.engine.interruptedBy).isEqualTo(kind);
        assertThat(run.engine.closed).containsExactly("within 300 ms");
        assertThat(run.err()).contains("run the same command again to resume");
        assertThat(run.lastJson()).containsEntry("outcome", "interrupted").containsEntry("exit_code", (long)
                kind.exitCode());
        assertThat(run.halts).isEmpty();
    }

    @Test
    void secondSignalEndsAtOnceWithSummary() throws Exception {
        CommandRun run = new CommandRun();
        run.engine.endless = true;
        run.engine.deaf = true;
        var command = InBackground.start(() -> run.run(copy("--json")));
        run.engine.started.await();
        run.signals.raise("INT");
        assertThat(run.halts).isEmpty();
        run.signals.raise("INT");
        assertThat(run.halts).containsExactly(130);
        assertThat(run.lastJson())
                .containsEntry("outcome", "interrupted")
                .containsEntry("bytes", 500L)
                .containsEntry("bytes_durable", 400L)
                .containsEntry("bytes_sent", 1_000L);
        // In a real process no thread waits for the session. Here its threads must not outlive the test.
        run.engine.letGo();
        assertThat(command.result()).isEqualTo(130);
    }

    @Test
    void drawsABarOnATerminalAndRemovesItAtTheEnd() throws Exception {
        CommandRun run = new CommandRun().onTerminal().environment("COLUMNS", "90");
        run.engine.endless = true;
        var command = InBackground.start(() -> run.run(copy()));
        run.engine.started.await();
        Await.until("the bar is drawn", () -> run.err().contains("500 B of 1.95 KiB"));
        run.signals.raise("WINCH");
        run.signals.raise("INT");
        assertThat(command.result()).isEqualTo(130);
        assertThat(run.err()).startsWith("\r[##").contains("\r\u001b[Kfdt: copied 3 files");
    }

    @Test
    void statusSignalPrintsProgress() throws Exception {
        CommandRun run = new CommandRun();
        run.engine.endless = true;
        var command = InBackground.start(() -> run.run(copy("--progress=none")));
        run.engine.started.await();
        run.signals.raise("USR1");
        assertThat(run.err())
                .isEqualTo("fdt: 25%  500 B of 1.95 KiB  8.00 kbit/s (0.98 KiB/s)  ETA 0:02  1/4 files  4 lanes\n");
        run.signals.raise("INT");
        assertThat(command.result()).isEqualTo(130);
    }

    @Test
    void givesEachDisplayProgressAtItsOwnInterval() {
        Counter slow = new Counter(1_000);
        Counter fast = new Counter(100);
        Counter none = new Counter(0);
        Displays all = new Displays(List.of(slow, none, fast));
        assertThat(all.progressIntervalMs()).isEqualTo(100);
        for (int i = 0; i < 25; i++) {
            all.onProgress(ProgressView.of(new FakeEngine().progress, 0));
        }
        assertThat(slow.views).isEqualTo(2);
        assertThat(fast.views).isEqualTo(25);
        assertThat(none.views).isZero();
        all.onEnd(FakeEngine.OK);
        all.onEnd(FakeEngine.OK);
        assertThat(slow.ends).isEqualTo(1);
    }

    @Test
    void showsRateByClock() throws Exception {
        Counter display = new Counter(1);
        long[] now = {0};
        long[] moved = {0};
        ProgressTicker ticker = ProgressTicker.start(
                () -> new Progress(
                        new Progress.Files(0, 0, 0, 0),
                        new Progress.Bytes(-1, 0, Summary.Bytes.of(0, new Moved(moved[0] += 1_000, 0, 0, 0, 0))),
                        1,
                        false,
                        0),
                display,
                () -> now[0] += 1_000_000_000L);
        assertThat(display.seen.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        ticker.stop();
        assertThat(display.lastRate).isEqualTo(8_000.0);
        int views = display.views;
        ticker.stop();
        assertThat(display.views).isEqualTo(views);
    }

    @Test
    void dropsWhatHappensAfterTheSummary() {
        CommandRun run = new CommandRun();
        JsonDisplay display = new JsonDisplay(run.context().console(), JsonMode.EVENTS);
        display.onEnd(FakeEngine.OK);
        display.onWarning("late");
        display.onProgress(ProgressView.of(new FakeEngine().progress, 8));
        assertThat(run.json()).hasSize(1);
    }

    @Test
    void writesProgressWithItsUnits() {
        CommandRun run = new CommandRun();
        JsonDisplay display = new JsonDisplay(run.context().console(), JsonMode.EVENTS);
        display.onProgress(ProgressView.of(new FakeEngine().progress, 8e9));
        assertThat(run.out()).as("nothing comes before the start").isEmpty();
        display.onStart("s1", 4, "nio", "h:1");
        display.onProgress(ProgressView.of(new FakeEngine().progress, 8e9));
        display.onProgress(ProgressView.of(
                new Progress(
                        new Progress.Files(0, 0, 0, 0),
                        new Progress.Bytes(-1, 1, Summary.Bytes.of(1, new Moved(1, 1, 1, 1, 1))),
                        1,
                        false,
                        0),
                Double.NaN));
        assertThat(run.out().lines().skip(1))
                .containsExactly(
                        "{\"type\":\"progress\",\"bytes\":500,\"bytes_total\":2000,\"bytes_sent\":1000,"
                                + "\"bytes_arrived\":400,\"bytes_verified\":400,\"bytes_durable\":400,\"bytes_final\":400,"
                                + "\"totals_final\":true,\"files\":1,\"files_total\":4,\"files_skipped\":0,"
                                + "\"files_failed\":0,\"lanes\":4,\"seconds\":1.000,\"bits_per_second\":8000000000.0,"
                                + "\"eta_seconds\":1}",
                        "{\"type\":\"progress\",\"bytes\":1,\"bytes_total\":null,\"bytes_sent\":1,"
                                + "\"bytes_arrived\":1,\"bytes_verified\":1,\"bytes_durable\":1,\"bytes_final\":1,"
                                + "\"totals_final\":false,\"files\":0,\"files_total\":0,\"files_skipped\":0,"
                                + "\"files_failed\":0,\"lanes\":1,\"seconds\":0.000,\"bits_per_second\":0.0,"
                                + "\"eta_seconds\":null}");
    }

    private static final class Counter implements Display {
        private final long intervalMs;
        final CountDownLatch seen = new CountDownLatch(3);
        volatile int views;
        volatile double lastRate;
        int ends;

        Counter(long intervalMs) {
            this.intervalMs = intervalMs;
        }

        @Override
        public long progressIntervalMs() {
            return intervalMs;
        }

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate") // Only one thread increments it.
        public void onProgress(ProgressView view) {
            views++;
            lastRate = view.bitsPerSecond();
            seen.countDown();
        }

        @Override
        public void onRetry(int attempt, Summary failed, long pauseNanos) {}

        @Override
        public void onEnd(Summary summary) {
            ends++;
        }

        @Override
        public void onStart(String session, int lanes, String transport, String peer) {}

        @Override
        public void onFile(String path, FileOutcome outcome, long sizeBytes, @Nullable Failure why) {}

        @Override
        public void onWarning(String message) {}
    }
}
