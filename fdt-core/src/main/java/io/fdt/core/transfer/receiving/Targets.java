package io.fdt.core.transfer.receiving;

import io.fdt.core.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.target.TargetSweep;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Where a receiver's entries go: a tree, nowhere, or standard output. Belongs to the session's thread unless said. */
public interface Targets extends AutoCloseable {
    /**
     * Finds out where things go and whether they can. Called once, before the first entry.
     *
     * @param singleFile the source is one entry and no directory, so that the target may be its new name
     * @throws TransferException TARGET or REFUSED
     */
    void open(boolean singleFile);

    /**
     * Called before anything is done about an entry.
     *
     * @throws TransferException REFUSED, which ends the session, for an entry that an honest sender would not offer
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

    /** The entry's file is settled, or not to be written. */
    void release(FileEntry entry);

    /** Decides about an entry, and makes what needs no data. Throws what makes this entry impossible. */
    Outcome prepare(FileEntry entry);

    /** Decides about a file that was compared and is another one. */
    Outcome prepareDifferent(FileEntry entry);

    /**
     * What is there was compared and stays: gives it what else the entry says of it. Throws what makes this impossible.
     */
    void keep(FileEntry entry);

    /** Makes everything that was written durable. The flusher's thread. */
    void flushFileSystem();

    /**
     * Completes what can be completed only after the last file, and makes it durable.
     *
     * @param problems is told of directories that could not be completed
     */
    void finish(BiConsumer<RawPath, TransferException> problems);

    /** In a mirroring copy: the source has this and does not offer it. */
    void leftOut(RawPath path);

    /**
     * In a mirroring copy, after everything was offered: finds what the source does not have, and deletes it if told
     * so, after all else is durable. Null where nothing can be there.
     */
    @Nullable TargetSweep sweep(boolean deletes, TargetSweep.Listener listener);

    /** Whether a single file gets the target's own name. */
    boolean renamesSingle();

    /** Whether owners that are to be preserved are; after {@link #open}. */
    boolean givesOwners();

    /** Whether the failure means that no other file will fare better. */
    boolean isFull(TransferException failure);

    @Override
    void close();
}
