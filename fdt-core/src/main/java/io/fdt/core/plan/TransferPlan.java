package io.fdt.core.plan;

import io.fdt.core.digest.DigestKind;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A checked copy command: what the client wants of one session.
 *
 * @param selection on the sender's side. {@code /dev/zero} is endless zeros, {@code -} is standard input
 * @param target on the receiver's side. {@code /dev/null} discards, {@code -} is standard output; a trailing
 *     slash says that it is a directory
 * @param sizeBytes how much of {@code /dev/zero}, or -1
 * @param durationNanos how long to send {@code /dev/zero}, or -1
 * @param lanes wanted; the server may grant fewer
 * @param rateBitsPerSecond ceiling, or 0 for none
 * @param localAddresses to spread the lanes over; empty for the system's choice
 * @param limits of the user's own making
 * @param chunkBytes a power of two between one leaf and 64 leaves
 * @param shardFile what is to be pushed instead of a selection, a shard of a job; null for none
 */
public record TransferPlan(
        Direction direction,
        String host,
        int port,
        SourceSelection selection,
        RawPath target,
        TargetRules rules,
        long sizeBytes,
        long durationNanos,
        int lanes,
        DigestKind digest,
        boolean clearLanes,
        long rateBitsPerSecond,
        boolean dryRun,
        List<InetAddress> localAddresses,
        int chunkBytes,
        long timeoutMs,
        @Nullable RawPath receiptFile,
        TransferLimits limits,
        @Nullable Path shardFile) {

    public static final RawPath DEV_ZERO = RawPath.ofText("/dev/zero");
    public static final RawPath DEV_NULL = RawPath.ofText("/dev/null");
    /** Standard input as a source, standard output as a target. */
    public static final RawPath STANDARD_STREAM = RawPath.ofText("-");

    /** Who sends. */
    public enum Direction {
        /** The client. */
        PUSH,
        /** The server. */
        PULL
    }

    /** How many lanes are usual on a machine with so many cores. */
    public static int usualLanes(int cores) {
        return Math.max(4, Math.min(16, cores));
    }

    /**
     * A push of a file, or of a directory as a directory in the target; everything else as usual until it is said otherwise.
     *
     * @param target on the server, inside what it exports; a trailing slash says that it is a directory
     */
    public static TransferPlanBuilder push(Path source, String host, int port, String target) {
        return of(Direction.PUSH, RawPath.of(source), host, port, RawPath.ofText(target));
    }

    /** A pull of what the server has at the source: a file, a directory, or, with a trailing slash, what is in a directory. */
    public static TransferPlanBuilder pull(String host, int port, String source, Path target) {
        return of(Direction.PULL, RawPath.ofText(source), host, port, RawPath.of(target));
    }

    /** The same with paths of any bytes. */
    public static TransferPlanBuilder of(Direction direction, RawPath source, String host, int port, RawPath target) {
        return new TransferPlanBuilder(direction, source, host, port, target);
    }

    public TransferPlan {
        localAddresses = List.copyOf(localAddresses);
    }

    /** A copy of a selection. */
    public TransferPlan(
            Direction direction,
            String host,
            int port,
            SourceSelection selection,
            RawPath target,
            TargetRules rules,
            long sizeBytes,
            long durationNanos,
            int lanes,
            DigestKind digest,
            boolean clearLanes,
            long rateBitsPerSecond,
            boolean dryRun,
            List<InetAddress> localAddresses,
            int chunkBytes,
            long timeoutMs,
            @Nullable RawPath receiptFile,
            TransferLimits limits) {
        this(
                direction,
                host,
                port,
                selection,
                target,
                rules,
                sizeBytes,
                durationNanos,
                lanes,
                digest,
                clearLanes,
                rateBitsPerSecond,
                dryRun,
                localAddresses,
                chunkBytes,
                timeoutMs,
                receiptFile,
                limits,
                null);
    }

    /** The same copy of a shard instead of its selection. */
    public TransferPlan ofShard(Path shard) {
        return with(host, port, new SourceSelection(List.of(), null, List.of()), target, shard);
    }

    /** The same copy with another server, and with the paths as they are there. */
    public TransferPlan at(String otherHost, int otherPort, SourceSelection otherSelection, RawPath otherTarget) {
        return with(otherHost, otherPort, otherSelection, otherTarget, shardFile);
    }

    private TransferPlan with(
            String otherHost,
            int otherPort,
            SourceSelection otherSelection,
            RawPath otherTarget,
            @Nullable Path otherShard) {
        return new TransferPlan(
                direction,
                otherHost,
                otherPort,
                otherSelection,
                otherTarget,
                rules,
                sizeBytes,
                durationNanos,
                lanes,
                digest,
                clearLanes,
                rateBitsPerSecond,
                dryRun,
                localAddresses,
                chunkBytes,
                timeoutMs,
                receiptFile,
                limits,
                otherShard);
    }
}
