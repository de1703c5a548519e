package io.fdt.cli.option;

import io.fdt.cli.console.LogLevel;
import java.util.List;

/** Options that mean the same in every command that has them. */
public final class CommonOptions {
    static final String NETWORK = "Network";
    public static final String OUTPUT = "Output";

    public static final Option HELP = Option.toggle("--help", false, "show this help")
            .shortName("-h")
            .commandLineOnly()
            .in(OUTPUT);
    public static final Option VERBOSE = Option.toggle(
                    "--verbose", false, "say more: the session, every file, stack traces")
            .shortName("-v")
            .in(OUTPUT);
    public static final Option QUIET = Option.toggle("--quiet", false, "say nothing but errors")
            .shortName("-q")
            .in(OUTPUT);

    public static final Option JSON =
            Option.toggle("--json", false, "one JSON object a line on stdout").in(OUTPUT);

    public static final Option LOG_LEVEL = Option.choice(
                    "--log-level",
                    "info",
                    LogLevel.words(),
                    "log events of this level and above on stderr, lanes and keys among them")
            .in(OUTPUT);
    public static final Option LOG_JSON = Option.toggle(
                    "--log-json", false, "the log as one JSON object a line, and nothing else on stderr")
            .in(OUTPUT);

    static final List<Option> LOG = List.of(LOG_LEVEL, LOG_JSON);

    public static final Option IO = Option.choice(
                    "--io",
                    "auto",
                    List.of("auto", "epoll", "io_uring", "nio"),
                    "how sockets are driven; auto is epoll on Linux")
            .in(NETWORK);
    public static final Option SOCKET_BUFFER = Option.value(
                    "--socket-buffer", "SIZE", "auto", "socket buffer of a lane; auto leaves it to the kernel")
            .in(NETWORK);
    public static final Option CONGESTION = Option.value(
                    "--congestion", "NAME", "auto", "TCP congestion control, for example bbr; auto is the kernel's")
            .in(NETWORK);
    public static final Option TIMEOUT = Option.value(
                    "--timeout", "TIME", "30s", "give up on a peer that is silent for so long (1s to 1h)")
            .in(NETWORK);

    static final List<Option> SOCKETS = List.of(IO, SOCKET_BUFFER, CONGESTION, TIMEOUT);

    public static final Option PIN = Option.value(
                    "--pin",
                    "auto|none|CORES",
                    "auto",
                    "the cores of lanes, such as 2-5,8; auto is beside the NIC's queues, as fdt tune plans it")
            .in(NETWORK);

    private CommonOptions() {}
}
