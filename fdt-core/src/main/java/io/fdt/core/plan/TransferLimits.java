package io.fdt.core.plan;

/**
 * What one transfer may have at most, by the will of the side that sets it.
 *
 * @param entries of the manifest
 * @param bytes of chunks, those that are sent again among them
 * @param pathBytes of an entry's path
 * @param pathDepth components of an entry's path
 */
public record TransferLimits(long entries, long bytes, int pathBytes, int pathDepth) {
    /** What the wire allows. */
    public static final TransferLimits NONE =
            new TransferLimits(Long.MAX_VALUE, Long.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE);

    /** The same with no more bytes than this. */
    public TransferLimits atMost(long otherBytes) {
        return new TransferLimits(entries, Math.min(bytes, otherBytes), pathBytes, pathDepth);
    }

    /** The defaults of a server. */
    public static final TransferLimits SERVER_DEFAULT = new TransferLimits(100_000_000, Long.MAX_VALUE, 4095, 512);
}
