package io.fdt.core.transfer;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.storage.DiscardTarget;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.PipeTarget;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.Target;
import io.fdt.core.storage.TargetPreview;
import io.fdt.core.storage.TargetTree;
import io.fdt.core.wire.TransferMessage.OpenTransfer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A receiver's targets over {@link Target}s: a tree, nothing, or standard output, opened when the sources' shape is known. */
final class ReceiverTargets implements Targets {
    /** A file system with less than this is full, whatever it was that did not fit. */
    private static final long FULL_BYTES = 1 << 20;

    private final Opening opening;
    private final boolean durable;
    private final boolean dryRun;
    /** Shards are pushed, so nothing that is pulled comes in ranges. */
    private final boolean takesRanges;

    private @Nullable Target target;
    private Consumer<String> warnings = warning -> {};
    private Problems problems = (path, why) -> {};

    /** Opens the target once it is known whether a single file comes. */
    private interface Opening {
        Target open(boolean singleFile);

        default void close() {}
    }

    /** Told of directories that could not be completed. */
    interface Problems {
        void onProblem(RawPath path, TransferException why);
    }

    private ReceiverTargets(Opening opening, Durability durability, boolean dryRun, boolean takesRanges) {
        this.opening = opening;
        this.takesRanges = takesRanges;
        this.durable = durability != Durability.NONE;
        this.dryRun = dryRun;
    }

    /** Where a pulling client's plan says. */
    static ReceiverTargets local(TransferPlan plan) {
        Opening opening;
        if (plan.target().equals(TransferPlan.DEV_NULL)) {
            opening = singleFile -> new DiscardTarget();
        } else if (plan.target().equals(TransferPlan.STANDARD_STREAM)) {
            opening = singleFile -> PipeTarget.standardOutput();
        } else {
            Root root = Root.unconfined(RawPath.EMPTY);
            opening = plan.dryRun()
                    ? survey(root, plan.target(), plan.rules())
                    : tree(root, plan.target(), plan.rules(), plan.digest(), plan.chunkBytes());
        }
        return new ReceiverTargets(opening, plan.rules().durability(), plan.dryRun(), false);
    }

    /** Where a pushing client asks, below the exported roots. */
    static ReceiverTargets exported(ExportedRoots roots, OpenTransfer request) {
        Opening opening;
        if (request.target().equals(TransferPlan.DEV_NULL)) {
            opening = singleFile -> new DiscardTarget();
        } else {
            ExportedRoots.Place place = roots.find(request.target());
            if (roots.isReadOnly() && !request.dryRun()) {
                throw new TransferException(
                        FailureKind.REFUSED, "nothing may be written here: the server or this key is read-only");
            }
            Root root = place.openRoot();
            opening = request.dryRun()
                    ? survey(root, place.path(), request.rules())
                    : tree(root, place.path(), request.rules(), request.digest(), request.chunkBytes());
        }
        return new ReceiverTargets(opening, request.rules().durability(), request.dryRun(), true);
    }

    private static Opening tree(Root root, RawPath path, TargetRules rules, DigestKind digest, int chunkBytes) {
        return new OpeningInRoot(root, singleFile -> new TargetTree(root, path, rules, digest, chunkBytes, singleFile));
    }

    private static Opening survey(Root root, RawPath path, TargetRules rules) {
        return new OpeningInRoot(root, singleFile -> new TargetPreview(root, path, rules, singleFile));
    }

    /** Closes the root in the end. */
    private record OpeningInRoot(Root root, Opening opening) implements Opening {
        @Override
        public Target open(boolean singleFile) {
            return opening.open(singleFile);
        }

        @Override
        public void close() {
            root.close();
        }
    }

    void tell(Consumer<String> newWarnings, Problems newProblems) {
        warnings = newWarnings;
        problems = newProblems;
    }

    @Override
    public void open(boolean singleFile) {
        if (target != null) {
            throw new TransferException(FailureKind.VERSION, "the sender described its sources twice");
        }
        target = opening.open(singleFile);
    }

    private Target target() {
        if (target == null) {
            throw new TransferException(FailureKind.VERSION, "the sender did not describe its sources first");
        }
        return target;
    }

    @Override
    public Prepared prepare(FileEntry entry) {
        if (entry.range() != null && !takesRanges) {
            throw new TransferException(
                    FailureKind.REFUSED, entry.path().display() + ": is a range of a file, which nobody asked for");
        }
        return prepared(entry, target().prepare(entry));
    }

    @Override
    public Prepared prepareDifferent(FileEntry entry) {
        return prepared(entry, target().want(entry));
    }

    @Override
    public void keep(FileEntry entry) {
        target().keep(entry);
    }

    private Prepared prepared(FileEntry entry, Outcome outcome) {
        if (outcome instanceof Outcome.Wanted wanted) {
            if (dryRun) {
                return Prepared.of(Decision.WOULD_COPY);
            }
            if (wanted.dropped() != null) {
                warnings.accept(entry.path().display() + ": starts over, " + wanted.dropped());
            }
            return Prepared.wanted(wanted.file(), wanted.durable());
        } else if (outcome instanceof Outcome.Made) {
            return Prepared.of(Decision.MADE);
        } else if (outcome instanceof Outcome.Skipped) {
            return Prepared.of(Decision.SKIPPED);
        } else if (outcome instanceof Outcome.Compare compare) {
            return Prepared.compare(compare.existing());
        } else if (outcome instanceof Outcome.Failed failed) {
            throw failed.reason();
        }
        throw new IllegalStateException("an outcome that nobody knows: " + outcome);
    }

    @Override
    public void flushFileSystem() {
        if (durable) {
            target().syncFileSystem();
        }
    }

    @Override
    public void finish() {
        Target open = target;
        if (open == null || dryRun) {
            return;
        }
        open.finishDirectories(problems::onProblem);
        if (durable) {
            open.syncTouchedDirectories();
        }
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
        opening.close();
    }
}
