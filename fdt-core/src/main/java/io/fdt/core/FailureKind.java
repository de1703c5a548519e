package io.fdt.core;

/**
 * Every way in which a command can fail: the one table of exit codes and remedies. Codes are public and
 * are never renumbered. {@link #INTERNAL} is our own mistake; everything else is an expected failure.
 */
public enum FailureKind {
    INTERNAL(1, "this is a bug in fdt, please report it"),
    USAGE(2, "see --help"),
    SOME_FILES_FAILED(3, "all other files are in place; run it again for the failed ones"),
    SOURCE(4, "check that the source exists and is readable"),
    TARGET(5, "free space on the target or make it writable, then run it again"),
    INTEGRITY(6, "the data did not verify; check memory, network and disk, then run it again"),
    REFUSED(7, "check the key, its permissions and the exported roots"),
    CANNOT_CONNECT(8, "check the address, the port and that the server runs"),
    /** The server may well be there. */
    NO_RDMA(8, "use --transport tcp, or see docs/rdma.md"),
    CONNECTION_LOST(9, "run it again to resume"),
    LIMIT(10, "a limit that you set stopped it; run it again to go on"),
    VERSION(12, "use releases of fdt that share a protocol version"),
    INTERRUPTED(130, "run it again to resume"),
    TERMINATED(143, "run it again to resume");

    private final int exitCode;
    private final String remedy;

    FailureKind(int exitCode, String remedy) {
        this.exitCode = exitCode;
        this.remedy = remedy;
    }

    public int exitCode() {
        return exitCode;
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
