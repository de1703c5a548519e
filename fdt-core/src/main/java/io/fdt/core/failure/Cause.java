package io.fdt.core.failure;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The causes of failures: the only table of their words, exit codes and remedies, and of which ones {@code --retry}
 * repeats. Words are public and are never renamed; each exit code has a first cause, for failures that need no closer
 * one. A peer sends the word.
 */
public enum Cause {
    INTERNAL(FailureKind.INTERNAL, "bug", "this is a bug in fdt, please report it"),
    /** Of a peer with a newer release. */
    UNKNOWN(FailureKind.INTERNAL, "unknown", "update fdt on this host, which does not know this cause"),

    USAGE(FailureKind.USAGE, "usage", "see --help"),

    SOME_FILES_FAILED(
            FailureKind.SOME_FILES_FAILED,
            "some-files",
            "all other files are in place; correct what is listed, then run the same command again",
            Repeat.IF_SOURCE_IS_LISTED_AGAIN),

    SOURCE(FailureKind.SOURCE, "source", "check that the source exists and is readable"),
    MISSING(FailureKind.SOURCE, "missing", "check that the source exists and is readable"),
    NO_MATCH(FailureKind.SOURCE, "no-match", "correct the pattern; fdt ls shows the names there are"),
    UNREADABLE(FailureKind.SOURCE, "unreadable", "let the user that runs fdt on that host read it, then run it again"),
    SOURCE_LOOP(FailureKind.SOURCE, "source-loop", "correct the symbolic link, which leads to itself"),
    PATH_TOO_LONG(FailureKind.SOURCE, "path-too-long", "shorten the path, or name a source further down"),
    SOURCE_IO_ERROR(FailureKind.SOURCE, "source-io-error", Cause.CHECK_DEVICE),
    /** The source changed or vanished while it was copied. */
    CHANGED(
            FailureKind.SOURCE,
            "changed",
            "run it again when the source no longer changes, or use --growing snapshot for files that grow",
            Repeat.IF_SOURCE_IS_LISTED_AGAIN),

    TARGET(FailureKind.TARGET, "target", "correct this at the target, then run it again"),
    NO_SPACE(FailureKind.TARGET, "no-space", "free space or inodes there (df, df -i), then run it again to resume"),
    QUOTA(FailureKind.TARGET, "quota", "free space there or raise the quota, then run it again to resume"),
    READ_ONLY_FILE_SYSTEM(
            FailureKind.TARGET, "read-only-file-system", "mount it writable or name another target, then run it again"),
    IO_ERROR(FailureKind.TARGET, "io-error", Cause.CHECK_DEVICE),
    NO_MEMORY(FailureKind.TARGET, "no-memory", "free memory on that host, then run it again to resume"),
    PERMISSION(
            FailureKind.TARGET, "permission", "let the user that runs fdt on that host write there, then run it again"),
    OTHER_KIND(FailureKind.TARGET, "other-kind", "move it away or use another name, then run it again"),
    EXISTS(FailureKind.TARGET, "exists", "move it away, or choose another --existing"),
    TARGET_LOOP(
            FailureKind.TARGET,
            "target-loop",
            "correct the symbolic link, which leads to itself, or name another target"),
    NAME_TOO_LONG(
            FailureKind.TARGET, "name-too-long", "shorten the name, or name a target further up, then run it again"),
    FILE_TOO_LARGE(
            FailureKind.TARGET,
            "file-too-large",
            "raise the limit of the size of files (ulimit -f), or use a file system that permits such files"),
    READER_GONE(FailureKind.TARGET, "reader-gone", "run it again with a reader that reads everything"),
    /** A receipt, manifest file or report cannot be written. */
    NO_RECORD(FailureKind.TARGET, "no-record", "name a file that can be written, then run it again"),

    INTEGRITY(FailureKind.INTEGRITY, "integrity", "check memory, network and disk of both hosts, then run it again"),

    REFUSED(FailureKind.REFUSED, "refused", "check the key, its permissions and the exported roots"),
    /** This host has no key for the server. */
    NO_KEY(FailureKind.REFUSED, "no-key", Cause.NEW_KEY),
    UNKNOWN_KEY(FailureKind.REFUSED, "unknown-key", Cause.NEW_KEY),
    REVOKED(FailureKind.REFUSED, "revoked", Cause.NEW_KEY),
    EXPIRED(FailureKind.REFUSED, "expired", Cause.NEW_KEY),
    /** The next attempt reads the token again. */
    TOKEN_EXPIRED(FailureKind.REFUSED, "token-expired", "get a new token, then run it again to resume", Repeat.ALWAYS),
    OTHER_SERVER(
            FailureKind.REFUSED,
            "other-server",
            "check who listens there; if the server has a new identity, import a new key of it"),
    READ_ONLY_SERVER(FailureKind.REFUSED, "read-only-server", "use a server that runs without --read-only"),
    READ_ONLY_KEY(FailureKind.REFUSED, "read-only-key", "get a key that may write (fdt key create --allow)"),
    NO_RIGHT(FailureKind.REFUSED, "no-right", "get a key with that right (fdt key create --allow)"),
    OUTSIDE_ROOT(
            FailureKind.REFUSED,
            "outside-root",
            "name a path below an exported directory, without links that lead out of it"),
    /** The server no longer has the session that a client returns to, or that a lane belongs to. */
    NO_SESSION(FailureKind.REFUSED, "no-session", "run it again to resume"),

    CANNOT_CONNECT(
            FailureKind.CANNOT_CONNECT,
            "cannot-connect",
            "check the address and the port, and that the server is running",
            Repeat.ALWAYS),
    UNKNOWN_HOST(
            FailureKind.CANNOT_CONNECT,
            "unknown-host",
            "check the spelling of the host and its entry in the DNS",
            Repeat.ALWAYS),
    REFUSED_CONNECTION(
            FailureKind.CANNOT_CONNECT,
            "refused-connection",
            "check the port, and that the server is running and listens on this address",
            Repeat.ALWAYS),
    NO_ROUTE(FailureKind.CANNOT_CONNECT, "no-route", "check the address and the network", Repeat.ALWAYS),
    NO_ANSWER(FailureKind.CANNOT_CONNECT, "no-answer", "check the address and the firewall", Repeat.ALWAYS),
    NOT_FDT(FailureKind.CANNOT_CONNECT, "not-fdt", "check the port", Repeat.ALWAYS),
    NO_SSH(
            FailureKind.CANNOT_CONNECT,
            "no-ssh",
            "check that ssh reaches that host without a prompt; its message is above",
            Repeat.ALWAYS),
    NO_REMOTE_FDT(FailureKind.CANNOT_CONNECT, "no-remote-fdt", "check that fdt runs there; see above", Repeat.ALWAYS),
    /** The server is running, but full, starting or stopping. */
    UNAVAILABLE(FailureKind.CANNOT_CONNECT, "unavailable", "try again later, or use --retry", Repeat.ALWAYS),
    /** The server may be running. */
    NO_RDMA(FailureKind.CANNOT_CONNECT, "no-rdma", "use --transport tcp, or see docs/rdma.md"),

    CONNECTION_LOST(FailureKind.CONNECTION_LOST, "lost", "run it again to resume", Repeat.ALWAYS),

    LIMIT(FailureKind.LIMIT, "limit", "raise the limit that stopped it, then run it again to resume"),
    /** A key has all that its server grants to one key. */
    SHARE_USED_UP(
            FailureKind.LIMIT, "share-used-up", "run fewer copies with this key at once, then run it again to resume"),
    HOST_LIMIT(
            FailureKind.LIMIT,
            "host-limit",
            "raise the limit of that host (ulimit -n, ulimit -u) or use fewer lanes (-P), then run it again to"
                    + " resume"),

    BUSY(
            FailureKind.BUSY,
            "busy",
            "wait until the other copy ends, then run this one again if anything is missing",
            Repeat.ALWAYS),

    VERSION(FailureKind.VERSION, "version", "use releases of fdt that share a protocol version"),
    /** The peer breaks the rules of the protocol. */
    MALFORMED(
            FailureKind.VERSION,
            "malformed",
            "use the same release of fdt on both hosts; if that does not help, report it"),

    INTERRUPTED(FailureKind.INTERRUPTED, "interrupted", "run it again to resume"),
    TERMINATED(FailureKind.TERMINATED, "terminated", "run it again to resume");

    private enum Repeat {
        NEVER,
        IF_SOURCE_IS_LISTED_AGAIN,
        ALWAYS
    }

    private static final String CHECK_DEVICE =
            "check the disk and the kernel's messages (dmesg) of that host, then run it again";
    private static final String NEW_KEY =
            "get a new key from the operator of the server (fdt key create) and import it (fdt key import)";

    private static final Map<String, Cause> BY_WORD = new HashMap<>();
    private static final Map<Integer, Cause> FIRST_OF_CODE = new HashMap<>();

    static {
        for (Cause cause : values()) {
            BY_WORD.put(cause.word, cause);
            FIRST_OF_CODE.putIfAbsent(cause.exitCode(), cause);
        }
    }

    private final FailureKind kind;
    private final String word;
    private final String remedy;
    private final Repeat repeat;

    Cause(FailureKind kind, String word, String remedy) {
        this(kind, word, remedy, Repeat.NEVER);
    }

    Cause(FailureKind kind, String word, String remedy, Repeat repeat) {
        this.kind = kind;
        this.word = word;
        this.remedy = remedy;
        this.repeat = repeat;
    }

    /** The cause that a peer names; of an unknown word the first one with its exit code. */
    public static Cause of(String word, int exitCode) {
        Cause known = BY_WORD.get(word);
        return known != null && known.exitCode() == exitCode
                ? known
                : FIRST_OF_CODE.getOrDefault(exitCode == FailureKind.INTERNAL.exitCode() ? -1 : exitCode, UNKNOWN);
    }

    /** The first cause with this exit code; {@link #UNKNOWN} if there is none. */
    public static Cause ofExitCode(int exitCode) {
        return FIRST_OF_CODE.getOrDefault(exitCode, UNKNOWN);
    }

    /** For which its exit code stands. */
    public FailureKind kind() {
        return kind;
    }

    public int exitCode() {
        return kind.exitCode();
    }

    /** The public word. */
    public String word() {
        return word;
    }

    public String remedy() {
        return remedy;
    }

    /**
     * Whether {@code --retry} repeats a copy that failed so.
     *
     * @param listsAgain whether the next attempt lists the source again
     */
    public boolean isRepeated(boolean listsAgain) {
        return repeat == Repeat.ALWAYS || (repeat == Repeat.IF_SOURCE_IS_LISTED_AGAIN && listsAgain);
    }

    /** Whether it concerns a device or a file system of the target, and so every file there. */
    public boolean isOfDevice() {
        return switch (this) {
            case NO_SPACE, QUOTA, READ_ONLY_FILE_SYSTEM, IO_ERROR, NO_MEMORY -> true;
            default -> false;
        };
    }

    // ---- Failures with this cause.

    /** A failure of this path on this host, which still lacks its detail. */
    public Failure at(String path) {
        return Failure.of(this).at(path);
    }

    /** A failure with a remedy of its own, which still lacks its detail. */
    public Failure advise(String ownRemedy) {
        return Failure.of(this).advise(ownRemedy);
    }

    public TransferException failure(String detail) {
        return Failure.of(this).failure(detail);
    }

    public TransferException failure(String detail, @Nullable Throwable origin) {
        return Failure.of(this).failure(detail, origin);
    }
}
