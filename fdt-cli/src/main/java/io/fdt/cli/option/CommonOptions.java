package io.fdt.cli.option;

import io.fdt.cli.console.LogLevel;
import java.util.List;

/** Options with the same meaning in every command that has them. */
public final class CommonOptions {
    static final Section NETWORK = new Section("Network", true);
    public static final Section OUTPUT = new Section("Output", true);
    public static final Section OUTPUT_ONCE = OUTPUT.commandLineOnly();

    public static final Option HELP =
            OUTPUT_ONCE.toggleWithValue("-h, --help all", "false", "show the help; =all with every option");

    /** In no command's table: {@code fdt --version} is the form to show, and this one works, too. */
    public static final Option VERSION = new Section("", false).toggle("--version", "print the version");

    public static final Option VERBOSE =
            OUTPUT.toggle("-v, --verbose", "show more: the session, every file, stack traces");
    public static final Option QUIET = OUTPUT.toggle("-q, --quiet", "show errors only");

    public static final Option JSON = OUTPUT.toggle("--json", "print one JSON object per line to stdout");

    public static final Option LOG_LEVEL = OUTPUT.choice(
            "--log-level " + String.join("|", LogLevel.words()),
            "info",
            "log events of this level and above to stderr, including lanes and keys");
    public static final Option LOG_JSON =
            OUTPUT.toggle("--log-json", "write the log as one JSON object per line, and nothing else to stderr");

    static final List<Option> LOG = List.of(LOG_LEVEL, LOG_JSON);

    public static final Option SOCKET_BUFFER = NETWORK.value(
            "--socket-buffer SIZE", "auto", "socket buffer size of each lane; auto lets the kernel choose");
    public static final Option CONGESTION = NETWORK.value(
            "--congestion NAME",
            "auto",
            "TCP congestion control, for example bbr; auto is the kernel's default; with -P auto, BBR on lossy"
                    + " paths where it is faster");
    public static final Option TIMEOUT =
            NETWORK.value("--timeout TIME", "30s", "give up on a peer that is silent for this long, 1s to 1h");

    public static final Option ADDRESSES =
            NETWORK.choice("--addresses any|ipv4|ipv6", "any", "which addresses of a host to connect to");

    public static final Option TOKEN_FILE = NETWORK.value(
            "--token-file FILE",
            "bearer token for the server, instead of a key; read again for each connection. Without it, a token is used"
                    + " for a server without a key: of BEARER_TOKEN, BEARER_TOKEN_FILE, bt_uUID in XDG_RUNTIME_DIR or"
                    + " /tmp, or _CONDOR_CREDS");
    public static final Option CA = NETWORK.value(
            "--ca FILE",
            "authorities (PEM), or a directory with such files, to trust for the certificates of servers that a token"
                    + " is for; without it, those that this host trusts");

    /** How a client with a token and a server identify each other. */
    static final List<Option> TOKENS = List.of(TOKEN_FILE, CA);

    static final List<Option> SOCKETS = List.of(SOCKET_BUFFER, CONGESTION);

    public static final Option PIN = NETWORK.value(
            "--pin auto|none|CORES",
            "auto",
            "cores for the lanes, such as 2-5,8; auto chooses cores near the NIC's queues, as fdt tune plans them");

    private CommonOptions() {}
}
