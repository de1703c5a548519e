package io.fdt.cli.option;

import java.util.List;

/** The options of {@code server}, in the order of its help. */
public final class ServerOptions {
    private static final String EXPORTS = "What to serve";
    private static final String LIMITS = "Limits";

    public static final Option LISTEN = Option.value(
                    "--listen",
                    "HOST:PORT",
                    "127.0.0.1:27321",
                    "address to listen on; port 0 picks a free one, 0.0.0.0 is every address")
            .in(EXPORTS);
    public static final Option ROOT = Option.list(
                    "--root",
                    "DIR",
                    "export this directory; without one only tests, /dev/zero and /dev/null are served")
            .in(EXPORTS);
    public static final Option READ_ONLY =
            Option.toggle("--read-only", false, "take nothing, only give").in(EXPORTS);
    public static final Option ONCE = Option.toggle("--once", false, "serve one session and exit with its exit code")
            .commandLineOnly()
            .in(EXPORTS);

    public static final Option FOR_SSH = Option.toggle(
                    "--for-ssh",
                    false,
                    "serve the one client that has started this over ssh, with all that this user may reach and a key"
                            + " of its own; ends with standard input")
            .commandLineOnly()
            .in(EXPORTS);

    public static final Option MAX_LANES = Option.value(
                    "--max-lanes", "N", "64", "lanes that one session may have, 1 to 256")
            .in(LIMITS);
    public static final Option MAX_SESSIONS = Option.value("--max-sessions", "N", "32", "sessions at a time, 1 to 1024")
            .in(LIMITS);
    public static final Option ALLOW = Option.list(
                    "--allow",
                    "NETWORK",
                    "take connections only from here, such as 10.1.0.0/16 or 2001:db8::7; a key is needed all the same")
            .in(LIMITS);
    public static final Option THIRD_PARTY = Option.list(
                    "--third-party",
                    "NETWORK[,NETWORK]",
                    "copy from here to servers in these networks for clients that ask for it; without one to none")
            .in(EXPORTS);
    public static final Option MAX_CONNECTIONS = Option.value(
                    "--max-connections", "N", "4096", "connections at a time, 2 to 65536")
            .in(LIMITS);
    public static final Option MAX_UNADMITTED = Option.value(
                    "--max-unadmitted",
                    "N",
                    "256",
                    "of these, how many may not have proven who they are; one more, and the oldest of them has to go")
            .in(LIMITS);
    public static final Option HANDSHAKE_TIMEOUT = Option.value(
                    "--handshake-timeout", "TIME", "10s", "time to prove who one is and to open a session")
            .in(LIMITS);
    public static final Option MAX_MEMORY = Option.value(
                    "--max-memory",
                    "SIZE",
                    "auto",
                    "for the lanes of all sessions together; auto is half of what Java may have")
            .in(LIMITS);
    public static final Option MAX_ENTRIES = Option.value(
                    "--max-entries", "N", "100000000", "files and directories of one transfer, or none for no limit")
            .in(LIMITS);
    public static final Option MAX_BYTES = Option.value(
                    "--max-bytes", "SIZE", "none", "data of one transfer, or none for no limit")
            .in(LIMITS);
    public static final Option MAX_PATH_BYTES = Option.value(
                    "--max-path-bytes", "N", "4095", "length of a path that is sent here")
            .in(LIMITS);
    public static final Option MAX_PATH_DEPTH = Option.value(
                    "--max-path-depth", "N", "512", "components of a path that is sent here")
            .in(LIMITS);
    public static final Option CLEAR_LANES = Option.choice(
                    "--clear-lanes",
                    "tests",
                    List.of("allow", "tests", "refuse"),
                    "whose lanes may be unencrypted: all that ask for it, only network tests, which carry no data,"
                            + " none")
            .in(LIMITS);

    public static final Option NETTEST_LOG = Option.value(
                    "--nettest-log",
                    "DIR",
                    null,
                    "where network tests may keep a log of objects; without it they cannot make any durable")
            .in(EXPORTS);
    public static final Option NETTEST_LOG_SIZE = Option.value(
                    "--nettest-log-size", "SIZE", "4GiB", "what that log may grow to, at least 1MiB")
            .in(LIMITS);
    public static final Option NETTEST_MEMORY = Option.value(
                    "--nettest-memory", "SIZE", "256MiB", "for the objects of all network tests together")
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
                    "what may carry lanes: tcp alone, or rdma, too; auto is rdma, too, where this host has a device")
            .in(CommonOptions.NETWORK);

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
                    MAX_MEMORY,
                    MAX_ENTRIES,
                    MAX_BYTES,
                    MAX_PATH_BYTES,
                    MAX_PATH_DEPTH,
                    ALLOW,
                    CLEAR_LANES,
                    NETTEST_LOG_SIZE,
                    NETTEST_MEMORY,
                    TRANSPORT,
                    CommonOptions.PIN),
            CommonOptions.SOCKETS,
            RdmaOptions.ALL,
            MonitorOptions.ALL,
            List.of(CommonOptions.JSON),
            CommonOptions.LOG,
            List.of(CommonOptions.VERBOSE, CommonOptions.QUIET, CommonOptions.HELP));

    private ServerOptions() {}
}
