package io.fdt.core;

import org.jspecify.annotations.Nullable;

/**
 * The kinds of failures of a command: the only table of exit codes, their meanings and remedies, except for those of
 * special causes ({@link Cause}). Codes are public and are never renumbered. {@link #INTERNAL} is a bug in fdt; all
 * others are expected failures.
 */
public enum FailureKind {
    INTERNAL(1, "unexpected: a bug, please report it", "this is a bug in fdt, please report it"),
    USAGE(2, "bad usage", "see --help"),
    SOME_FILES_FAILED(
            3,
            "some files failed and are listed; all others are in place",
            "all other files are in place; correct what is listed, then run the same command again"),
    SOURCE(4, "source missing or unreadable", "check that the source exists and is readable"),
    /** Another attempt may succeed. */
    SOURCE_CHANGED(
            4,
            "source changed or vanished while it was copied",
            "run it again when the source no longer changes, or use --growing snapshot for files that grow"),
    TARGET(5, "target full, over quota or not writable", "correct this at the target, then run it again"),
    INTEGRITY(
            6,
            "data did not verify even after it was resent",
            "check memory, network and disk of both hosts, then run it again"),
    REFUSED(7, "refused: key, permission or root", "check the key, its permissions and the exported roots"),
    CANNOT_CONNECT(8, "cannot connect", "check the address and the port, and that the server is running"),
    /** The server is running; a peer sends this as {@link #CANNOT_CONNECT}. */
    UNAVAILABLE(8, "the server is full, starting or stopping", "try again later, or use --retry"),
    /** The server may be running. */
    NO_RDMA(8, "RDMA was requested and is not available", "use --transport tcp, or see docs/rdma.md"),
    CONNECTION_LOST(9, "connection lost or peer silent", "run it again to resume"),
    LIMIT(10, "stopped by a limit that you set", "raise the limit that stopped it, then run it again to resume"),
    HOST_LIMIT(
            10,
            "a limit of the host was reached: open files, threads or memory",
            "raise the limit of this host (ulimit -n, ulimit -u) or use fewer lanes (-P), then run it again to resume"),
    BUSY(
            11,
            "another copy is writing the same target",
            "wait until the other copy ends, then run this one again if anything is missing"),
    VERSION(12, "the two ends share no protocol version", "use releases of fdt that share a protocol version"),
    INTERRUPTED(130, "interrupted, resumable", "run it again to resume"),
    TERMINATED(143, "terminated, resumable", "run it again to resume");

    /** The end of the message for a pattern without matches. */
    public static final String NO_MATCH = "nothing matches this pattern";

    /** The start of the message of a dry run in which some files failed. */
    public static final String DRY_RUN = "dry run: ";

    /** Separates what happened from the remedy in messages that have their own. */
    private static final String OWN_REMEDY = "; ";

    private final int exitCode;
    private final String meaning;
    private final String remedy;

    FailureKind(int exitCode, String meaning, String remedy) {
        this.exitCode = exitCode;
        this.meaning = meaning;
        this.remedy = remedy;
    }

    public int exitCode() {
        return exitCode;
    }

    public String meaning() {
        return meaning;
    }

    public String remedy() {
        return remedy;
    }

    /** The remedy for a failure with this message: that of its cause, or its own, or else that of its kind. */
    public String remedy(String message) {
        if (message.startsWith(DRY_RUN)) {
            return "nothing was changed; correct the cause before you copy";
        }
        String first = withoutCount(message);
        Cause cause = Cause.of(this, first);
        if (cause != null) {
            return cause.remedy();
        }
        String own = ownRemedy(first);
        return own == null ? remedy : own;
    }

    /** Whether the message ends with its remedy, so that none should follow it. */
    public boolean isRemediedBy(String message) {
        String first = withoutCount(message);
        return this == USAGE
                || first.contains("again to resume")
                || (Cause.of(this, first) == null && ownRemedy(first) != null);
    }

    private @Nullable String ownRemedy(String message) {
        return switch (this) {
            case USAGE, SOURCE, TARGET, REFUSED, CANNOT_CONNECT, UNAVAILABLE, NO_RDMA, LIMIT, HOST_LIMIT, VERSION -> {
                int at = message.lastIndexOf(OWN_REMEDY);
                yield at < 0 ? null : message.substring(at + OWN_REMEDY.length());
            }
            default -> null;
        };
    }

    /** A message about several files ends with the number of the others. */
    private static String withoutCount(String message) {
        int more = message.endsWith(" more)") ? message.lastIndexOf(" (and ") : -1;
        return more < 0 ? message : message.substring(0, more);
    }

    public TransferException failure(String message) {
        return new TransferException(this, message);
    }

    public TransferException failure(String message, @Nullable Throwable cause) {
        return new TransferException(this, message, cause);
    }

    /** The kind for the exit code that a peer sent; an unknown code is a failure, too. */
    public static FailureKind ofExitCode(int exitCode) {
        for (FailureKind kind : values()) {
            if (kind.exitCode == exitCode) {
                return kind;
            }
        }
        return INTERNAL;
    }
}
