package io.fdt.core.storage.partial;

import io.fdt.core.digest.NodeHash;
import io.fdt.core.failure.Cause;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.TargetFile;
import io.fdt.core.storage.posix.Disk;

/** A file of a {@link WritableTree} before it has its name, and the partial that contains it. */
abstract class WrittenFile implements TargetFile {
    final WritableTree tree;
    final Disk disk;
    final FileEntry entry;
    final RawPath path;
    final RawPath parent;
    final RawPath name;
    final RawPath shown;
    final NodeHash digest;
    final int mode;
    final OpenPartial partial;

    /**
     * @param path of the final name, relative to the tree
     * @param large whether it may have a journal, and writes that bypass the page cache
     * @param mode the final mode of the file
     */
    WrittenFile(WritableTree tree, FileEntry entry, RawPath path, PartialNames names, boolean large, int mode) {
        this.tree = tree;
        this.disk = tree.disk;
        this.entry = entry;
        this.path = path;
        this.parent = path.parent();
        this.name = path.name();
        this.shown = tree.shown(path);
        this.digest = tree.digest;
        this.mode = mode;
        this.partial = new OpenPartial(tree, parent, names, shown, large);
    }

    /** For a file that is opened before it is shared. @throws TransferException BUSY if another session writes it */
    void requireClaim() {
        if (!partial.tryClaim(entry, path)) {
            throw Cause.BUSY.failure(shown.display() + ": another copy is writing this target");
        }
    }

    @Override
    public boolean isDirect() {
        return partial.isDirect();
    }

    @Override
    public void syncName() {
        tree.syncNames(parent);
    }
}
