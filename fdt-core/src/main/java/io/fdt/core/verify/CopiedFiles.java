package io.fdt.core.verify;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Budgets;
import io.fdt.core.digest.HashKind;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.SourceFile;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Files of a copy in packed form, which several threads can hash again at its end, at their sources or at the target.
 * For one thread.
 */
public final class CopiedFiles {
    private static final byte[] NO_DIGEST = new byte[0];

    private final ReceiptEntries entries;
    private final IntConsumer pace;
    private final Budget budget;
    private int hashed;

    public CopiedFiles() {
        this(null, bytes -> {});
    }

    /**
     * @param budget charged with them until it is closed; null if they are this side's own
     * @param pace accepts the bytes of each read before it, on a hash thread, and may wait or throw
     */
    public CopiedFiles(@Nullable Budget budget, IntConsumer pace) {
        this.entries = new ReceiptEntries(budget);
        this.budget = budget == null ? Budgets.ofProcess() : budget;
        this.pace = pace;
    }

    /** Call it before any of them is hashed. */
    public void add(FileEntry file) {
        entries.add(file, NO_DIGEST);
    }

    /** Adds a file that is only kept here, with what is known of its content. */
    public void add(FileEntry file, byte[] known) {
        entries.add(file, known);
    }

    /** What is known of a file; empty if it is not among these. */
    public byte[] find(FileEntry file) {
        entries.sort();
        int index = entries.find(file.path());
        return index < 0 ? NO_DIGEST : entries.entry(index).digest();
    }

    /** Visits all, in the order of a tree. */
    public void forEach(Consumer<CheckedEntry> each) {
        entries.sort();
        for (int i = 0; i < entries.count(); i++) {
            each.accept(entries.entry(i));
        }
    }

    public boolean isEmpty() {
        entries.sort();
        return entries.count() == 0;
    }

    /**
     * @param sources opens a source; throws a SOURCE failure if it no longer matches the entry
     * @param each receives every file with its digest or with the reason why it has none
     */
    public void hash(Function<FileEntry, SourceFile> sources, HashKind kind, Consumer<CheckedEntry> each)
            throws InterruptedException {
        if (isEmpty()) {
            return;
        }
        hash(
                new Listing() {
                    private int next;

                    @Override
                    public @Nullable CheckedEntry next() {
                        return next < entries.count() ? entries.entry(next++) : null;
                    }

                    @Override
                    public SourceFile open(FileEntry entry) {
                        return sources.apply(entry);
                    }

                    @Override
                    public void close() {
                        // The caller owns the sources.
                    }
                },
                kind,
                each);
    }

    /**
     * @param renamed whether the copy's only file was given the target's name
     * @param above directories above the targets of pairs, each after those above it
     */
    public void hash(RawPath target, boolean renamed, Set<RawPath> above, HashKind kind, Consumer<CheckedEntry> each)
            throws InterruptedException {
        if (!isEmpty()) {
            Root here = Root.unconfined(RawPath.EMPTY);
            hash(new NamedListing(here, target, renamed, above, entries.namesInTurn()), kind, each);
        }
    }

    private void hash(Listing listing, HashKind kind, Consumer<CheckedEntry> each) throws InterruptedException {
        hashed = 0;
        try (HashThreads threads = new HashThreads(kind, VerifyPlan.defaultThreads(), budget, pace);
                HashedEntries found = new HashedEntries(listing, threads, new RunningTotals(), false, warning -> {})) {
            for (CheckedEntry next = found.next(); next != null; next = found.next()) {
                each.accept(asCopied(entries.entry(hashed), next));
                hashed++;
            }
        }
    }

    /** The entry as it was copied, with what was found of its content. */
    private static CheckedEntry asCopied(CheckedEntry copied, CheckedEntry found) {
        FileEntry then = copied.entry();
        FileEntry now = found.entry();
        boolean same =
                then != null && now != null && now.kind() == FileEntry.Kind.FILE && now.sizeBytes() == then.sizeBytes();
        if (same) {
            return new CheckedEntry(copied.path(), then, found.digest(), found.failure());
        }
        Failure why = found.failure();
        Failure known = why == null ? Failure.of(Cause.CHANGED, "changed since it was copied") : why;
        return new CheckedEntry(copied.path(), then, NO_DIGEST, known);
    }

    /** Visits those that an interruption or a failure of the copy left without a digest. */
    public void forEachUnhashed(Consumer<CheckedEntry> each) {
        entries.sort();
        for (int i = hashed; i < entries.count(); i++) {
            each.accept(entries.entry(i));
        }
    }
}
