package io.fdt.core.transfer.service;

import io.fdt.core.control.Session;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TransferPlan.Direction;
import java.util.List;

/** What a client refuses before it moves data: invalid plans, and servers that cannot carry them out. */
final class CopyChecks {
    private CopyChecks() {}

    /** Throws USAGE for a plan that no copy can carry out. */
    static void requireSense(TransferPlan plan) {
        if (plan.get(CopyValue.REMOVE_SOURCE)
                && (plan.direction() == Direction.PULL
                        || plan.has(CopyValue.SHARD)
                        || plan.get(CopyValue.DURABLE) == Durability.NONE
                        || plan.get(CopyValue.DIGEST) == DigestKind.NONE)) {
            throw Cause.USAGE.failure(
                    "--remove-source needs a push of local files with a digest, and --durable end or chunk");
        }
        if (plan.comparesDigests() && plan.get(CopyValue.DIGEST) == DigestKind.NONE) {
            throw Cause.USAGE.failure("--compare digest needs a digest: not --digest none");
        }
        if (plan.has(CopyValue.RANGE)
                && (plan.get(CopyValue.RESUME)
                        || plan.get(CopyValue.REMOVE_SOURCE)
                        || plan.sources().size() != 1
                        || plan.sources().contains(TransferPlan.STANDARD_STREAM))) {
            throw Cause.USAGE.failure(
                    "a range is one of a single file, which stays, and is copied anew; leave out --resume, --remove-source"
                            + " and other sources");
        }
        boolean selectsSome = plan.has(CopyValue.NAMES) || plan.has(CopyValue.SHARD);
        if (plan.has(CopyValue.MIRROR) && selectsSome) {
            throw Cause.USAGE.failure(
                    "--delete needs all of the source, and a list of names or a shard is a part of it");
        }
        plan.forServer().requireFitting();
        if (plan.sources().contains(TransferPlan.DEV_ZERO)
                != plan.get(CopyValue.ZEROS).hasEnd()) {
            throw Cause.USAGE.failure("/dev/zero, and nothing else, needs an end: --size or --duration");
        }
        RawPath target = plan.target();
        List<RawPath> sources = plan.sources();
        boolean stream = sources.contains(TransferPlan.DEV_ZERO) || sources.contains(TransferPlan.STANDARD_STREAM);
        boolean nothing = target.equals(TransferPlan.DEV_NULL) || TransferPlan.descriptorOf(target) >= 0;
        if (plan.has(CopyValue.MANIFEST) && (stream || nothing || plan.has(CopyValue.SHARD))) {
            throw Cause.USAGE.failure(
                    "--manifest reads whole files again after the copy, so it does not apply to /dev/zero, /dev/null,"
                            + " -, or --shard; leave it out");
        }
    }

    /** A server may grant less than requested; more, or something else, would be an attack. */
    static void requireWhatWasAsked(Session open, TransferPlan asked) {
        if ((open.clearLanes() && !asked.get(CopyValue.CLEAR_LANES))
                || open.lanes() > asked.get(CopyValue.LANES).max()) {
            TransferException trick = Cause.REFUSED.failure(
                    open.clearLanes()
                            ? open.peer() + " requires lanes without TLS, which was not requested"
                            : open.peer() + " requires more lanes than were requested");
            open.end(trick);
            throw trick;
        }
    }
}
