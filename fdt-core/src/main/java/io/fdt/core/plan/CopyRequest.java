package io.fdt.core.plan;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.NodeHash;
import io.fdt.core.plan.TargetRules.Mirror;
import io.fdt.core.plan.TransferPlan.Direction;
import java.util.List;

/**
 * One copy, as both sides must know it. A client's plan contains all of it, a server receives {@link #forServer}.
 *
 * @param selection at the sender. {@code /dev/zero} is endless zeros, {@code -} is standard input
 * @param target at the receiver. {@code /dev/null} discards, {@code -} is standard output; a trailing slash means a
 *     directory
 * @param sizeBytes how much of {@code /dev/zero} to send, or -1
 * @param durationNanos how long to send {@code /dev/zero}, or -1
 * @param lanes requested; the server may grant fewer
 * @param rateBitsPerSecond the maximum rate, or 0 for none
 * @param hash of every chunk and file: what is compared, with the checksums that are computed beside it
 * @param chunkBytes a power of two between one leaf and 64 leaves
 * @param timeoutMs how long a session survives a silent peer, and lanes that move nothing
 */
public record CopyRequest(
        Direction direction,
        SourceSelection selection,
        RawPath target,
        TargetRules rules,
        long sizeBytes,
        long durationNanos,
        LaneRange lanes,
        NodeHash hash,
        boolean clearLanes,
        long rateBitsPerSecond,
        boolean dryRun,
        int chunkBytes,
        long timeoutMs) {

    private static final long STEP_MAX_MS = 30_000;

    /** The digest without checksums. */
    public DigestKind digest() {
        return hash.digest();
    }

    /** How long one step of the session may take, such as a connection; the session survives more than that. */
    public long stepMs() {
        return Math.min(timeoutMs, STEP_MAX_MS);
    }

    /**
     * The part that a server receives: for a push, of the sources only what a mirror must not delete; for a pull, not
     * the target.
     */
    public CopyRequest forServer() {
        return direction == Direction.PULL
                ? withTarget(TransferPlan.DEV_NULL)
                : withSelection(new SourceSelection(List.of(), null, sparedByMirror()));
    }

    /** The rules whose excluded paths a mirror does not delete. */
    public List<PathRule> sparedByMirror() {
        Mirror mirror = rules.mirror();
        return mirror == null || mirror.deletesExcluded() ? List.of() : selection.rules();
    }

    public CopyRequest withSelection(SourceSelection other) {
        return with(other, target, rules, lanes, clearLanes);
    }

    /** Returns this request for only these names. */
    public CopyRequest withNames(List<RawPath> names) {
        return withSelection(selection.named(names));
    }

    public CopyRequest withTarget(RawPath other) {
        return with(selection, other, rules, lanes, clearLanes);
    }

    public CopyRequest withRules(TargetRules other) {
        return with(selection, target, other, lanes, clearLanes);
    }

    public CopyRequest withLanes(LaneRange other) {
        return with(selection, target, rules, other, clearLanes);
    }

    /** Returns this request with unencrypted lanes. */
    public CopyRequest clear() {
        return with(selection, target, rules, lanes, true);
    }

    private CopyRequest with(SourceSelection from, RawPath to, TargetRules how, LaneRange range, boolean clear) {
        return new CopyRequest(
                direction,
                from,
                to,
                how,
                sizeBytes,
                durationNanos,
                range,
                hash,
                clear,
                rateBitsPerSecond,
                dryRun,
                chunkBytes,
                timeoutMs);
    }
}
