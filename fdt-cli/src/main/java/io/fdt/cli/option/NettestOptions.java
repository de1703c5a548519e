package io.fdt.cli.option;

import java.util.List;

/** The options of {@code nettest}, in the order of its help. */
public final class NettestOptions {
    private static final Section TEST = new Section("What to measure", true);
    private static final Section TEST_ONCE = TEST.commandLineOnly();

    public static final Option STREAMS = TEST.value(
            "-P, --lanes N",
            "auto",
            "parallel streams each way, 1 to 64; auto is one per core, at least 4, at most 16, and with --via engine"
                    + " what a copy finds");
    public static final Option REVERSE = TEST_ONCE.toggle("--reverse", "the server sends and this end receives");
    public static final Option BIDIR =
            TEST_ONCE.toggle("--bidir", "measure both ways at once, with the same number of streams each way");
    public static final Option DURATION = TEST.value("--duration TIME", "10s", "how long to measure, 100ms to 1d");
    public static final Option WARM_UP = TEST.value(
            "--warm-up TIME",
            "0s",
            "throughput: run this long before --duration begins, without counting it, up to 1h");
    public static final Option RECEIVE = TEST.choice(
            "--receive discard|copy",
            "discard",
            "discard received data inside the kernel if possible, or copy it to the program");
    public static final Option BLOCK =
            TEST.value("--block SIZE", "128KiB", "bytes per write to the network, 4KiB to 16MiB");
    public static final Option TLS =
            TEST.toggle("--tls", "encrypt the lanes; by default they are clear, because they carry no user data");

    public static final Option VIA = TEST.choice(
            "--via lanes|engine",
            "lanes",
            "engine: use everything that copies files, from /dev/zero to /dev/null, encrypted unless"
                    + " --no-tls is given");

    public static final Option SIZES = TEST.value(
            "--sizes LIST",
            "sizes, such as 4,128,1K, or 1..4MiB for powers of two; the default is 4,128,1024 for"
                    + " latency, 100 B to 1 MB for rpc and objects, 1..4MiB for sweep");
    public static final Option ITERATIONS =
            TEST.value("--iterations N", "1000000", "latency: counted round trips of each size");
    public static final Option MESSAGES = TEST.value("--messages N", "1024", "sweep: messages per burst");
    public static final Option BLOCKING = TEST.toggle(
            "--blocking",
            "sweep: measure only one message per call, each waiting until the previous one is handed over");
    public static final Option NONBLOCKING =
            TEST.toggle("--nonblocking", "sweep: measure only many messages per call; by default both are measured");
    public static final Option SWITCH_AT = TEST.value(
            "--switch-at SIZE",
            "sweep over rdma: messages of this size or more wait until the receiver is ready"
                    + " (rendezvous), shorter ones do not (eager); default 16KiB");
    public static final Option REQUEST = TEST.value("--request SIZE", "30", "rpc: size of every request, at least 4");
    public static final Option CONCURRENT = TEST.value(
            "--concurrent N", "1", "rpc, objects: concurrent lanes, each with one request at a time, 1 to 64");
    public static final Option SERVERS = TEST_ONCE.value(
            "--servers HOSTS",
            "rpc: more servers to send requests to at the same time, HOST[:PORT] separated by commas;"
                    + " each gets at least one lane");
    public static final Option BUSY_POLL = TEST.toggle(
            "--busy-poll", "latency, rpc, load: both ends poll for messages without sleeping, which takes a core each");
    public static final Option QP = TEST.choice(
            "--qp rc|ud",
            "latency over rdma: send messages over a separate queue pair, reliable (rc) or datagram"
                    + " (ud), instead of a lane; always busy polling");
    public static final Option INLINE = TEST.value(
            "--inline BYTES",
            "64",
            "latency with --qp: pass messages up to this size to the device inside the request, if the"
                    + " device supports it");

    public static final Option OP =
            TEST.choice("--op read|write", "read", "objects: what to do with randomly chosen objects");
    public static final Option READS = TEST.choice(
            "--reads message|rdma",
            "message",
            "objects over rdma: with rdma, this host's device reads values from the server's memory"
                    + " without the server's CPU");
    // Only on the command line, because the variable FDT_KEY contains the key that admits a client.
    public static final Option KEY = TEST_ONCE.value("--key BYTES", "30", "objects: length of a key, 8 to 255");
    public static final Option OBJECTS = TEST.value(
            "--objects N",
            "auto",
            "objects: number of objects of each size on the server; auto is 10000, but at most 16 MiB of them");
    public static final Option DURABLE = TEST.choice(
            "--durable memory|log",
            "memory",
            "objects: with log, the server answers a write when it is on disk; needs --nettest-log on the server");
    public static final Option KEEP =
            TEST_ONCE.toggle("--keep", "objects: keep what the server's log holds from earlier tests");

    // Only on the command line, because a setting with this name would be ambiguous.
    public static final Option SIZE =
            TEST_ONCE.value("--size SIZE", "100", "load: size of every request and every answer, 64 to 64KiB");
    public static final Option OFFERED = TEST.value(
            "--offered LIST",
            "auto",
            "load: offered requests per second, ascending, such as 10k,20k,50k, or 1k..64k to double"
                    + " each time; auto goes from a tenth of what the path can carry to beyond it");
    public static final Option RX_BUFFERS =
            TEST.value("--rx-buffers LIST", "24,48", "load: maximum messages per receive call, at both ends");
    public static final Option TX_BUFFERS = TEST.value(
            "--tx-buffers LIST",
            "8,32,64",
            "load: maximum unanswered requests, and answers that the server sends at once");

    public static final Option TRANSPORT = CommonOptions.NETWORK.choice(
            "--transport tcp|rdma|auto",
            "auto",
            "transport for the lanes; auto is rdma if both ends have it, otherwise tcp");

    public static final Option PIN = CommonOptions.NETWORK.value(
            "--pin auto|none|nodes|CORES",
            "auto",
            "cores for the lanes, such as 2-5,8; auto chooses cores near the NIC's queues, as fdt tune plans them;"
                    + " nodes measures twice, with lanes on the NIC's NUMA node and on another one");

    public static final Option JSON = CommonOptions.OUTPUT.toggle(
            "--json", "print one JSON object per line to stdout: one a second, then the result");
    public static final Option CSV =
            CommonOptions.OUTPUT_ONCE.value("--csv FILE", "write every second and every stream to this file as CSV");
    public static final Option HISTOGRAM = CommonOptions.OUTPUT_ONCE.toggle(
            "--histogram", "latency: also print the histogram in microseconds with its sum, as CSV");
    public static final Option HDR = CommonOptions.OUTPUT_ONCE.value(
            "--hdr FILE", "latency: write the percentiles as tables of HdrHistogram, one file per size");
    public static final Option VERBOSE =
            CommonOptions.OUTPUT.toggle("-v, --verbose", "also show a line for every stream each second");

    public static final List<Option> ALL = Option.together(
            TEST.options(),
            List.of(TRANSPORT, ClientOptions.BIND, PIN),
            CommonOptions.TOKENS,
            CommonOptions.SOCKETS,
            List.of(CommonOptions.ADDRESSES, CommonOptions.TIMEOUT),
            RdmaOptions.ALL,
            MonitorOptions.OF_CLIENTS,
            List.of(
                    JSON,
                    CSV,
                    HISTOGRAM,
                    HDR,
                    ReportOptions.REPORT.in(CommonOptions.OUTPUT),
                    ReportOptions.COMPARE.in(CommonOptions.OUTPUT)),
            CommonOptions.LOG,
            List.of(VERBOSE, CommonOptions.QUIET, CommonOptions.HELP));

    /** Options for most tests of throughput. */
    public static final List<Option> COMMON = List.of(
            STREAMS,
            REVERSE,
            BIDIR,
            DURATION,
            TLS,
            VIA,
            TRANSPORT,
            JSON,
            ReportOptions.REPORT,
            VERBOSE,
            CommonOptions.QUIET,
            CommonOptions.HELP);

    private NettestOptions() {}
}
