package io.fdt.core;

/**
 * Every way in which a command can fail: the one table of exit codes, their meanings and remedies. Codes are public and
 * are never renumbered. {@link #INTERNAL} is our own mistake; everything else is an expected failure.
 */
public enum FailureKind {
    INTERNAL(1, "unexpected: a bug, please report it", "this is a bug in fdt, please report it"),
    USAGE(2, "bad usage", "see --help"),
    SOME_FILES_FAILED(
            3,
            "some files failed and are listed; all others are in place",
            "all other files are in place; run it again for the failed ones"),
    SOURCE(4, "source missing or unreadable", "check that the source exists and is readable"),
    TARGET(
            5,
            "target full, over quota or not writable",
            "free space on the target or make it writable, then run it again"),
    INTEGRITY(
            6,
            "data did not verify even after it was sent again",
            "the data did not verify; check memory, network and disk, then run it again"),
    REFUSED(7, "refused: key, permission or root", "check the key, its permissions and the exported roots"),
    CANNOT_CONNECT(8, "cannot connect", "check the address, the port and that the server runs"),
    /** The server may well be there. */
    NO_RDMA(8, "no RDMA where it was asked for", "use --transport tcp, or see docs/rdma.md"),
    CONNECTION_LOST(9, "connection lost or peer silent", "run it again to resume"),
    LIMIT(10, "stopped by a limit that the user set", "a limit that you set stopped it; run it again to go on"),
    VERSION(12, "the two sides speak no common version", "use releases of fdt that share a protocol version"),
    INTERRUPTED(130, "interrupted, resumable", "run it again to resume"),
    TERMINATED(143, "terminated, resumable", "run it again to resume");

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

    /** What happened, in the words of the manual. */
    public String meaning() {
        return meaning;
    }

    public String remedy() {
        return remedy;
    }

    /** The kind that a peer named by its exit code; an unknown code is a failure all the same. */
    public static FailureKind ofExitCode(int exitCode) {
        for (FailureKind kind : values()) {
            if (kind.exitCode == exitCode) {
                return kind;
            }
        }
        return INTERNAL;
    }
}
