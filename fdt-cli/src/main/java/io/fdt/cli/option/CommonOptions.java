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
    /** The same for a command with more options than fit a screen. */
    static final Option HELP_OR_ALL = Option.toggleWithValue(
                    "--help", "false", List.of("all"), "show the usual options; =all shows every option")
            .shortName("-h")
            .commandLineOnly()
            .in(OUTPUT);

    public static final Option VERBOSE = Option.toggle(
                    "--verbose", false, "show more: the session, every file, stack traces")
            .shortName("-v")
            .in(OUTPUT);
    public static final Option QUIET =
            Option.toggle("--quiet", false, "show errors only").shortName("-q").in(OUTPUT);

    public static final Option JSON = Option.toggle("--json", false, "print one JSON object per line to stdout")
            .in(OUTPUT);

    public static final Option LOG_LEVEL = Option.choice(
                    "--log-level",
                    "info",
                    LogLevel.words(),
                    "log events of this level and above to stderr, including lanes and keys")
            .in(OUTPUT);
    public static final Option LOG_JSON = Option.toggle(
                    "--log-json", false, "write the log as one JSON object per line, and nothing else to stderr")
            .in(OUTPUT);

    static final List<Option> LOG = List.of(LOG_LEVEL, LOG_JSON);

    public static final Option IO = Option.choice(
                    "--io",
                    "auto",
                    List.of("auto", "epoll", "io_uring", "nio"),
                    "I/O method of the sockets; auto is epoll on Linux")
            .in(NETWORK);
    public static final Option SOCKET_BUFFER = Option.value(
                    "--socket-buffer", "SIZE", "auto", "socket buffer size of each lane; auto lets the kernel choose")
            .in(NETWORK);
    public static final Option CONGESTION = Option.value(
                    "--congestion",
                    "NAME",
                    "auto",
                    "TCP congestion control, for example bbr; auto is the kernel's default, and for copies with -P auto"
                            + " bbr while a path that loses packets carries more with it")
            .in(NETWORK);
    public static final Option TIMEOUT = Option.value(
                    "--timeout", "TIME", "30s", "give up on a peer that is silent for this long (1s to 1h)")
            .in(NETWORK);

    static final List<Option> SOCKETS = List.of(IO, SOCKET_BUFFER, CONGESTION, TIMEOUT);

    public static final Option PIN = Option.value(
                    "--pin",
                    "auto|none|CORES",
                    "auto",
                    "cores for the lanes, such as 2-5,8; auto chooses cores near the NIC's queues, as fdt tune"
                            + " plans them")
            .in(NETWORK);

    private CommonOptions() {}
}
