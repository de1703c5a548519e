package io.fdt.core.wire;

/**
 * What a peer of the same version can do that an older build of it could not. Each side says so once, the client when
 * it proves its key and the server when it opens the session, as a set of bits; a bit that the other does not know it
 * ignores, and a message that needs one is sent only to who said so. Bits are on the wire and never change.
 */
public final class Capability {
    /** Understands {@link SessionMessage.AskHost} and {@link SessionMessage.HostTold}; it may still not answer. */
    public static final long HOST_VIEW = 1;

    /** Serves tests by queues of a device, {@link NettestMessage.QueuePart}, and objects that are read. */
    public static final long DEVICE_QUEUES = 1 << 1;

    /** Takes {@link io.fdt.core.plan.FileRange}s, which another peer would take for files. */
    public static final long FILE_RANGES = 1 << 2;

    /**
     * Receives pieces of a chunk that it was sent whole before, and says the length of what it acknowledges: without it
     * the sender could not tell a piece from the whole.
     */
    public static final long CHUNK_PIECES = 1 << 3;

    /** Removes what unfinished copies left: {@link VerifyMessage.OpenList}. Another peer would list everything. */
    public static final long CLEANS = 1 << 4;

    /** Hashes as {@link io.fdt.core.digest.FileHash} does, and tells whether a single file got a new name. */
    public static final long MANIFESTS = 1 << 5;

    /**
     * Mirrors, keeps newer files, selects by size and time, and understands in a dry run which files would be replaced.
     * Another peer would do nothing of it and say nothing.
     */
    public static final long SELECTION = 1 << 6;

    /**
     * Preserves ACLs and hard links, tells ACLs to who verifies, and handles sources as {@link
     * io.fdt.core.plan.SourceSelection.Handling} says. Another peer would do nothing of it and say nothing.
     */
    public static final long METADATA = 1 << 7;

    /** Understands a verdict about several entries in a row. Another peer would take it for one about the first. */
    public static final long VERDICT_RUNS = 1 << 8;

    /** Understands as a receiver that lanes have been given up. Another peer would call it a breach. */
    public static final long LANES_GIVEN_UP = 1 << 9;

    /** Takes as a sender {@link TransferMessage.Deleted} of directories, too, that did not get their mode or times. */
    public static final long UNFINISHED_DIRECTORIES = 1 << 10;

    /** What this build can do. */
    public static final long OURS = HOST_VIEW
            | DEVICE_QUEUES
            | FILE_RANGES
            | CHUNK_PIECES
            | CLEANS
            | MANIFESTS
            | SELECTION
            | METADATA
            | VERDICT_RUNS
            | LANES_GIVEN_UP
            | UNFINISHED_DIRECTORIES;

    private Capability() {}
}
