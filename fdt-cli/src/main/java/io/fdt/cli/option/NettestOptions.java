package io.fdt.cli.option;

import java.util.List;

/** The options of {@code nettest}, in the order of its help. */
public final class NettestOptions {
    private static final String TEST = "What to measure";

    public static final Option STREAMS = Option.value(
                    "--lanes",
                    "N",
                    "auto",
                    "parallel streams each way, 1 to 64; auto is one a core, at least 4, at most 16")
            .shortName("-P")
            .in(TEST);
    public static final Option REVERSE = Option.toggle("--reverse", false, "the server sends and this side receives")
            .commandLineOnly()
            .in(TEST);
    public static final Option BIDIR = Option.toggle(
                    "--bidir", false, "both ways at once, with as many streams each way")
            .commandLineOnly()
            .in(TEST);
    public static final Option DURATION = Option.value("--duration", "TIME", "10s", "how long to measure, 100ms to 1d")
            .in(TEST);
    public static final Option WARM_UP = Option.value(
                    "--warm-up", "TIME", "0s", "throughput: so much before the --duration is not counted, up to 1h")
            .in(TEST);
    public static final Option RECEIVE = Option.choice(
                    "--receive",
                    "discard",
                    List.of("discard", "copy"),
                    "drop what comes inside the kernel where that can be, or copy it out")
            .in(TEST);
    public static final Option BLOCK = Option.value(
                    "--block", "SIZE", "128KiB", "handed to the network at once, 4KiB to 16MiB")
            .in(TEST);
    public static final Option TLS = Option.toggle(
                    "--tls", false, "encrypt the lanes; without it they are clear, for they carry no data of anyone")
            .in(TEST);

    public static final Option VIA = Option.choice(
                    "--via",
                    "lanes",
                    List.of("lanes", "engine"),
                    "engine: through all that copies files, /dev/zero to /dev/null, encrypted but for --no-tls")
            .in(TEST);

    public static final Option SIZES = Option.value(
                    "--sizes",
                    "LIST",
                    null,
                    "sizes, as in 4,128,1K or 1..4MiB for powers of two; latency has 4,128,1024, rpc and objects 100 B to"
                            + " 1 MB, sweep 1..4MiB")
            .in(TEST);
    public static final Option ITERATIONS = Option.value(
                    "--iterations", "N", "1000000", "latency: round trips of each size that count")
            .in(TEST);
    public static final Option BUSY_POLL = Option.toggle(
                    "--busy-poll",
                    false,
                    "latency, rpc, load: both ends ask for the message again and again; costs a core each")
            .in(TEST);
    public static final Option QP = Option.choice(
                    "--qp",
                    null,
                    List.of("rc", "ud"),
                    "latency over rdma: messages by a queue pair of their own, reliable (rc) or of datagrams (ud), instead of by a"
                            + " lane; always busy polling")
            .in(TEST);
    public static final Option INLINE = Option.value(
                    "--inline",
                    "BYTES",
                    "64",
                    "latency with --qp: messages of up to so many bytes are handed to the device with the request, where it takes"
                            + " as many")
            .in(TEST);
    public static final Option REQUEST = Option.value("--request", "SIZE", "30", "rpc: of every request, from 4")
            .in(TEST);
    public static final Option CONCURRENT = Option.value(
                    "--concurrent", "N", "1", "rpc, objects: lanes at once, each with one request at a time, 1 to 64")
            .in(TEST);

    public static final Option SERVERS = Option.value(
                    "--servers",
                    "HOSTS",
                    null,
                    "rpc: more servers to ask at the same time, HOST[:PORT] with commas between; each has one lane at least")
            .commandLineOnly()
            .in(TEST);

    public static final Option MESSAGES = Option.value("--messages", "N", "1024", "sweep: messages of a burst")
            .in(TEST);
    public static final Option BLOCKING = Option.toggle(
                    "--blocking",
                    false,
                    "sweep: only a call a message, each waiting until the one before is handed over")
            .in(TEST);
    public static final Option NONBLOCKING = Option.toggle(
                    "--nonblocking", false, "sweep: only many messages a call; without either option both are measured")
            .in(TEST);
    public static final Option SWITCH_AT = Option.value(
                    "--switch-at",
                    "SIZE",
                    null,
                    "sweep over rdma: from this size on a message waits until the receiver is ready for it (rendezvous); shorter"
                            + " ones do not (eager); default 16KiB")
            .in(TEST);
    public static final Option OP = Option.choice(
                    "--op", "read", List.of("read", "write"), "objects: what to do with objects at random")
            .in(TEST);
    public static final Option READS = Option.choice(
                    "--reads",
                    "message",
                    List.of("message", "rdma"),
                    "objects over rdma: rdma: this host's device reads values out of the server's memory, past its processor")
            .in(TEST);
    public static final Option KEY = Option.value("--key", "BYTES", "30", "objects: length of a key, 8 to 255")
            // FDT_KEY is the key that admits a client.
            .commandLineOnly()
            .in(TEST);
    public static final Option OBJECTS = Option.value(
                    "--objects",
                    "N",
                    "auto",
                    "objects: how many the server holds of each size; auto is 10000 but at most 16 MiB of them")
            .in(TEST);
    public static final Option DURABLE = Option.choice(
                    "--durable",
                    "memory",
                    List.of("memory", "log"),
                    "objects: log: a write is answered when the server has it on its disk; needs --nettest-log there")
            .in(TEST);
    public static final Option KEEP = Option.toggle(
                    "--keep", false, "objects: go on with what the server's log holds from before")
            .commandLineOnly()
            .in(TEST);

    public static final Option SIZE = Option.value(
                    "--size", "SIZE", "100", "load: of every request and every answer, 64 to 64KiB")
            // A setting of this name could mean anything.
            .commandLineOnly()
            .in(TEST);
    public static final Option OFFERED = Option.value(
                    "--offered",
                    "LIST",
                    "auto",
                    "load: requests a second that are offered, rising, as in 10k,20k,50k or 1k..64k for twice as many each"
                            + " time; auto is from a tenth of what the path can do to beyond it")
            .in(TEST);
    public static final Option RX_BUFFERS = Option.value(
                    "--rx-buffers", "LIST", "24,48", "load: messages that a receive call may take, on either side")
            .in(TEST);
    public static final Option TX_BUFFERS = Option.value(
                    "--tx-buffers",
                    "LIST",
                    "8,32,64",
                    "load: requests that may be sent and not answered yet; answers that the server sends at once")
            .in(TEST);

    public static final Option TRANSPORT = Option.choice(
                    "--transport",
                    "auto",
                    List.of("tcp", "rdma", "unix", "shm", "auto"),
                    "what carries the lanes; auto is rdma where both ends have it, else tcp; unix (sockets) and shm (shared memory)"
                            + " only to a server on this host")
            .in(CommonOptions.NETWORK);

    public static final Option JSON = Option.toggle(
                    "--json", false, "one JSON object a line on stdout, one a second and the result")
            .in(CommonOptions.OUTPUT);
    public static final Option CSV = Option.value("--csv", "FILE", null, "write every second and every stream as CSV")
            .commandLineOnly()
            .in(CommonOptions.OUTPUT);
    public static final Option HISTOGRAM = Option.toggle(
                    "--histogram", false, "latency: print the histogram in microseconds with its sum as CSV, too")
            .commandLineOnly()
            .in(CommonOptions.OUTPUT);
    public static final Option HDR = Option.value(
                    "--hdr", "FILE", null, "latency: write the percentiles as HdrHistogram's table, a file a size")
            .commandLineOnly()
            .in(CommonOptions.OUTPUT);
    public static final Option VERBOSE = Option.toggle("--verbose", false, "a line for every stream, too, each second")
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
            MonitorOptions.ALL,
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
