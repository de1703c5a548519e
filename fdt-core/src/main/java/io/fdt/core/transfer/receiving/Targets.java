package io.fdt.core.transfer.receiving;

import io.fdt.core.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.target.TargetSweep;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Where a receiver's entries go: a tree, nowhere, or standard output. For the session's thread unless stated otherwise.
 */
public interface Targets extends AutoCloseable {
    /**
     * Determines and checks the target. Called once, before the first entry.
     *
     * @param singleFile the source is one entry and not a directory, so that the target may be its new name
     * @throws TransferException TARGET or REFUSED
     */
    void open(boolean singleFile);

    /**
     * Called before anything is done for an entry.
     *
     * @throws TransferException REFUSED, which ends the session, for an entry that a correct sender would not offer
     */
    void requireRequested(FileEntry entry);

    /** Whether the entry may be prepared now, and need not wait until other files are closed. */
    boolean hasRoomFor(FileEntry entry);

    /**
     * Keeps other sessions from writing the entry's file until it is released.
     *
     * @throws TransferException BUSY, which ends the session
     */
    void claim(FileEntry entry);

    /** The entry's file is settled, or will not be written. */
    void release(FileEntry entry);

    /** Decides about an entry, and creates what needs no data. Throws if this entry must fail. */
    Outcome prepare(FileEntry entry);

    /** Decides about a file that was compared and differs. */
    Outcome prepareDifferent(FileEntry entry);

    /** A compared file is the same and is kept: sets its other metadata. Throws if this entry must fail. */
    void keep(FileEntry entry);

    /** Makes everything that was written durable. On the flusher's thread. */
    void flushFileSystem();

    /**
     * Completes what can be completed only after the last file, and makes it durable.
     *
     * @param problems receives directories that could not be completed
     */
    void finish(BiConsumer<RawPath, TransferException> problems);

    /** When mirroring: the source has this and does not offer it. */
    void leftOut(RawPath path);

    /**
     * When mirroring, after everything was offered: finds what the source does not have, and deletes it when told to,
     * after everything else is durable. Null if there cannot be any.
     */
    @Nullable TargetSweep sweep(boolean deletes, TargetSweep.Listener listener);

    /** Whether a single file gets the target's own name. */
    boolean renamesSingle();

    /** Whether requested owners are preserved; after {@link #open}. */
    boolean givesOwners();

    /** Whether the failure applies to all other files, too. */
    boolean isFull(TransferException failure);

    @Override
    void close();
}
