package io.fdt.core.transfer.service;

import io.fdt.core.control.Session;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyRequest;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.SourceSelection.Handling;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TransferPlan.Direction;
import java.util.List;

/** What a client refuses before it moves data: invalid plans, and servers that cannot carry them out. */
final class CopyChecks {
    private CopyChecks() {}

    /** Throws USAGE for a plan that no copy can carry out. */
    static void requireSense(TransferPlan plan) {
        CopyRequest request = plan.request();
        if (request.selection().handling().contains(Handling.REMOVE)
                && (request.direction() == Direction.PULL
                        || plan.shardFile() != null
                        || request.rules().writing().durability() == Durability.NONE
                        || request.digest() == DigestKind.NONE)) {
            throw Cause.USAGE.failure(
                    "--remove-source needs a push of local files with a digest, and --durable end or chunk");
        }
        if (request.rules().compareDigest() && request.digest() == DigestKind.NONE) {
            throw Cause.USAGE.failure("--compare digest needs a digest: not --digest none");
        }
        boolean selectsSome = request.selection().names() != null || plan.shardFile() != null;
        if (request.rules().mirror() != null && selectsSome) {
            throw Cause.USAGE.failure(
                    "--delete needs all of the source, and a list of names or a shard is a part of it");
        }
        request.forServer().selection().requireFitting();
        RawPath target = request.target();
        List<RawPath> sources = request.selection().sources();
        boolean stream = sources.contains(TransferPlan.DEV_ZERO) || sources.contains(TransferPlan.STANDARD_STREAM);
        boolean nothing = target.equals(TransferPlan.DEV_NULL) || TransferPlan.descriptorOf(target) >= 0;
        if (plan.records().manifest() != null && (stream || nothing || plan.shardFile() != null)) {
            throw Cause.USAGE.failure(
                    "--manifest reads whole files again after the copy, so it does not apply to /dev/zero, /dev/null,"
                            + " -, or --shard; leave it out");
        }
    }

    /** A server may grant less than requested; more, or something else, would be an attack. */
    static void requireWhatWasAsked(Session open, CopyRequest asked) {
        if ((open.clearLanes() && !asked.lanes().clear())
                || open.lanes() > asked.lanes().count().max()) {
            TransferException trick = Cause.REFUSED.failure(
                    open.clearLanes()
                            ? open.peer() + " requires lanes without TLS, which was not requested"
                            : open.peer() + " requires more lanes than were requested");
            open.end(trick);
            throw trick;
        }
    }
}
