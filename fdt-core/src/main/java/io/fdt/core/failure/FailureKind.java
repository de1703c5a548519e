package io.fdt.core.failure;

/** The exit codes of failures and their meanings. Codes are public and are never renumbered. */
public enum FailureKind {
    INTERNAL(1, "unexpected: a bug, please report it"),
    USAGE(2, "bad usage"),
    SOME_FILES_FAILED(3, "some files failed and are listed; all others are in place"),
    SOURCE(4, "source missing, unreadable, or changed while it was copied"),
    TARGET(5, "target full, over quota, failing or not writable"),
    INTEGRITY(6, "data did not verify even after it was resent"),
    REFUSED(7, "refused: key, permission or root"),
    CANNOT_CONNECT(8, "cannot connect, or the server is full, starting or stopping: another try may work"),
    CONNECTION_LOST(9, "connection lost or peer silent"),
    LIMIT(10, "stopped by a limit: yours, the key's share, or the host's"),
    BUSY(11, "another copy is writing the same target"),
    VERSION(12, "the two ends share no protocol version"),
    INTERRUPTED(130, "interrupted, resumable"),
    TERMINATED(143, "terminated, resumable");

    private final int exitCode;
    private final String meaning;

    FailureKind(int exitCode, String meaning) {
        this.exitCode = exitCode;
        this.meaning = meaning;
    }

    public int exitCode() {
        return exitCode;
    }

    public String meaning() {
        return meaning;
    }
}
