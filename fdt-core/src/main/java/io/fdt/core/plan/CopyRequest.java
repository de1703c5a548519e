package io.fdt.core.plan;

import io.fdt.core.digest.Checksums;
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
 * @param dryRun nothing is copied, only reported
 */
public record CopyRequest(
        Direction direction,
        SourceSelection selection,
        RawPath target,
        TargetRules rules,
        LaneRequest lanes,
        Chunking chunks,
        boolean dryRun) {

    private static final long STEP_MAX_MS = 30_000;

    public CopyRequest {
        target.requireShort();
    }

    /** Whether something may pass over lanes: in a dry run, the digests that are compared. */
    public boolean needsLanes() {
        return !dryRun || rules.compareDigest();
    }

    /** The digest without checksums. */
    public DigestKind digest() {
        return chunks.hash().digest();
    }

    /** How long one step of the session may take, such as a connection; the session survives more than that. */
    public long stepMs() {
        return Math.min(lanes.timeoutMs(), STEP_MAX_MS);
    }

    /**
     * The part that a server receives: for a push, of the sources only what a mirror must not delete, and whether they
     * are pairs; for a pull, not the target.
     */
    public CopyRequest forServer() {
        return direction == Direction.PULL
                ? withTarget(TransferPlan.DEV_NULL)
                : withSelection(selection.atReceiver(sparedByMirror()));
    }

    /** The rules whose excluded paths a mirror does not delete. */
    public List<PathRule> sparedByMirror() {
        Mirror mirror = rules.mirror();
        return mirror == null || mirror.deletesExcluded() ? List.of() : selection.rules();
    }

    public CopyRequest withSelection(SourceSelection other) {
        return new CopyRequest(direction, other, target, rules, lanes, chunks, dryRun);
    }

    public CopyRequest withNames(List<RawPath> names) {
        return withSelection(selection.named(names));
    }

    public CopyRequest withTarget(RawPath other) {
        return new CopyRequest(direction, selection, other, rules, lanes, chunks, dryRun);
    }

    public CopyRequest withRules(TargetRules other) {
        return new CopyRequest(direction, selection, target, other, lanes, chunks, dryRun);
    }

    /** Returns this request with further checksums. */
    public CopyRequest with(Checksums further) {
        NodeHash hash = chunks.hash();
        Chunking summed = new Chunking(hash.sums().and(further).beside(hash.digest()), chunks.bytes());
        return new CopyRequest(direction, selection, target, rules, lanes, summed, dryRun);
    }

    public CopyRequest withLanes(LaneRange count) {
        return withLanes(lanes.withCount(count));
    }

    /** Returns this request with unencrypted lanes. */
    public CopyRequest clear() {
        return withLanes(lanes.inClear());
    }

    private CopyRequest withLanes(LaneRequest other) {
        return new CopyRequest(direction, selection, target, rules, other, chunks, dryRun);
    }
}
