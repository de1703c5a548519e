package io.fdt.cli.nettest;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.CommandRun;
import io.fdt.cli.display.ProgressView;
import io.fdt.cli.display.SummaryText;
import io.fdt.core.Json;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.host.CoreSet;
import io.fdt.core.host.ThreadCores;
import io.fdt.core.host.tune.NodeCores;
import io.fdt.core.nettest.Circumstances;
import io.fdt.core.nettest.LaneMode;
import io.fdt.core.nettest.NettestObserver;
import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestPlan.Direction;
import io.fdt.core.nettest.NettestPlan.Receive;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.Plans;
import io.fdt.core.nettest.stream.Intervals;
import io.fdt.core.nettest.stream.ThroughputSuite;
import io.fdt.core.nettest.stream.ThroughputSums;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.LaneRange;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.stats.CoreTimes;
import io.fdt.core.stats.HostFacts;
import io.fdt.core.stats.Moved;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.Summary;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.InBackground;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command {@code nettest}: what it runs, prints and writes. */
class NettestCommandTest {
    private static final NettestPlan PLAN = Plans.throughput(
            new NettestPath("dtn2", 27_321, true, List.of(), 30_000),
            8,
            Direction.OUT,
            10_000,
            128 << 10,
            Receive.DISCARD);

    private static final JsonObject SECOND =
            Intervals.figures(1, 8e9, 0, 3, 120, List.of(8e9), new Intervals.Busy(List.of(0.5, 1.0), List.of(0.25)));
    private static final long SECOND_NANOS = 1_000_000_000L;

    private static NettestResult result() {
        return ThroughputSums.result(
                PLAN,
                new Circumstances(
                        "epoll, clear",
                        2,
                        true,
                        new Circumstances.Side(
                                new HostFacts(
                                        "fdt 1",
                                        "a",
                                        "6.1",
                                        new HostFacts.Cpu("cpu \u001b[31m", 8, 4),
                                        new HostFacts.Nic("eth0", 100_000_000_000L, "", 0)),
                                1.5,
                                LaneMode.DIRECT),
                        new Circumstances.Side(
                                new HostFacts("fdt 2", "b", "6.1", new HostFacts.Cpu("cpu", 8, 8), HostFacts.Nic.NONE),
                                3,
                                LaneMode.DIRECT)),
                "discard",
                2_000_000_000L,
                0,
                new ThroughputSums.Rows(
                        List.of(new JsonObject()
                                .with("stream", 0)
                                .with("direction", "out")
                                .with("bytes", 2_000_000_000L)
                                .with("bits_per_second", 8e9, 1)
                                .with("retransmits", 3)
                                .with("rtt_us", 120)
                                .with("cwnd_bytes", 1 << 20)
                                .with("sender_core", 2)
                                .with("incoming_core", 4)
                                .with("core", 5)),
                        ThroughputSums.cores("local", List.of(new CoreTimes(5, 1, 2, 3, 0, 4))),
                        List.of(SECOND)),
                ThroughputSums.verdict("window", "It is the window.", List.of("one", "two")));
    }

    @Test
    void asksForThroughputWithDefaults() {
        CommandRun run = new CommandRun();
        assertThat(run.run("nettest", "dtn2")).isZero();
        assertThat(run.engine.nettestPlan).isEqualTo(PLAN);
    }

    private static int runOn(CommandRun run, Supplier<NodeCores> nodes, String... args) {
        return new NettestCommand(nodes).run(List.of(args), run.context());
    }

    private static NodeCores twoNodes() {
        return new NodeCores("eth0", 1, CoreSet.of(ThreadCores.allowed().first()), ThreadCores.allowed());
    }

    @Test
    void measuresOnTheNodeOfTheNicAndOnAnotherOne() {
        CommandRun run = new CommandRun();
        run.engine.tested = new NettestOutcome(null, result(), 1_230_000_000L, "s1");
        List<String> started = new ArrayList<>();
        run.engine.nettest = observer -> started.add("test");

        assertThat(runOn(run, NettestCommandTest::twoNodes, "--pin", "nodes", "--json", "dtn2"))
                .isZero();
        assertThat(started).hasSize(2);
        assertThat(run.json())
                .filteredOn(line -> line.get("type").equals("result"))
                .hasSize(2);
        assertThat(run.lastJson())
                .containsEntry("type", "nodes")
                .containsEntry("nic", "eth0")
                .containsEntry("faster", "neither");

        CommandRun text = new CommandRun();
        text.engine.tested = run.engine.tested;
        assertThat(runOn(text, NettestCommandTest::twoNodes, "--pin", "nodes", "dtn2"))
                .isZero();
        assertThat(text.out()).contains("lanes on node 1, that of eth0").contains("8.00 Gbit/s");
    }

    @Test
    void saysInOneSentenceThatThereAreNotTwoNodes() {
        CommandRun run = new CommandRun();
        Supplier<NodeCores> one = () -> {
            throw Cause.USAGE.failure("--pin nodes: this host has one NUMA node");
        };

        assertThat(runOn(run, one, "--pin", "nodes", "dtn2")).isEqualTo(2);
        assertThat(run.engine.nettestPlan).isNull();
        assertThat(run.errLines()).singleElement().asString().contains("this host has one NUMA node");
    }

    @Test
    void twoResultsAreNotWrittenToOneFile() {
        CommandRun run = new CommandRun();
        assertThat(runOn(run, NettestCommandTest::twoNodes, "--pin", "nodes", "--csv", "x.csv", "dtn2"))
                .isEqualTo(2);
        assertThat(run.err()).contains("--csv", "measures twice");
    }

    @Test
    void aFailedTestIsNotCompared() {
        CommandRun run = new CommandRun();
        run.engine.failure = Cause.CANNOT_CONNECT.failure("there is no server");

        assertThat(runOn(run, NettestCommandTest::twoNodes, "--pin", "nodes", "dtn2"))
                .isEqualTo(FailureKind.CANNOT_CONNECT.exitCode());
        assertThat(run.out()).doesNotContain("node 1");
    }

    @Test
    void onlyTheThroughputOfANetworkIsCompared() {
        CommandRun run = new CommandRun();
        assertThat(runOn(run, NettestCommandTest::twoNodes, "latency", "--pin", "nodes", "dtn2"))
                .isEqualTo(2);
        assertThat(run.err()).contains("--pin nodes compares the throughput of a network");
    }

    @Test
    void failsIfItsResultCannotBeWritten() {
        CommandRun run = new CommandRun().toFullDisk();
        run.engine.tested = new NettestOutcome(null, result(), 2_000_000_000L, "s1");
        assertThat(run.run("nettest", "dtn2")).isEqualTo(FailureKind.TARGET.exitCode());
    }

    @Test
    void jsonResultIsSelfContained() {
        CommandRun run = new CommandRun();
        run.engine.nettest = observer -> {
            observer.onStart("s1", PLAN, "epoll, clear", "dtn2:27321");
            observer.onInterval(SECOND);
        };
        run.engine.tested = new NettestOutcome(null, result(), 2_000_000_000L, "s1");

        assertThat(run.run("nettest", "--json", "dtn2")).isZero();

        assertThat(run.json())
                .extracting(line -> line.get("type"))
                .containsExactly("start", "interval", "result", "summary");
        Map<String, Object> result = run.json().get(2);
        assertThat(result)
                .containsEntry("suite", "throughput")
                .containsEntry("version", 1L)
                .containsEntry("transport", "tcp")
                .containsEntry("receive", "discard")
                .containsEntry("streams", 8L)
                .containsKeys("at", "software", "local", "remote", "options", "per_stream", "per_core", "intervals")
                .containsKeys("bits_per_second_out", "bits_per_second_in", "bits_per_second", "seconds", "verdict")
                .containsKeys("cpu_seconds_local", "cpu_seconds_remote", "cpu_seconds_per_gb_local");
        assertThat(((Number) result.get("bits_per_second")).doubleValue()).isEqualTo(8e9);
        assertThat(((Number) result.get("cpu_seconds_per_gb_local")).doubleValue())
                .isEqualTo(0.75);
        assertThat(run.lastJson()).as("what became of the bytes of its rate").containsEntry("receive", "discard");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void tableIsDataAndSecondsAreProgress() {
        CommandRun run = new CommandRun();
        run.engine.nettest = observer -> observer.onInterval(SECOND);
        run.engine.tested = new NettestOutcome(null, result(), 2_000_000_000L, "s1");

        assertThat(run.run("nettest", "dtn2")).isZero();

        assertThat(run.out())
                .contains(
                        "sum     8.00 Gbit/s",
                        " in 2.00 s, discarded\n",
                        "receive discard: ",
                        "limit   It is the window.",
                        "- two",
                        "of which 4 are allowed")
                .doesNotContain("\u001b");
        assertThat(run.out().lines().map(line -> line.substring(0, Math.min(3, line.length()))))
                .as("first the rate, then the verdict")
                .containsSubsequence("sum", "out", "in ", "lim", "CPU", "rec");
        assertThat(run.err()).contains("8.00", "3 retransmits", "busiest core here 100 %, there 25 %");
    }

    @Test
    void interruptedTestShowsItsResult() throws Exception {
        CommandRun run = new CommandRun();
        run.engine.endless = true;
        run.engine.tested = new NettestOutcome(null, result(), 2_000_000_000L, "s1");
        var command = InBackground.start(() -> run.run("nettest", "--json", "dtn2"));
        assertThat(run.engine.started.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS))
                .isTrue();
        run.signals.raise("INT");

        assertThat(command.result()).isEqualTo(130);
        assertThat(run.engine.interruptedBy).isEqualTo(Cause.INTERRUPTED);
        assertThat(run.json()).extracting(line -> line.get("type")).containsExactly("result", "error", "summary");
        assertThat(run.lastJson()).containsEntry("outcome", "interrupted").containsEntry("exit_code", 130L);
    }

    @Test
    void engineIsMeasuredByTheCopyThatClientMakes() {
        CommandRun run = new CommandRun();
        run.engine.session = observer -> observer.onStart("s1", 3, "epoll, TLS", "dtn2:27321");
        assertThat(run.run("nettest", "--json", "--via", "engine", "-P", "3", "--reverse", "dtn2"))
                .isZero();

        TransferPlan plan = run.engine.plan().request();
        assertThat(plan.direction()).isEqualTo(TransferPlan.Direction.PULL);
        assertThat(plan.sources()).containsExactly(TransferPlan.DEV_ZERO);
        assertThat(plan.target()).isEqualTo(TransferPlan.DEV_NULL);
        assertThat(plan.get(CopyValue.ZEROS).nanos()).isEqualTo(10_000_000_000L);
        assertThat(plan.get(CopyValue.LANES)).isEqualTo(LaneRange.fixed(3));
        assertThat(plan.get(CopyValue.CLEAR_LANES)).isFalse();
        Map<String, Object> result = run.json().get(1);
        assertThat(result).containsEntry("receive", "engine").containsEntry("via", "engine");
        assertThat(result).as("not told").containsEntry("cpu_seconds_remote", Json.NULL);
        assertThat(((Number) result.get("bytes_in")).longValue()).isEqualTo(123);

        CommandRun clear = new CommandRun();
        assertThat(clear.run("nettest", "-q", "--via", "engine", "--no-tls", "dtn2"))
                .isZero();
        assertThat(clear.engine.plan().request().get(CopyValue.CLEAR_LANES)).isTrue();
        assertThat(clear.engine.plan().request().get(CopyValue.LANES).isFixed())
                .as("it finds the number itself")
                .isFalse();
        assertThat(clear.out()).contains("unknown there");
    }

    /** A copy does not tell what TCP does, and a zero would say that nothing is lost. */
    @Test
    void engineTestHasNoFiguresOfTcp(@TempDir Path directory) throws Exception {
        List<JsonObject> seconds = new ArrayList<>();
        NettestObserver observer = new NettestObserver() {
            @Override
            public void onInterval(JsonObject second) {
                seconds.add(second);
            }
        };
        Progress.Bytes sent = new Progress.Bytes(-1, 0, Summary.Bytes.of(0, new Moved(1_000_000_000, 0, 0, 0, 0)));
        Progress progress = new Progress(Progress.NONE.files(), sent, 1, false, SECOND_NANOS);
        new NettestRun(PLAN, LaneRange.fixed(1), observer).onProgress(ProgressView.of(progress, 8e9));
        assertThat(seconds).singleElement().satisfies(second -> {
            assertThat(second.values()).containsEntry("retransmits", null).containsEntry("rtt_us", null);
            assertThat(ThroughputSuite.THROUGHPUT.lines(second, true))
                    .singleElement()
                    .asString()
                    .contains("out     8.00  in     0.00 Gbit/s  busiest core here");
        });

        CommandRun run = new CommandRun();
        run.engine.session = started -> started.onStart("s1", 3, "epoll, TLS", "dtn2:27321");
        Path csv = directory.resolve("out.csv");
        assertThat(run.run("nettest", "-q", "--via", "engine", "--csv", csv.toString(), "dtn2"))
                .isZero();
        assertThat(Files.readAllLines(csv))
                .filteredOn(line -> line.startsWith("sum"))
                .singleElement()
                .asString()
                .endsWith(",0,,,");
    }

    /** A rate of zero in metrics and files would describe a path that was never measured. */
    @Test
    void engineTestWithoutAServerHasNoResult(@TempDir Path directory) {
        CommandRun run = new CommandRun();
        run.engine.end = SummaryText.withoutSession(Cause.CANNOT_CONNECT.failure("nobody there"));
        Path csv = directory.resolve("out.csv");
        assertThat(run.run("nettest", "--json", "--via", "engine", "--csv", csv.toString(), "dtn2"))
                .isEqualTo(8);
        assertThat(run.json()).noneMatch(line -> "result".equals(line.get("type")));
        assertThat(csv).doesNotExist();
    }

    @Test
    void failureHasItsCode() {
        CommandRun run = new CommandRun();
        run.engine.failure = Cause.CANNOT_CONNECT.failure("nobody there");
        assertThat(run.run("nettest", "--json", "dtn2")).isEqualTo(8);
        assertThat(run.lastJson()).containsEntry("exit_code", 8L).containsEntry("outcome", "failed");
        assertThat(run.err()).contains("nobody there");
    }

    @Test
    void writesCsvOrReportsTheFailure(@TempDir Path directory) throws Exception {
        CommandRun run = new CommandRun();
        run.engine.tested = new NettestOutcome(null, result(), 2_000_000_000L, "s1");
        Path file = directory.resolve("out.csv");
        assertThat(run.run("nettest", "-q", "--csv", file.toString(), "dtn2")).isZero();
        assertThat(Files.readAllLines(file))
                .contains(
                        "interval,1.000,,,,8000000000,0,3,120,",
                        "stream,2.000,0,out,2000000000,8000000000,0,3,120,1048576",
                        "sum,2.000,,,2000000000,8000000000,0,3,,");
        assertThat(run.run("nettest", "-q", "--csv", directory + "/no/such/dir", "dtn2"))
                .isEqualTo(5);
        assertThat(run.out()).contains("sum     ");
    }

    @Test
    void writesReportOrReportsTheFailure(@TempDir Path directory) throws Exception {
        CommandRun run = new CommandRun();
        run.engine.tested = new NettestOutcome(null, result(), 2_000_000_000L, "s1");
        Path file = directory.resolve("out.svg");
        assertThat(run.run("nettest", "-q", "--report", file.toString(), "--compare", "fdt-40ge", "dtn2"))
                .isZero();
        assertThat(Files.readString(file)).contains("this run", "fdt-40ge");
        assertThat(run.run("nettest", "-q", "--report", directory + "/no/such/dir.svg", "dtn2"))
                .isEqualTo(5);
        assertThat(run.out()).contains("sum     ");
    }
}
