package io.fdt.core.wire;

/**
 * Optional features within one protocol version. Each side sends its set of bits once, the client when it proves its
 * key and the server when it opens the session. Unknown bits are ignored, and a message that needs a capability is sent
 * only to a peer that has it. Bits are on the wire and never change.
 */
public final class Capability {
    /** Understands {@link SessionMessage.AskHost} and {@link SessionMessage.HostTold}, although it may not answer. */
    public static final long HOST_VIEW = 1;

    /** Serves tests over queue pairs of a device, {@link NettestMessage.QueuePart}, and objects that are read. */
    public static final long DEVICE_QUEUES = 1 << 1;

    /** Accepts {@link io.fdt.core.plan.FileRange}s, which other peers would treat as files. */
    public static final long FILE_RANGES = 1 << 2;

    /**
     * Receives pieces of a chunk that it was sent whole before, and acknowledges with the length: without the length,
     * the sender could not distinguish a piece from the whole chunk.
     */
    public static final long CHUNK_PIECES = 1 << 3;

    /** Removes what unfinished copies left: {@link VerifyMessage.OpenList}. Other peers would list everything. */
    public static final long CLEANS = 1 << 4;

    /** Hashes with {@link io.fdt.core.digest.FileHash}, and reports whether a single file got a new name. */
    public static final long MANIFESTS = 1 << 5;

    /**
     * Mirrors, keeps newer files, selects by size and time, and understands in a dry run which files would be replaced.
     * Other peers would silently do none of this.
     */
    public static final long SELECTION = 1 << 6;

    /**
     * Preserves ACLs and hard links, sends ACLs for verification, and supports {@link
     * io.fdt.core.plan.SourceSelection.Handling}. Other peers would silently do none of this.
     */
    public static final long METADATA = 1 << 7;

    /** Understands a verdict about several consecutive entries. Other peers would apply it to the first one only. */
    public static final long VERDICT_RUNS = 1 << 8;

    /**
     * As a receiver, understands that lanes have been given up. Other peers would treat it as a violation of the
     * protocol.
     */
    public static final long LANES_GIVEN_UP = 1 << 9;

    /**
     * As a sender, understands {@link TransferMessage.Deleted} also for directories that did not get their mode or
     * times.
     */
    public static final long UNFINISHED_DIRECTORIES = 1 << 10;

    /** The capabilities of this build. */
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
