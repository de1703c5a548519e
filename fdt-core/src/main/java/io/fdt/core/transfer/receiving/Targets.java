package io.fdt.core.transfer.receiving;

import io.fdt.core.budget.Budgets;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.storage.CreationMask;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.storage.FileClaims;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.Target;
import io.fdt.core.storage.source.RequestedEntries;
import io.fdt.core.storage.target.DiscardTarget;
import io.fdt.core.storage.target.PipeTarget;
import io.fdt.core.storage.target.TargetMirror;
import io.fdt.core.storage.target.TargetPreview;
import io.fdt.core.storage.target.TargetSweep;
import io.fdt.core.storage.target.TargetTree;
import io.fdt.core.storage.target.Umask;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Where a receiver's entries go: a tree, nowhere, or standard output, opened when it is known whether the source is a
 * single file; and which entries are permitted. For the session's thread.
 */
public final class Targets implements AutoCloseable {
    /** A file system with less free space than this is full, whatever did not fit. */
    private static final long FULL_BYTES = 1 << 20;

    private final @Nullable Root root;
    private final Function<Boolean, Target> opening;
    private final boolean dryRun;
    private final boolean exactTargets;
    /** Shards are pushed, so nothing that is pulled comes in ranges. */
    private final boolean takesRanges;
    /** Null for a client's own push, for which only the sender knows the requested names. */
    private final @Nullable RequestedEntries requested;

    private final @Nullable TargetMirror mirror;

    private boolean single;
    /** The only path that may arrive if {@link #single}, once it has arrived. */
    private @Nullable RawPath singlePath;

    /** Null if no other session of this process can conflict. */
    private final TargetClaims.@Nullable Claim claim;

    private @Nullable Target target;

    /** The claims of a session of a server, by paths in an exported root. */
    private record ClaimsIn(ExportedRoots.ExportedPath place, TargetClaims.Claim claim) implements FileClaims {
        @Override
        public boolean mayHold(RawPath path) {
            return claim.mayHold(place.absolute(path));
        }

        @Override
        public boolean tryHold(RawPath path, @Nullable FileRange range) {
            return claim.tryHold(place.absolute(path), range);
        }

        @Override
        public void hold(RawPath path) {
            claim.hold(place.absolute(path));
        }

        @Override
        public void release(RawPath path, @Nullable FileRange range) {
            claim.release(place.absolute(path), range);
        }
    }

    /**
     * @param root closed at the end
     * @param opening opens the target once it is known whether a single file arrives
     */
    Targets(
            @Nullable Root root,
            Function<Boolean, Target> opening,
            TransferPlan request,
            boolean takesRanges,
            @Nullable RequestedEntries requested,
            TargetClaims.@Nullable Claim claim) {
        this.root = root;
        this.opening = opening;
        this.mirror = !request.has(CopyValue.MIRROR) || root == null
                ? null
                : new TargetMirror(request.sparedByMirror(), root.budget());
        this.requested = requested;
        this.claim = claim;
        this.takesRanges = takesRanges;
        this.dryRun = request.dryRun();
        this.exactTargets = request.get(CopyValue.PAIRS);
    }

    /** At the path of a pulling client's plan. */
    public static Targets local(TransferPlan plan) {
        RawPath path = plan.target();
        RequestedEntries requested = new RequestedEntries(plan, Budgets.ofProcess());
        if (path.equals(TransferPlan.DEV_NULL)) {
            return new Targets(null, singleFile -> new DiscardTarget(), plan, false, requested, null);
        }
        int descriptor = TransferPlan.descriptorOf(path);
        if (descriptor >= 0) {
            return new Targets(null, singleFile -> PipeTarget.of(descriptor), plan, false, requested, null);
        }
        Root root = Root.unconfined(
                RawPath.EMPTY,
                plan.get(CopyValue.OBEYS_UMASK) ? CreationMask.ofPermissions(Umask.VALUE) : CreationMask.NONE);
        return new Targets(root, tree(root, path, plan), plan, false, requested, null);
    }

    /** At the path that a pushing client requested, below the exported roots. */
    public static Targets exported(ExportedRoots roots, TransferPlan request, TargetClaims.Claim claim) {
        RequestedEntries requested = request.sources().isEmpty() ? null : new RequestedEntries(request, roots.budget());
        if (request.target().equals(TransferPlan.DEV_NULL)) {
            return new Targets(null, singleFile -> new DiscardTarget(), request, true, requested, null);
        }
        ExportedRoots.ExportedPath place = roots.find(request.target());
        if (!request.dryRun()) {
            roots.requireWritable();
        }
        Root root = place.openRoot();
        root.claimBy(new ClaimsIn(place, claim));
        return new Targets(root, tree(root, place.path(), request), request, true, requested, claim);
    }

    private static Function<Boolean, Target> tree(Root root, RawPath path, TransferPlan request) {
        return request.dryRun()
                ? singleFile -> new TargetPreview(root, path, request, singleFile)
                : singleFile -> new TargetTree(
                        root, path, request, request.hash(), request.get(CopyValue.CHUNK_BYTES), singleFile);
    }

    /**
     * Determines and checks the target. Called once, before the first entry.
     *
     * @param singleFile the source is one entry and not a directory, so that the target may be its new name
     * @throws TransferException TARGET or REFUSED
     */
    void open(boolean singleFile) {
        if (target != null) {
            throw Cause.MALFORMED.failure("the sender described its sources twice");
        }
        target = opening.apply(singleFile);
        single = singleFile;
        if (!single && target.takesOneFile()) {
            throw Cause.USAGE.failure(
                    "standard output takes one file, and the source is a directory or several files; name one file");
        }
        if (single && mirror != null) {
            throw Cause.USAGE.failure("--delete needs a directory as source, not a file");
        }
    }

    /** Only after {@link #open}. */
    Target target() {
        if (target == null) {
            throw Cause.MALFORMED.failure("the sender did not describe its sources first");
        }
        return target;
    }

    /**
     * Called before anything is done for an entry.
     *
     * @throws TransferException REFUSED, which ends the session, for an entry that a correct sender would not offer
     */
    void requireRequested(FileEntry entry) {
        if (requested != null) {
            requested.require(entry);
        }
        if (single) {
            requireSingle(entry);
        }
        if (mirror != null) {
            mirror.offered(entry);
        }
    }

    /** A shard may contain several ranges of one file. */
    private void requireSingle(FileEntry entry) {
        RawPath earlier = singlePath;
        boolean fits = earlier == null || (entry.range() != null && entry.path().equals(earlier));
        if (!fits || entry.kind() == FileEntry.Kind.DIRECTORY) {
            throw Cause.REFUSED
                    .at(entry.path().display())
                    .failure("the sender announced a single file but also offered this; nothing of it was written");
        }
        singlePath = entry.path();
    }

    /**
     * Called regularly.
     *
     * @param flushing whether this side is at work, whatever the sender does
     * @throws TransferException BUSY, if the session must end for another one
     */
    void onTick(boolean flushing) {
        if (claim != null) {
            claim.onTick(flushing);
        }
    }

    /** Returns the path of the file that this entry is, or would have been; null if there is none. */
    public @Nullable RawPath pathBelowRoot(FileEntry entry) {
        return target == null ? null : target.writtenPath(entry);
    }

    /** Decides about an entry, and creates what needs no data. Throws if this entry must fail. */
    Outcome prepare(FileEntry entry) {
        if (entry.range() != null && !takesRanges) {
            throw Cause.REFUSED.at(entry.path().display()).failure("is a range of a file that was not requested");
        }
        return isThereAbove(entry) ? new Outcome.Made() : target().prepare(entry);
    }

    /**
     * Whether the entry is an existing parent of a requested name, which stays as it is: its metadata was not
     * requested. If the user's list of names is known here, it alone decides whether a link is followed. A hostile
     * sender could otherwise reach anything through a link that it has sent before.
     */
    private boolean isThereAbove(FileEntry entry) {
        boolean aboveName = requested == null ? entry.isOnlyAbove() : requested.isOnlyAbove(entry);
        return (aboveName || entry.isOnlyAbove()) && target().hasAbove(entry.path(), aboveName && exactTargets);
    }

    /**
     * Completes what can be completed only after the last file, and makes it durable. Throws in a dry run if there is
     * too little room for a copy.
     *
     * @param problems receives directories that could not be completed
     */
    void finish(BiConsumer<RawPath, TransferException> problems) {
        Target open = target;
        if (open == null) {
            return;
        }
        if (dryRun) {
            open.requireRoom(0);
            return;
        }
        open.finishDirectories(problems);
        open.syncRest();
    }

    /** When mirroring: the source has this and does not offer it. */
    void leftOut(RawPath path) {
        if (mirror != null) {
            mirror.has(path);
        }
    }

    /**
     * When mirroring, after everything was offered: finds what the source does not have, and deletes it when told to,
     * after everything else is durable. Null if there cannot be any.
     */
    @Nullable TargetSweep sweep(boolean deletes, TargetSweep.Listener listener) {
        if (mirror == null || target == null) {
            return null;
        }
        if (deletes) {
            target.syncRest();
        }
        return mirror.sweep(target, deletes, listener);
    }

    boolean renamesSingle() {
        return target != null && target.renamesSingle();
    }

    /** Whether the failure applies to all other files, too. */
    boolean isFull(TransferException failure) {
        return failure.failure().cause().isOfDevice() && target().freeBytes() < FULL_BYTES;
    }

    /** The session ends: nothing waits for other sessions any more. */
    void stopWaiting() {
        if (claim != null) {
            claim.stopWaiting();
        }
        if (target != null) {
            target.stopWaiting();
        }
    }

    @Override
    public void close() {
        if (target != null) {
            target.close();
        }
        if (mirror != null) {
            mirror.close();
        }
        if (root != null) {
            root.close();
        }
    }
}
