package io.fdt.cli.option;

import io.fdt.cli.value.Rates;
import java.util.List;

/** The options of {@code server}, in the order of its help. */
public final class ServerOptions {
    private static final Section EXPORTS = new Section("What to serve", true);
    private static final Section EXPORTS_ONCE = EXPORTS.commandLineOnly();
    private static final Section TOKENS = new Section("Tokens", true);
    private static final Section LIMITS = new Section("Limits", true);

    public static final Option LISTEN = EXPORTS.value(
            "--listen HOST:PORT",
            "127.0.0.1:27321",
            "address to listen on; port 0 picks a free port, 0.0.0.0 means all addresses");
    public static final Option ROOT = EXPORTS.list(
            "--root DIR", "export this directory; without --root, serve only network tests, /dev/zero and /dev/null");
    public static final Option READ_ONLY = EXPORTS.toggle("--read-only", "clients can read but not write");
    public static final Option ONCE = EXPORTS_ONCE.toggle("--once", "serve one session and exit with its exit code");

    public static final Option CHECK_CONFIG = EXPORTS_ONCE.toggle(
            "--check-config",
            "check the settings, the roots, the keys, the files of issuers and the transfer log for this user, print the"
                    + " result and exit");

    public static final Option FOR_SSH = EXPORTS_ONCE.toggleWithValue(
            "--for-ssh hashing",
            "false",
            "serve only the client that started this server over ssh, with this user's access and a"
                    + " one-time key; end when standard input closes; =hashing if Java itself computes a hash, which"
                    + " needs its second compiler");

    public static final Option MAX_LANES = LIMITS.value("--max-lanes N", "64", "maximum lanes per session, 1 to 256");
    public static final Option MAX_SESSIONS = LIMITS.value(
            "--max-sessions N",
            "64",
            "maximum concurrent sessions, 1 to 1024; if there are several keys, one key can hold at most"
                    + " as many as are free");
    public static final Option THIRD_PARTY = EXPORTS.list(
            "--third-party NETWORK[,NETWORK]",
            "on a client's request, copy from here to servers in these networks; without it, to none");
    public static final Option MAX_CONNECTIONS =
            LIMITS.value("--max-connections N", "4096", "maximum concurrent connections, 2 to 65536");
    public static final Option MAX_UNADMITTED = LIMITS.value(
            "--max-unadmitted N",
            "1024",
            "maximum connections that have not proven a key yet, half of them from one address; beyond"
                    + " that, the address with the most loses one");
    public static final Option HANDSHAKE_TIMEOUT =
            LIMITS.value("--handshake-timeout TIME", "10s", "time limit for authenticating and opening a session");
    public static final Option MAX_DISCONNECTED = LIMITS.value(
            "--max-disconnected TIME",
            "10m",
            "how long a session waits for a client that is silent or disconnected, whatever --timeout"
                    + " the client requested; 30s to 24h");
    public static final Option MAX_MEMORY = LIMITS.value(
            "--max-memory SIZE",
            "auto",
            "memory for the lanes of all sessions together; auto is half of Java's maximum memory");
    public static final Option RATE_LIMIT =
            LIMITS.value("--rate-limit RATE", Rates.NONE, "maximum rate of all copies together, in both directions");
    public static final Option MAX_ENTRIES =
            LIMITS.value("--max-entries N", "100000000", "maximum files and directories per transfer, or none");
    public static final Option MAX_BYTES =
            LIMITS.value("--max-bytes SIZE", "none", "maximum data per transfer, or none");
    public static final Option MAX_PATH_BYTES =
            LIMITS.value("--max-path-bytes N", "4095", "maximum length of a path that a client sends");
    public static final Option MAX_PATH_DEPTH =
            LIMITS.value("--max-path-depth N", "512", "maximum components of a path that a client sends");
    public static final Option MODE_MASK = LIMITS.value(
            "--mode-mask MODE",
            "022",
            "permissions to remove from everything that clients create, whatever modes they send, in"
                    + " octal as for umask; over ssh, the client is the owner, and the default is 000");
    public static final Option ALLOW = LIMITS.list(
            "--allow NETWORK",
            "accept connections only from this network, such as 10.1.0.0/16 or 2001:db8::7, including"
                    + " those to --monitor; clients still need a key");
    public static final Option CLEAR_LANES = LIMITS.choice(
            "--clear-lanes allow|tests|refuse",
            "tests",
            "whose lanes may be unencrypted: all clients that request it, only network tests (which"
                    + " carry no data), or none");

    public static final Option NETTEST_LOG = EXPORTS.value(
            "--nettest-log DIR",
            "directory where network tests can keep a log of objects; without it they cannot make any durable");
    public static final Option NETTEST_LOG_SIZE =
            LIMITS.value("--nettest-log-size SIZE", "4GiB", "maximum size of that log, at least 1MiB");
    public static final Option NETTEST_MEMORY = LIMITS.value(
            "--nettest-memory SIZE", "256MiB", "memory for the objects and lanes of all network tests together");

    public static final Option ISSUER = TOKENS.list(
            "--issuer URL[=FILE]",
            "accept bearer tokens of this issuer, as WLCG and SciTokens have them; its public keys are in FILE (JWKS), or"
                    + " fetched from what it publishes over HTTPS");
    public static final Option AUDIENCE = TOKENS.list(
            "--audience NAME",
            "a token must be for one of these names of this server; without it, for the host's name, or for fdt:// and"
                    + " that name, with or without the port");
    public static final Option ISSUER_ROOT = TOKENS.list(
            "--issuer-root [URL=]DIR",
            "paths in tokens are below this directory, which must be exported: in those of the issuer URL, or of all"
                    + " others; without it, as clients write paths");
    public static final Option ISSUER_USERS = TOKENS.list(
            "--issuer-users [URL=]FILE",
            "who reads and writes for which subject, on a server running as root: lines of USER SUBJECT, where an"
                    + " asterisk is all other subjects; for the issuer URL, or all others; without it, the server's"
                    + " user");
    public static final Option CERTIFICATE = TOKENS.value(
            "--certificate FILE",
            "certificate of an authority for this host's name, with its chain (PEM), for clients with tokens; read again"
                    + " when it changes, or on SIGHUP");
    public static final Option CERTIFICATE_KEY =
            TOKENS.value("--certificate-key FILE", "private key of the certificate (PEM)");

    public static final Option TRANSPORT = CommonOptions.NETWORK.choices(
            "--transport tcp|rdma|auto",
            "auto",
            "transports for lanes: tcp only, or also rdma; auto adds rdma if this host has a device");

    public static final Option TRANSFER_LOG = CommonOptions.OUTPUT.list(
            "--transfer-log PLACE",
            "write one JSON line per file of a copy, with key, path, bytes and digest, to a file, to syslog, or to"
                    + " https://HOST:PORT/PATH or http://…, whose lines wait on disk while it is down; SIGHUP reopens"
                    + " a file");

    public static final Option CHECKSUM = CommonOptions.OUTPUT.words(
            "--checksum TYPE[,TYPE...]",
            "none",
            List.of("adler32", "crc32c", "crc32", "none"),
            "checksums of the files of all copies, for the transfer log and the receipts of clients, whatever these"
                    + " request; computed at both ends while the bytes pass");

    public static final Option ON_SESSION = CommonOptions.OUTPUT.value(
            "--on-session COMMAND",
            "when a session has ended, run this command, without a shell, with a JSON line about it on standard input");

    public static final List<Option> ALL = Option.together(
            EXPORTS.options(),
            TOKENS.options(),
            LIMITS.options(),
            List.of(TRANSPORT, CommonOptions.PIN),
            CommonOptions.SOCKETS,
            RdmaOptions.ALL,
            MonitorOptions.ALL,
            List.of(MonitorOptions.TUI, TRANSFER_LOG, CHECKSUM, ON_SESSION, CommonOptions.JSON),
            CommonOptions.LOG,
            List.of(CommonOptions.VERBOSE, CommonOptions.QUIET, CommonOptions.HELP));

    /**
     * Settings for the server that serves all clients on this host. A server over ssh ignores them, because it serves
     * everything that its user can reach and may run beside the other server.
     */
    public static final List<Option> OF_ALL_CLIENTS = Option.together(
            List.of(LISTEN, ROOT, READ_ONLY, NETTEST_LOG, MonitorOptions.MONITOR),
            TOKENS.options(),
            MonitorOptions.WATCHERS);

    /** Options for most servers. */
    public static final List<Option> COMMON = List.of(
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
            CommonOptions.HELP);

    private ServerOptions() {}
}
