package io.fdt.core.transfer.receiving;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.plan.CopyRequest;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.storage.ExportedRoots;
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
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A receiver's targets over {@link Target}s: a tree, nothing, or standard output, opened when it is known whether the
 * source is a single file.
 */
public final class ReceiverTargets implements Targets {
    /** A file system with less free space than this is full, whatever did not fit. */
    private static final long FULL_BYTES = 1 << 20;

    private final Opening opening;
    private final boolean dryRun;
    /** Shards are pushed, so nothing that is pulled comes in ranges. */
    private final boolean takesRanges;
    /** Null for a client's own push, for which only the sender knows the requested names. */
    private final @Nullable RequestedEntries requested;

    private final @Nullable TargetMirror mirror;

    private boolean single;
    /** The only path that may arrive if {@link #single}, once it has arrived. */
    private @Nullable RawPath singlePath;

    /** Null if no other session of this process can conflict. */
    private final @Nullable Claiming claiming;

    private @Nullable Target target;

    /**
     * How the target is opened once it is known whether a single file arrives.
     *
     * @param root closed at the end
     */
    private record Opening(@Nullable Root root, Function<Boolean, Target> forSingleFile) {}

    /** The claims of a session of a server, by paths on this host. */
    private record Claiming(TargetClaims.Claim claim, ExportedRoots.Place place) {}

    private ReceiverTargets(
            Opening opening,
            CopyRequest request,
            boolean takesRanges,
            @Nullable RequestedEntries requested,
            @Nullable Claiming claiming) {
        this.mirror = request.rules().mirror() == null ? null : new TargetMirror(request.sparedByMirror());
        this.opening = opening;
        this.requested = requested;
        this.claiming = claiming;
        this.takesRanges = takesRanges;
        this.dryRun = request.dryRun();
    }

    /** At the path of a pulling client's plan. */
    public static ReceiverTargets local(CopyRequest request) {
        Opening opening;
        if (request.target().equals(TransferPlan.DEV_NULL)) {
            opening = new Opening(null, singleFile -> new DiscardTarget());
        } else if (request.target().equals(TransferPlan.STANDARD_STREAM)) {
            opening = new Opening(null, singleFile -> PipeTarget.standardOutput());
        } else {
            Root root = Root.unconfined(RawPath.EMPTY);
            opening = tree(root, request.target(), request);
        }
        return new ReceiverTargets(opening, request, false, new RequestedEntries(request.selection()), null);
    }

    /** At the path that a pushing client requested, below the exported roots. */
    public static ReceiverTargets exported(ExportedRoots roots, CopyRequest request, TargetClaims.Claim claim) {
        Opening opening;
        Claiming claiming = null;
        if (request.target().equals(TransferPlan.DEV_NULL)) {
            opening = new Opening(null, singleFile -> new DiscardTarget());
        } else {
            ExportedRoots.Place place = roots.find(request.target());
            if (roots.isReadOnly() && !request.dryRun()) {
                throw FailureKind.REFUSED.failure("this server or this key is read-only");
            }
            claiming = request.dryRun() ? null : new Claiming(claim, place);
            opening = tree(place.openRoot(), place.path(), request);
        }
        RequestedEntries requested =
                request.selection().sources().isEmpty() ? null : new RequestedEntries(request.selection());
        return new ReceiverTargets(opening, request, true, requested, claiming);
    }

    private static Opening tree(Root root, RawPath path, CopyRequest request) {
        TargetRules rules = request.rules();
        return new Opening(
                root,
                request.dryRun()
                        ? singleFile -> new TargetPreview(root, path, rules, singleFile)
                        : singleFile ->
                                new TargetTree(root, path, rules, request.digest(), request.chunkBytes(), singleFile));
    }

    @Override
    public void open(boolean singleFile) {
        if (target != null) {
            throw FailureKind.VERSION.failure("the sender described its sources twice");
        }
        target = opening.forSingleFile.apply(singleFile);
        single = singleFile;
        if (single && mirror != null) {
            throw FailureKind.USAGE.failure("--delete needs a directory as source, not a file");
        }
    }

    private Target target() {
        if (target == null) {
            throw FailureKind.VERSION.failure("the sender did not describe its sources first");
        }
        return target;
    }

    @Override
    public void requireRequested(FileEntry entry) {
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
            throw FailureKind.REFUSED.failure(entry.path().display()
                    + ": the sender announced a single file but also offered this; nothing of it was written");
        }
        singlePath = entry.path();
    }

    @Override
    public void claim(FileEntry entry) {
        RawPath path = writtenPath(entry);
        if (claiming != null && path != null) {
            claiming.claim.take(path, entry.range());
        }
    }

    @Override
    public void release(FileEntry entry) {
        RawPath path = writtenPath(entry);
        if (claiming != null && path != null) {
            claiming.claim.release(path, entry.range());
        }
    }

    private @Nullable RawPath writtenPath(FileEntry entry) {
        RawPath path = claiming == null ? null : target().writtenPath(entry);
        return claiming == null || path == null ? null : claiming.place.absolute(path);
    }

    @Override
    public Outcome prepare(FileEntry entry) {
        if (entry.range() != null && !takesRanges) {
            throw FailureKind.REFUSED.failure(entry.path().display() + ": is a range of a file that was not requested");
        }
        return target().prepare(entry);
    }

    @Override
    public boolean hasRoomFor(FileEntry entry) {
        return target().hasRoomFor(entry);
    }

    @Override
    public Outcome prepareDifferent(FileEntry entry) {
        return target().want(entry);
    }

    @Override
    public void keep(FileEntry entry) {
        target().keep(entry);
    }

    @Override
    public void flushFileSystem() {
        target().syncFileSystem();
    }

    @Override
    public void finish(BiConsumer<RawPath, TransferException> problems) {
        Target open = target;
        if (open == null || dryRun) {
            return;
        }
        open.finishDirectories(problems);
        open.syncRest();
    }

    @Override
    public void leftOut(RawPath path) {
        if (mirror != null) {
            mirror.has(path);
        }
    }

    @Override
    public @Nullable TargetSweep sweep(boolean deletes, TargetSweep.Listener listener) {
        if (mirror == null || target == null) {
            return null;
        }
        if (deletes) {
            target.syncRest();
        }
        return mirror.sweep(target, deletes, listener);
    }

    @Override
    public boolean renamesSingle() {
        return target != null && target.renamesSingle();
    }

    @Override
    public boolean givesOwners() {
        return target().givesOwners();
    }

    @Override
    public boolean isFull(TransferException failure) {
        return failure.kind() == FailureKind.TARGET && target().freeBytes() < FULL_BYTES;
    }

    @Override
    public void close() {
        if (target != null) {
            target.close();
        }
        if (mirror != null) {
            mirror.close();
        }
        if (opening.root != null) {
            opening.root.close();
        }
    }
}
