package io.fdt.cli.option;

import java.util.List;

/** The options of {@code nettest}, in the order of its help. */
public final class NettestOptions {
    private static final String TEST = "What to measure";

    public static final Option STREAMS = Option.value(
                    "--lanes",
                    "N",
                    "auto",
                    "parallel streams each way, 1 to 64; auto is one per core, at least 4, at most 16")
            .shortName("-P")
            .in(TEST);
    public static final Option REVERSE = Option.toggle("--reverse", false, "the server sends and this end receives")
            .commandLineOnly()
            .in(TEST);
    public static final Option BIDIR = Option.toggle(
                    "--bidir", false, "measure both ways at once, with the same number of streams each way")
            .commandLineOnly()
            .in(TEST);
    public static final Option DURATION = Option.value("--duration", "TIME", "10s", "how long to measure, 100ms to 1d")
            .in(TEST);
    public static final Option WARM_UP = Option.value(
                    "--warm-up",
                    "TIME",
                    "0s",
                    "throughput: run this long before --duration begins, without counting it, up to 1h")
            .in(TEST);
    public static final Option RECEIVE = Option.choice(
                    "--receive",
                    "discard",
                    List.of("discard", "copy"),
                    "discard received data inside the kernel if possible, or copy it to the program")
            .in(TEST);
    public static final Option BLOCK = Option.value(
                    "--block", "SIZE", "128KiB", "bytes per write to the network, 4KiB to 16MiB")
            .in(TEST);
    public static final Option TLS = Option.toggle(
                    "--tls", false, "encrypt the lanes; by default they are clear, because they carry no user data")
            .in(TEST);

    public static final Option VIA = Option.choice(
                    "--via",
                    "lanes",
                    List.of("lanes", "engine"),
                    "engine: use everything that copies files, from /dev/zero to /dev/null, encrypted unless"
                            + " --no-tls is given")
            .in(TEST);

    public static final Option SIZES = Option.value(
                    "--sizes",
                    "LIST",
                    null,
                    "sizes, such as 4,128,1K, or 1..4MiB for powers of two; the default is 4,128,1024 for"
                            + " latency, 100 B to 1 MB for rpc and objects, 1..4MiB for sweep")
            .in(TEST);
    public static final Option ITERATIONS = Option.value(
                    "--iterations", "N", "1000000", "latency: counted round trips of each size")
            .in(TEST);
    public static final Option BUSY_POLL = Option.toggle(
                    "--busy-poll",
                    false,
                    "latency, rpc, load: both ends poll for messages without sleeping, which takes a core each")
            .in(TEST);
    public static final Option QP = Option.choice(
                    "--qp",
                    null,
                    List.of("rc", "ud"),
                    "latency over rdma: send messages over a separate queue pair, reliable (rc) or datagram"
                            + " (ud), instead of a lane; always busy polling")
            .in(TEST);
    public static final Option INLINE = Option.value(
                    "--inline",
                    "BYTES",
                    "64",
                    "latency with --qp: pass messages up to this size to the device inside the request, if the"
                            + " device supports it")
            .in(TEST);
    public static final Option REQUEST = Option.value(
                    "--request", "SIZE", "30", "rpc: size of every request, at least 4")
            .in(TEST);
    public static final Option CONCURRENT = Option.value(
                    "--concurrent",
                    "N",
                    "1",
                    "rpc, objects: concurrent lanes, each with one request at a time, 1 to 64")
            .in(TEST);

    public static final Option SERVERS = Option.value(
                    "--servers",
                    "HOSTS",
                    null,
                    "rpc: more servers to send requests to at the same time, HOST[:PORT] separated by commas;"
                            + " each gets at least one lane")
            .commandLineOnly()
            .in(TEST);

    public static final Option MESSAGES =
            Option.value("--messages", "N", "1024", "sweep: messages per burst").in(TEST);
    public static final Option BLOCKING = Option.toggle(
                    "--blocking",
                    false,
                    "sweep: measure only one message per call, each waiting until the previous one is handed over")
            .in(TEST);
    public static final Option NONBLOCKING = Option.toggle(
                    "--nonblocking", false, "sweep: measure only many messages per call; by default both are measured")
            .in(TEST);
    public static final Option SWITCH_AT = Option.value(
                    "--switch-at",
                    "SIZE",
                    null,
                    "sweep over rdma: messages of this size or more wait until the receiver is ready"
                            + " (rendezvous), shorter ones do not (eager); default 16KiB")
            .in(TEST);
    public static final Option OP = Option.choice(
                    "--op", "read", List.of("read", "write"), "objects: what to do with randomly chosen objects")
            .in(TEST);
    public static final Option READS = Option.choice(
                    "--reads",
                    "message",
                    List.of("message", "rdma"),
                    "objects over rdma: with rdma, this host's device reads values from the server's memory"
                            + " without the server's CPU")
            .in(TEST);
    public static final Option KEY = Option.value("--key", "BYTES", "30", "objects: length of a key, 8 to 255")
            // FDT_KEY is the key that admits a client.
            .commandLineOnly()
            .in(TEST);
    public static final Option OBJECTS = Option.value(
                    "--objects",
                    "N",
                    "auto",
                    "objects: number of objects of each size on the server; auto is 10000, but at most 16 MiB of them")
            .in(TEST);
    public static final Option DURABLE = Option.choice(
                    "--durable",
                    "memory",
                    List.of("memory", "log"),
                    "objects: with log, the server answers a write when it is on disk; needs --nettest-log on"
                            + " the server")
            .in(TEST);
    public static final Option KEEP = Option.toggle(
                    "--keep", false, "objects: keep what the server's log holds from earlier tests")
            .commandLineOnly()
            .in(TEST);

    public static final Option SIZE = Option.value(
                    "--size", "SIZE", "100", "load: size of every request and every answer, 64 to 64KiB")
            // A setting of this name could mean anything.
            .commandLineOnly()
            .in(TEST);
    public static final Option OFFERED = Option.value(
                    "--offered",
                    "LIST",
                    "auto",
                    "load: offered requests per second, ascending, such as 10k,20k,50k, or 1k..64k to double"
                            + " each time; auto goes from a tenth of what the path can carry to beyond it")
            .in(TEST);
    public static final Option RX_BUFFERS = Option.value(
                    "--rx-buffers", "LIST", "24,48", "load: maximum messages per receive call, at both ends")
            .in(TEST);
    public static final Option TX_BUFFERS = Option.value(
                    "--tx-buffers",
                    "LIST",
                    "8,32,64",
                    "load: maximum unanswered requests, and answers that the server sends at once")
            .in(TEST);

    public static final Option TRANSPORT = Option.choice(
                    "--transport",
                    "auto",
                    List.of("tcp", "rdma", "unix", "shm", "auto"),
                    "transport for the lanes; auto is rdma if both ends have it, otherwise tcp; unix (sockets)"
                            + " and shm (shared memory) work only with a server on this host")
            .in(CommonOptions.NETWORK);

    public static final Option JSON = Option.toggle(
                    "--json", false, "print one JSON object per line to stdout: one a second, then the result")
            .in(CommonOptions.OUTPUT);
    public static final Option CSV = Option.value(
                    "--csv", "FILE", null, "write every second and every stream to this file as CSV")
            .commandLineOnly()
            .in(CommonOptions.OUTPUT);
    public static final Option HISTOGRAM = Option.toggle(
                    "--histogram", false, "latency: also print the histogram in microseconds with its sum, as CSV")
            .commandLineOnly()
            .in(CommonOptions.OUTPUT);
    public static final Option HDR = Option.value(
                    "--hdr",
                    "FILE",
                    null,
                    "latency: write the percentiles as tables of HdrHistogram, one file per size")
            .commandLineOnly()
            .in(CommonOptions.OUTPUT);
    public static final Option VERBOSE = Option.toggle(
                    "--verbose", false, "also show a line for every stream each second")
            .shortName("-v")
            .in(CommonOptions.OUTPUT);

    public static final List<Option> ALL = Option.together(
            List.of(
                    STREAMS,
                    REVERSE,
                    BIDIR,
                    DURATION,
                    WARM_UP,
                    RECEIVE,
                    BLOCK,
                    TLS,
                    VIA,
                    SIZES,
                    ITERATIONS,
                    MESSAGES,
                    BLOCKING,
                    NONBLOCKING,
                    SWITCH_AT,
                    REQUEST,
                    CONCURRENT,
                    SERVERS,
                    BUSY_POLL,
                    QP,
                    INLINE,
                    OP,
                    READS,
                    KEY,
                    OBJECTS,
                    DURABLE,
                    KEEP,
                    SIZE,
                    OFFERED,
                    RX_BUFFERS,
                    TX_BUFFERS,
                    TRANSPORT,
                    ClientOptions.BIND,
                    CommonOptions.PIN),
            CommonOptions.SOCKETS,
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

    private NettestOptions() {}
}
