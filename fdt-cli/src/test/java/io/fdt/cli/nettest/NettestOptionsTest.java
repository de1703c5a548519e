package io.fdt.cli.nettest;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.CommandRun;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan.Direction;
import io.fdt.core.nettest.NettestPlan.Durable;
import io.fdt.core.nettest.NettestPlan.Mode;
import io.fdt.core.nettest.NettestPlan.Op;
import io.fdt.core.nettest.NettestPlan.Reads;
import io.fdt.core.nettest.NettestPlan.Receive;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.nettest.Plans;
import io.fdt.core.nettest.QueueUse;
import io.fdt.core.transport.Carrier;
import io.fdt.core.transport.DeviceQueues.QueueKind;
import io.fdt.core.transport.RdmaUse.Wish;
import io.fdt.rdma.Rdma;
import io.fdt.rdma.RdmaSettings;
import io.fdt.rdma.RdmaSettings.Completions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the options of {@code nettest} mean for the plan. */
class NettestOptionsTest {
    @Test
    void takesEveryOption() {
        CommandRun run = new CommandRun();
        assertThat(run.run(
                        "nettest",
                        "throughput",
                        "-P",
                        "3",
                        "--bidir",
                        "--duration",
                        "500ms",
                        "--warm-up",
                        "2s",
                        "--receive",
                        "copy",
                        "--block",
                        "1M",
                        "--tls",
                        "--timeout",
                        "5s",
                        "[::1]:4000"))
                .isZero();
        assertThat(run.engine.nettestPlan)
                .isEqualTo(Plans.throughput(
                                new NettestPath("::1", 4000, false, List.of(), 5_000),
                                3,
                                Direction.BOTH,
                                500,
                                1 << 20,
                                Receive.COPY)
                        .with(NettestValue.WARM_UP, 2_000));
    }

    @Test
    void accessKeyIsNotUsedAsKeyLength() {
        CommandRun run = new CommandRun().environment("FDT_KEY", "fdt-key:abc");
        assertThat(run.run("nettest", "objects", "dtn2")).isZero();
        assertThat(run.engine.nettestPlan)
                .satisfies(plan -> assertThat(plan.get(NettestValue.KEY_BYTES)).isEqualTo(30));
        assertThat(run.out() + run.err()).doesNotContain("fdt-key:");
    }

    @Test
    void carriesTheOptionsOfObjectsIntoThePlan() {
        CommandRun run = new CommandRun();
        assertThat(run.run(
                        "nettest",
                        "objects",
                        "--op=write",
                        "--key=40",
                        "--sizes=100,1KB,1MiB",
                        "--objects=7",
                        "--concurrent=3",
                        "--durable=log",
                        "--keep",
                        "--duration=2s",
                        "--timeout=5s",
                        "dtn2"))
                .isZero();
        assertThat(run.engine.nettestPlan)
                .isEqualTo(Plans.objects(
                        new NettestPath("dtn2", 27321, true, List.of(), 5_000),
                        Op.WRITE,
                        40,
                        List.of(100, 1000, 1 << 20),
                        7,
                        3,
                        Durable.LOG,
                        true,
                        2_000));
    }

    @Test
    void carriesQueueOptionsIntoThePlan() {
        NettestPath path = new NettestPath("dtn2", 27_321, true, List.of(), 30_000, Carrier.RDMA);
        CommandRun latency = new CommandRun();
        assertThat(latency.run("nettest", "latency", "--transport=rdma", "--qp=ud", "--inline=0", "--sizes=1", "dtn2"))
                .isZero();
        assertThat(latency.engine.nettestPlan)
                .as("who asks a device asks again and again")
                .isEqualTo(Plans.latency(path, List.of(1), 1_000_000, true, new QueueUse(QueueKind.DATAGRAM, 0)));
        CommandRun defaults = new CommandRun();
        assertThat(defaults.run("nettest", "latency", "--transport=rdma", "--qp=rc", "dtn2"))
                .isZero();
        assertThat(defaults.engine.nettestPlan)
                .isEqualTo(Plans.latency(
                        path, List.of(4, 128, 1024), 1_000_000, true, new QueueUse(QueueKind.RELIABLE, 64)));
        CommandRun objects = new CommandRun();
        assertThat(objects.run("nettest", "objects", "--transport=rdma", "--reads=rdma", "--sizes=100", "dtn2"))
                .isZero();
        assertThat(objects.engine.nettestPlan)
                .isEqualTo(Plans.objects(path, 30, List.of(100), 0, 1, 10_000).with(NettestValue.READS, Reads.RDMA));
    }

    @Test
    void carriesTheOptionsOfLoadIntoThePlan() {
        NettestPath path = new NettestPath("dtn2", 27_321, true, List.of(), 30_000);
        CommandRun defaults = new CommandRun();
        assertThat(defaults.run("nettest", "load", "dtn2")).isZero();
        assertThat(defaults.engine.nettestPlan)
                .as("the pools of the published figures")
                .isEqualTo(Plans.load(path, 100, List.of(), List.of(24, 48), List.of(8, 32, 64), 10_000, false));
        CommandRun chosen = new CommandRun();
        assertThat(chosen.run(
                        "nettest",
                        "load",
                        "--size=1K",
                        "--offered=500,1k..6k,1.5M",
                        "--rx-buffers=1",
                        "--tx-buffers=2,1024",
                        "--duration=3s",
                        "--busy-poll",
                        "dtn2"))
                .isZero();
        assertThat(chosen.engine.nettestPlan)
                .isEqualTo(Plans.load(
                        path,
                        1024,
                        List.of(500, 1_000, 2_000, 4_000, 6_000, 1_500_000),
                        List.of(1),
                        List.of(2, 1024),
                        3_000,
                        true));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "nettest | name the server to measure against; write fdt nettest",
                "nettest a b | more than one server; write fdt nettest",
                "nettest load --tls a | the network test load measures clear lanes only; leave --tls out",
                "nettest load --size 63 a | --size '63': out of range; from 64 to 64KiB",
                "nettest load --offered 20k,10k a | the values must ascend; write for example 10k,20k,50k",
                "nettest load --offered 20x a | --offered '20x': not a number of requests per second from 1 to 100M",
                "nettest load --offered 0 a | --offered '0': not a number of requests per second from 1 to 100M",
                "nettest load --offered 8k..8k a | A..B doubles from A up to B",
                "nettest load --rx-buffers 8,8 a | --rx-buffers '8,8': 8 occurs twice",
                "nettest load --tx-buffers 0 a | --tx-buffers '0': not a number from 1 to 16384",
                "nettest load --size 64K --tx-buffers 17 --rx-buffers 1 a | 17 buffers of 64KiB are more than the 1MiB",
                "nettest load --duration 4s a | --duration 4s is too short for 48 steps of at least 100ms each",
                "nettest --tx-buffers 8 a | --tx-buffers is not an option of the network test throughput; it applies"
                        + " to load",
                "nettest --bidir --reverse a | --bidir already measures both ways",
                "nettest --bidir --via engine a | a copy goes one way; leave --bidir or --via engine out",
                "nettest --warm-up 1s --via engine a | a copy has no warm-up; leave --warm-up or --via engine out",
                "nettest --via engine --receive copy a | --receive does not apply to --via engine; leave one out",
                "nettest --via engine --block 1M a | --block does not apply to --via engine; leave one out",
                "nettest --via engine --rdma-wait busy a | --rdma-wait applies only to lanes over RDMA",
                "nettest --transport tcp --rdma-depth 8 a | --rdma-depth applies only to lanes over RDMA",
                "nettest --transport rdma --socket-buffer 1M a | --socket-buffer applies only to lanes over TCP",
                "nettest --transport rdma --congestion bbr a | --congestion applies only to lanes over TCP",
                "nettest latency --rdma-mtu 1024 --transport rdma a | --rdma-mtu applies to queue pairs; add --qp",
                "nettest latency --warm-up 1s a | --warm-up is not an option of the network test latency",
                "nettest -P 65 a | --lanes '65': not a number from 1 to 64, nor auto",
                "nettest --block 1K a | --block '1K': out of range; from 4KiB to 16MiB",
                "nettest --report x.txt a | a report must be .html or .svg",
                "nettest --compare fdt-40ge a | add --report FILE.html",
                "nettest --report x.svg --compare vmi a | is of the suite sweep, the result is of throughput",
                "nettest --report x.svg --compare nobody a | is neither a published figure nor a file",
                "nettest latency --bidir a | --bidir is not an option of the network test latency; it applies to"
                        + " throughput",
                "nettest latency --sizes 64,64 --hdr out.hdr a | --sizes '64,64': 64 occurs twice",
                "nettest sweep --sizes 1..4,2 a | --sizes '1..4,2': 2 occurs twice",
                "nettest latency --sizes 3..8 a | A..B goes from one power of two up to another",
                "nettest sweep --switch-at 16KiB a | --switch-at applies only to --transport rdma",
                "nettest sweep --switch-at 0 --transport rdma a | --switch-at '0': out of range",
                "nettest latency --qp rc a | --qp needs an RDMA device; add --transport rdma",
                "nettest latency --qp xrc --transport rdma a | --qp 'xrc'",
                "nettest latency --inline 4 --transport rdma a | --inline applies to queue pairs; add --qp rc or"
                        + " --qp ud",
                "nettest latency --qp ud --inline 4097 --transport rdma a | --inline '4097': not a number from 0 to"
                        + " 4096",
                "nettest latency --qp rc --sizes 8MiB --transport rdma a | --qp supports messages of up to 4MiB",
                "nettest objects --reads rdma a | --reads rdma needs lanes over RDMA; add --transport rdma",
                "nettest objects --reads rdma --op write --transport rdma a | --reads applies to reads; leave"
                        + " --op write out",
                "nettest objects --reads rdma --objects 1000000 --transport rdma a | supports at most 4194304 objects"
                        + " of all sizes",
                "nettest --transport rdma --tls a | lanes over RDMA are not encrypted; leave --tls out",
                "nettest --transport rdma --via engine a | lanes over RDMA are not encrypted; add --no-tls to --via"
                        + " engine",
                "nettest --rdma-depth 1 a | --rdma-depth '1': not a number from 2 to 768",
                "nettest --rdma-depth 4 --rdma-signal 5 a | --rdma-signal '5': not a number from 1 to 4",
                "nettest --rdma-block 1MB a | --rdma-block '1MB': not a multiple of 128KiB",
                "nettest --rdma-block 16MiB a | --rdma-block '16MiB': out of range",
                "nettest --rdma-block 8MiB --rdma-depth 64 a | this many blocks of that size need more than 1"
                        + " GiB per lane",
                "nettest --rdma-wait soon a | --rdma-wait 'soon': not one of busy, event, adaptive",
                "nettest latency --qp rc --transport rdma --rdma-mtu 1500 a | --rdma-mtu '1500': not a packet size",
                "nettest rpc --request 3 a | --request '3': out of range",
                "nettest rpc --servers b,a a | --servers 'b,a': a:27321 is named twice",
                "nettest rpc --servers b,B:27321 a | B:27321 is named twice",
                "nettest rpc --servers b, a | --servers 'b,': not an address",
                "nettest latency --servers b a | --servers is not an option of the network test latency; it applies to"
                        + " rpc",
                "nettest objects --keep a | --keep needs a log; add --durable log",
                "nettest objects --tls a | the network test objects measures clear lanes only; leave --tls out",
                "nettest objects --sizes 1KB,100 a | sizes must ascend; write for example 100,1KB,10KB",
                "nettest objects --sizes 5MiB a | --sizes '5MiB': out of range",
                "nettest objects --key 7 a | --key '7': not a number from 8 to 255",
                "nettest objects --bidir a | --bidir is not an option of the network test objects",
                "nettest --op write a | --op is not an option of the network test throughput",
                "nettest --pin 1- a | --pin '1-': not auto, none or a list of cores; write for example 0-3,8",
                "nettest a:b:c | 'a:b:c': write an IPv6 address in brackets",
            })
    void refusesWhatMakesNoSense(String line, String message) {
        CommandRun run = new CommandRun();
        assertThat(run.run(line.split(" "))).isEqualTo(2);
        assertThat(run.err()).contains(message);
        assertThat(run.engine.nettestPlan).isNull();
    }

    @ParameterizedTest
    @CsvSource({"tcp, TCP", "rdma, RDMA", "auto, TCP"})
    void carriesTheTransportIntoThePlan(String word, Carrier carrier) {
        CommandRun run = new CommandRun();
        assertThat(run.run("nettest", "sweep", "--transport", word, "dtn2")).isZero();
        assertThat(run.engine.nettestPlan)
                .satisfies(plan -> assertThat(plan.path())
                        .isEqualTo(new NettestPath(
                                "dtn2", 27321, true, List.of(), plan.path().timeoutMs(), carrier)));
    }

    @ParameterizedTest
    @CsvSource({"tcp, TCP", "rdma, RDMA"})
    void goesToAllServersTheSameWay(String word, Carrier carrier) {
        CommandRun run = new CommandRun();
        assertThat(run.run("nettest", "rpc", "--transport", word, "--servers", "b,c", "a"))
                .isZero();
        assertThat(run.engine.nettestPlan)
                .satisfies(plan -> assertThat(plan.servers())
                        .hasSize(3)
                        .extracting(NettestPath::carrier)
                        .containsOnly(carrier));
    }

    @ParameterizedTest
    @CsvSource({
        "nettest a, IF_PRESENT",
        "nettest --transport auto a, PREFERRED",
        "nettest --transport rdma a, REQUIRED",
        "nettest --transport tcp a, NEVER",
        "nettest --rdma-depth 8 a, PREFERRED",
    })
    void wantsRdmaAsMuchAsItIsToldTo(String line, Wish wish) {
        CommandRun run = new CommandRun();
        assertThat(run.run(line.split(" "))).isZero();
        assertThat(run.engine.rdma().wish()).isEqualTo(wish);
    }

    @Test
    void carriesRdmaOptionsIntoTheSettings() {
        CommandRun run = new CommandRun();
        String options = "--rdma-block 1MiB --rdma-depth 16 --rdma-signal 4 --rdma-wait busy --no-rdma-huge-pages"
                + " --rdma-mtu 2048";
        assertThat(run.run(("nettest latency --transport rdma --qp rc " + options + " a").split(" ")))
                .isZero();
        assertThat(run.engine.rdma().provider())
                .isEqualTo(Rdma.provider(RdmaSettings.DEFAULT
                        .withBlocks(16, 22, 4)
                        .withBlockBytes((1 << 20) + RdmaSettings.ROOM_BYTES)
                        .withCompletions(Completions.BUSY_POLL, 20)
                        .withHugePages(false)
                        .withPacketBytes(2048)));
    }

    /** The requested block size applies to every carrier. */
    @ParameterizedTest
    @CsvSource({
        "--block 64KiB, 131072",
        "--block 1MiB, 1048576",
        "--block 1000000, 1048576",
        "--block 16MiB, 8388608",
        "--block 1MiB --rdma-block 256KiB, 262144",
    })
    void blocksOverRdmaAreAsLargeAsAskedFor(String options, int leavesBytes) {
        CommandRun run = new CommandRun();
        assertThat(run.run(("nettest " + options + " a").split(" "))).isZero();
        assertThat(run.engine.rdma().provider())
                .isEqualTo(Rdma.provider(RdmaSettings.DEFAULT.withBlockBytes(leavesBytes + RdmaSettings.ROOM_BYTES)));
    }

    @ParameterizedTest
    @CsvSource({
        "--transport rdma, 16384",
        "--transport rdma --switch-at 1KiB, 1024",
        "--transport tcp, 0",
    })
    void messagesSwitchTheirWayOverRdmaOnly(String options, int switchAtBytes) {
        CommandRun run = new CommandRun();
        assertThat(run.run(("nettest sweep " + options + " a").split(" "))).isZero();
        assertThat(run.engine.nettestPlan)
                .satisfies(plan -> assertThat(plan.get(NettestValue.SWITCH_AT)).isEqualTo(switchAtBytes));
    }

    @Test
    void everySuiteHasTheSizesOfItsPublishedFigures() {
        NettestPath path = new NettestPath("dtn2", 27_321, true, List.of(), 30_000);
        CommandRun latency = new CommandRun();
        assertThat(latency.run("nettest", "latency", "--busy-poll", "dtn2")).isZero();
        assertThat(latency.engine.nettestPlan).isEqualTo(Plans.latency(path, List.of(4, 128, 1024), 1_000_000, true));
        CommandRun rpc = new CommandRun();
        assertThat(rpc.run("nettest", "rpc", "--concurrent", "3", "dtn2")).isZero();
        assertThat(rpc.engine.nettestPlan)
                .isEqualTo(Plans.rpc(path, 30, List.of(100, 1_000, 10_000, 100_000, 1_000_000), 3, 10_000, false));
        CommandRun servers = new CommandRun();
        assertThat(servers.run("nettest", "rpc", "--servers", "dtn3:4000,[::1]", "--sizes", "1", "dtn2"))
                .isZero();
        assertThat(servers.engine.nettestPlan)
                .as("a lane to each")
                .isEqualTo(Plans.rpc(path, 30, List.of(1), 3, 10_000, false)
                        .with(
                                NettestValue.OTHER_SERVERS,
                                List.of(
                                        new NettestPath("dtn3", 4_000, true, List.of(), 30_000),
                                        new NettestPath("::1", 27_321, true, List.of(), 30_000))));
        CommandRun sweep = new CommandRun();
        assertThat(sweep.run("nettest", "sweep", "--sizes", "7,1..4,1KB", "--nonblocking", "dtn2"))
                .isZero();
        assertThat(sweep.engine.nettestPlan)
                .isEqualTo(Plans.sweep(path, List.of(7, 1, 2, 4, 1000), 1024, List.of(Mode.NONBLOCKING), 10_000));
    }
}
