package io.fdt.core.storage.target;

import io.fdt.core.digest.NodeHash;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.Target;
import io.fdt.core.storage.partial.OpenFiles;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileSystemSpace;
import io.fdt.core.storage.posix.Paths;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A directory tree into which the entries of a peer are written. Every path is resolved beneath the root (for a target
 * that the local user named: beneath the target itself), so nothing that a peer sends is created, changed or removed
 * anywhere else. No link below the target is followed, unless the rules keep links to directories, or it is above the
 * target of a pair; a directory replaces one that has its name. An entry never replaces a directory by anything else.
 *
 * <p>Entries are placed by the rule of rsync and cp: a single file gets the target's own name, unless that is a
 * directory or has a trailing slash; everything else goes into the target, which is created if it does not exist.
 *
 * <p>Directories have u+rwx while the session runs; {@link #finishDirectories} sets their modes and times. Does not own
 * its root. The files that it returns must be closed before it.
 */
public final class TargetTree implements Target {
    private final Placement placement;
    private final Metadata metadata;
    private final boolean preservesOwner;
    private final TimeProbe timeProbe;
    private final TargetDirectories directories;
    private final TargetLinks links;
    private final TargetFiles files;

    /**
     * Opens the target, creates it if it does not exist, and checks whether it is writable.
     *
     * @param single whether there will be only one entry, which is not a directory
     * @param chunkBytes a longer file has a journal
     * @throws TransferException TARGET, or REFUSED if the target is not within the root
     */
    public TargetTree(Root root, RawPath target, TransferPlan plan, NodeHash digest, int chunkBytes, boolean single) {
        this(Disk.KERNEL, root, target, plan, digest, chunkBytes, single);
    }

    public TargetTree(
            Disk disk, Root root, RawPath target, TransferPlan plan, NodeHash digest, int chunkBytes, boolean single) {
        this.timeProbe = new TimeProbe(root.budget(), true);
        ExistingRules existing = new ExistingRules(plan, root.mask().onlyNewNames(), timeProbe);
        this.preservesOwner = plan.preserves(Preserve.OWNER);
        this.metadata = new Metadata(plan, root.mask(), disk);
        this.placement =
                Objects.requireNonNull(Placement.find(root, target, single, true, plan.get(CopyValue.KEEP_DIRLINKS)));
        this.directories = new TargetDirectories(disk, root, placement, plan, existing, metadata);
        this.links = new TargetLinks(disk, placement, directories, existing, metadata);
        this.files = new TargetFiles(disk, placement, directories, existing, metadata, digest, chunkBytes);
        try {
            requireWritable();
        } catch (TransferException failure) {
            close();
            throw failure;
        }
    }

    private void requireWritable() {
        int allowed = Paths.access(directories.baseFd(), RawPath.HERE, Paths.W_OK | Paths.X_OK);
        if (allowed < 0) {
            throw Errno.of(FailureKind.TARGET, placement.shown(RawPath.EMPTY), -allowed)
                    .failure("is not writable: " + Libc.strerror(-allowed));
        }
        if (freeBytes() == 0) {
            throw Errno.of(FailureKind.TARGET, placement.shown(RawPath.EMPTY), Errno.ENOSPC)
                    .failure(Libc.strerror(Errno.ENOSPC));
        }
    }

    @Override
    public Outcome prepare(FileEntry entry) {
        return switch (entry.kind()) {
            case DIRECTORY -> directories.prepare(entry);
            case LINK -> links.prepare(entry, true);
            case FILE, STREAM ->
                entry.isFurtherName() ? links.prepareFurtherName(entry, true) : files.prepare(entry, true);
        };
    }

    OpenFiles openFiles() {
        return files.openFiles();
    }

    @Override
    public long roomForFiles() {
        return files.openFiles().room();
    }

    @Override
    public boolean hasRoomFor(FileEntry entry) {
        return files.hasRoomFor(entry);
    }

    @Override
    public @Nullable RawPath writtenPath(FileEntry entry) {
        try {
            return entry.hasData() ? placement.pathInRoot(entry) : null;
        } catch (TransferException impossible) {
            // Preparing the entry reports the reason.
            return null;
        }
    }

    @Override
    public Outcome prepareChanged(FileEntry entry) {
        return files.prepare(entry, false);
    }

    @Override
    public void keep(FileEntry entry) {
        files.keep(entry);
    }

    @Override
    public void syncFileSystem() {
        TargetFlush flush = directories.flush();
        if (flush != null) {
            flush.syncFileSystems();
        }
    }

    @Override
    public void syncRest() {
        TargetFlush flush = directories.flush();
        if (flush != null) {
            flush.syncRest();
        }
    }

    @Override
    public void finishDirectories(BiConsumer<RawPath, TransferException> problems) {
        directories.finish(problems);
        metadata.check().report(placement::shown, problems);
    }

    @Override
    public @Nullable Root directoryAt(RawPath path) {
        return placement.directoryAt(path);
    }

    @Override
    public boolean hasAbove(RawPath path, boolean ofPair) {
        return placement.hasAbove(path, ofPair);
    }

    @Override
    public void onChanged(RawPath directory) {
        directories.onTouched(directory);
    }

    @Override
    public boolean renamesSingle() {
        return placement.renamesSingle();
    }

    @Override
    public boolean givesOwners() {
        return metadata.carriesOwner() || !preservesOwner;
    }

    @Override
    public void requireRoom(long writtenBytes) {
        files.requireRoom(writtenBytes);
    }

    @Override
    public long freeBytes() {
        return FileSystemSpace.freeBytes(directories.baseFd());
    }

    @Override
    public void stopWaiting() {
        directories.seniority().end();
    }

    @Override
    public void close() {
        timeProbe.close();
        directories.close();
    }
}
