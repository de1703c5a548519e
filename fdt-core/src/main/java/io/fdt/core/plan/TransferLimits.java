package io.fdt.core.plan;

/**
 * Limits of one transfer, set by one side.
 *
 * @param entries of the manifest
 * @param bytes of chunks, including resent ones
 * @param pathDepth components of an entry's path
 */
public record TransferLimits(long entries, long bytes, int pathBytes, int pathDepth) {
    /** The limits of the wire format. */
    public static final TransferLimits NONE =
            new TransferLimits(Long.MAX_VALUE, Long.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE);

    public TransferLimits atMost(long otherBytes) {
        return new TransferLimits(entries, Math.min(bytes, otherBytes), pathBytes, pathDepth);
    }

    public static final TransferLimits SERVER_DEFAULT = new TransferLimits(100_000_000, Long.MAX_VALUE, 4095, 512);
}
