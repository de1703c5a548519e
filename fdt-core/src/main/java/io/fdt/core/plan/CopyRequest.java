package io.fdt.core.plan;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.plan.TargetRules.Mirror;
import io.fdt.core.plan.TransferPlan.Direction;
import java.util.List;

/**
 * One copy, as both sides must know it. A client's plan holds it whole; what of it goes to a server is
 * {@link #forServer}.
 *
 * @param selection on the sender's side. {@code /dev/zero} is endless zeros, {@code -} is standard input
 * @param target on the receiver's side. {@code /dev/null} discards, {@code -} is standard output; a trailing
 *     slash says that it is a directory
 * @param sizeBytes how much of {@code /dev/zero}, or -1
 * @param durationNanos how long to send {@code /dev/zero}, or -1
 * @param lanes wanted; the server may grant fewer
 * @param rateBitsPerSecond ceiling, or 0 for none
 * @param chunkBytes a power of two between one leaf and 64 leaves
 */
public record CopyRequest(
        Direction direction,
        SourceSelection selection,
        RawPath target,
        TargetRules rules,
        long sizeBytes,
        long durationNanos,
        LaneRange lanes,
        DigestKind digest,
        boolean clearLanes,
        long rateBitsPerSecond,
        boolean dryRun,
        int chunkBytes,
        long timeoutMs) {

    /** As the server is told it: a push names only what a mirror spares of its sources, a pull not its target. */
    public CopyRequest forServer() {
        return direction == Direction.PULL
                ? withTarget(TransferPlan.DEV_NULL)
                : withSelection(new SourceSelection(List.of(), null, sparedByMirror()));
    }

    /** What these exclude is not deleted. */
    public List<PathRule> sparedByMirror() {
        Mirror mirror = rules.mirror();
        return mirror == null || mirror.deletesExcluded() ? List.of() : selection.rules();
    }

    public CopyRequest withSelection(SourceSelection other) {
        return with(other, target, rules, lanes, clearLanes);
    }

    /** The same for these names, and no others. */
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

    /** The same over lanes without encryption. */
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
                digest,
                clear,
                rateBitsPerSecond,
                dryRun,
                chunkBytes,
                timeoutMs);
    }
}
