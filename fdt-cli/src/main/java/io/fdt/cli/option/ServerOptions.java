package io.fdt.cli.option;

import io.fdt.cli.value.Rates;
import java.util.List;

/** The options of {@code server}, in the order of its help. */
public final class ServerOptions {
    private static final String EXPORTS = "What to serve";
    private static final String LIMITS = "Limits";

    public static final Option LISTEN = Option.value(
                    "--listen",
                    "HOST:PORT",
                    "127.0.0.1:27321",
                    "address to listen on; port 0 picks a free port, 0.0.0.0 means all addresses")
            .in(EXPORTS);
    public static final Option ROOT = Option.list(
                    "--root",
                    "DIR",
                    "export this directory; without --root, serve only network tests, /dev/zero and /dev/null")
            .in(EXPORTS);
    public static final Option READ_ONLY = Option.toggle("--read-only", false, "clients can read but not write")
            .in(EXPORTS);
    public static final Option ONCE = Option.toggle("--once", false, "serve one session and exit with its exit code")
            .commandLineOnly()
            .in(EXPORTS);

    public static final Option FOR_SSH = Option.toggle(
                    "--for-ssh",
                    false,
                    "serve only the client that started this server over ssh, with this user's access and a"
                            + " one-time key; end when standard input closes")
            .commandLineOnly()
            .in(EXPORTS);

    public static final Option MAX_LANES = Option.value("--max-lanes", "N", "64", "maximum lanes per session, 1 to 256")
            .in(LIMITS);
    public static final Option MAX_SESSIONS = Option.value(
                    "--max-sessions",
                    "N",
                    "64",
                    "maximum concurrent sessions, 1 to 1024; if there are several keys, one key can hold at most"
                            + " as many as are free")
            .in(LIMITS);
    public static final Option MAX_DISCONNECTED = Option.value(
                    "--max-disconnected",
                    "TIME",
                    "10m",
                    "how long a session waits for a client that is silent or disconnected, whatever --timeout"
                            + " the client requested; 30s to 24h")
            .in(LIMITS);
    public static final Option ALLOW = Option.list(
                    "--allow",
                    "NETWORK",
                    "accept connections only from this network, such as 10.1.0.0/16 or 2001:db8::7, including"
                            + " those to --monitor; clients still need a key")
            .in(LIMITS);
    public static final Option THIRD_PARTY = Option.list(
                    "--third-party",
                    "NETWORK[,NETWORK]",
                    "on a client's request, copy from here to servers in these networks; without it, to none")
            .in(EXPORTS);
    public static final Option MAX_CONNECTIONS = Option.value(
                    "--max-connections", "N", "4096", "maximum concurrent connections, 2 to 65536")
            .in(LIMITS);
    public static final Option MAX_UNADMITTED = Option.value(
                    "--max-unadmitted",
                    "N",
                    "1024",
                    "maximum connections that have not proven a key yet, half of them from one address; beyond"
                            + " that, the address with the most loses one")
            .in(LIMITS);
    public static final Option HANDSHAKE_TIMEOUT = Option.value(
                    "--handshake-timeout", "TIME", "10s", "time limit for authenticating and opening a session")
            .in(LIMITS);
    public static final Option MAX_MEMORY = Option.value(
                    "--max-memory",
                    "SIZE",
                    "auto",
                    "memory for the lanes of all sessions together; auto is half of Java's maximum memory")
            .in(LIMITS);
    public static final Option RATE_LIMIT = Option.value(
                    "--rate-limit", "RATE", Rates.NONE, "maximum rate of all copies together, in both directions")
            .in(LIMITS);
    public static final Option MAX_ENTRIES = Option.value(
                    "--max-entries", "N", "100000000", "maximum files and directories per transfer, or none")
            .in(LIMITS);
    public static final Option MAX_BYTES = Option.value(
                    "--max-bytes", "SIZE", "none", "maximum data per transfer, or none")
            .in(LIMITS);
    public static final Option MAX_PATH_BYTES = Option.value(
                    "--max-path-bytes", "N", "4095", "maximum length of a path that a client sends")
            .in(LIMITS);
    public static final Option MAX_PATH_DEPTH = Option.value(
                    "--max-path-depth", "N", "512", "maximum components of a path that a client sends")
            .in(LIMITS);
    public static final Option MODE_MASK = Option.value(
                    "--mode-mask",
                    "MODE",
                    "000",
                    "permissions to remove from everything that clients create, whatever modes they send, in"
                            + " octal as for umask")
            .in(LIMITS);
    public static final Option CLEAR_LANES = Option.choice(
                    "--clear-lanes",
                    "tests",
                    List.of("allow", "tests", "refuse"),
                    "whose lanes may be unencrypted: all clients that request it, only network tests (which"
                            + " carry no data), or none")
            .in(LIMITS);

    public static final Option NETTEST_LOG = Option.value(
                    "--nettest-log",
                    "DIR",
                    null,
                    "directory where network tests can keep a log of objects; without it they cannot make any durable")
            .in(EXPORTS);
    public static final Option NETTEST_LOG_SIZE = Option.value(
                    "--nettest-log-size", "SIZE", "4GiB", "maximum size of that log, at least 1MiB")
            .in(LIMITS);
    public static final Option NETTEST_MEMORY = Option.value(
                    "--nettest-memory", "SIZE", "256MiB", "memory for the objects of all network tests together")
            .in(LIMITS);

    public static final Option TRANSPORT = new Option(
                    "--transport",
                    null,
                    Option.Kind.LIST,
                    "tcp|rdma|auto",
                    "auto",
                    List.of("tcp", "rdma", "auto"),
                    true,
                    CommonOptions.NETWORK,
                    "transports for lanes: tcp only, or also rdma; auto adds rdma if this host has a device")
            .in(CommonOptions.NETWORK);

    public static final Option TRANSFER_LOG = Option.value(
                    "--transfer-log",
                    "FILE",
                    null,
                    "append one JSON line per file of a copy to FILE, with key, path, bytes and digest; SIGHUP reopens"
                            + " it")
            .in(CommonOptions.OUTPUT);

    public static final List<Option> ALL = Option.together(
            List.of(
                    LISTEN,
                    ROOT,
                    READ_ONLY,
                    ONCE,
                    FOR_SSH,
                    THIRD_PARTY,
                    NETTEST_LOG,
                    MAX_LANES,
                    MAX_SESSIONS,
                    MAX_CONNECTIONS,
                    MAX_UNADMITTED,
                    HANDSHAKE_TIMEOUT,
                    MAX_DISCONNECTED,
                    MAX_MEMORY,
                    RATE_LIMIT,
                    MAX_ENTRIES,
                    MAX_BYTES,
                    MAX_PATH_BYTES,
                    MAX_PATH_DEPTH,
                    MODE_MASK,
                    ALLOW,
                    CLEAR_LANES,
                    NETTEST_LOG_SIZE,
                    NETTEST_MEMORY,
                    TRANSPORT,
                    CommonOptions.PIN),
            CommonOptions.SOCKETS,
            RdmaOptions.ALL,
            MonitorOptions.ALL,
            List.of(MonitorOptions.TUI, TRANSFER_LOG, CommonOptions.JSON),
            CommonOptions.LOG,
            List.of(CommonOptions.VERBOSE, CommonOptions.QUIET, CommonOptions.HELP_OR_ALL));

    /** What most servers need. */
    public static final List<Option> USUAL = List.of(
            LISTEN,
            ROOT,
            READ_ONLY,
            ALLOW,
            ONCE,
            MAX_SESSIONS,
            RATE_LIMIT,
            MODE_MASK,
            MonitorOptions.MONITOR,
            CommonOptions.JSON,
            CommonOptions.VERBOSE,
            CommonOptions.QUIET,
            CommonOptions.HELP_OR_ALL);

    private ServerOptions() {}
}
