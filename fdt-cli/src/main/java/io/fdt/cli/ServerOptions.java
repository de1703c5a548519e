package io.fdt.cli;

import java.util.List;

/** The options of {@code server}, in the order of its help. */
final class ServerOptions {
    private static final String EXPORTS = "What to serve";
    private static final String LIMITS = "Limits";

    static final Option LISTEN = Option.value(
                    "--listen",
                    "HOST:PORT",
                    "127.0.0.1:27321",
                    "address to listen on; port 0 picks a free one, 0.0.0.0 is every address")
            .in(EXPORTS);
    static final Option ROOT = Option.list(
                    "--root",
                    "DIR",
                    "export this directory; without one only tests, /dev/zero and /dev/null are served")
            .in(EXPORTS);
    static final Option READ_ONLY =
            Option.toggle("--read-only", false, "take nothing, only give").in(EXPORTS);
    static final Option ONCE = Option.toggle("--once", false, "serve one session and exit with its exit code")
            .commandLineOnly()
            .in(EXPORTS);
    static final Option MONITOR = Option.value("--monitor", "HOST:PORT", null, "serve the live page and metrics here")
            .in(EXPORTS);

    static final Option MAX_LANES = Option.value("--max-lanes", "N", "64", "lanes that one session may have, 1 to 256")
            .in(LIMITS);
    static final Option MAX_SESSIONS = Option.value("--max-sessions", "N", "32", "sessions at a time, 1 to 1024")
            .in(LIMITS);
    static final Option CLEAR_LANES = Option.choice(
                    "--clear-lanes",
                    "tests",
                    List.of("allow", "tests", "refuse"),
                    "whose lanes may be unencrypted: all that ask for it, only network tests, which carry no data, none")
            .in(LIMITS);

    static final Option TRANSPORT = new Option(
                    "--transport",
                    null,
                    Option.Kind.LIST,
                    "tcp|rdma",
                    "tcp",
                    List.of("tcp", "rdma"),
                    true,
                    CommonOptions.NETWORK,
                    "what may carry lanes")
            .in(CommonOptions.NETWORK);

    static final Option JSON =
            Option.toggle("--json", false, "one JSON object a line on stdout").in(CommonOptions.OUTPUT);

    static final List<Option> ALL = List.of(
            LISTEN,
            ROOT,
            READ_ONLY,
            ONCE,
            MONITOR,
            MAX_LANES,
            MAX_SESSIONS,
            CLEAR_LANES,
            TRANSPORT,
            CommonOptions.IO,
            CommonOptions.SOCKET_BUFFER,
            CommonOptions.CONGESTION,
            CommonOptions.TIMEOUT,
            JSON,
            CommonOptions.VERBOSE,
            CommonOptions.QUIET,
            CommonOptions.HELP);

    private ServerOptions() {}
}
