package io.fdt.core.files;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.Located;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.partial.PartialNames;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.Paths;

/**
 * A name that is made, moved or removed, in its open directory. Links on the way to the directory are followed as far
 * as the root allows; the name itself never is one that is followed. For one thread.
 */
final class ChangedName implements AutoCloseable {
    private static final int NEW_DIRECTORY_MODE = 0777;

    private final Root root;
    private final RawPath shown;
    private final RawPath path;
    private final Descriptor parent;

    /**
     * Opens the directory of a path.
     *
     * @param at stays open; the caller closes it
     * @param shown the path as it was named
     * @throws TransferException REFUSED for a path that does not name an entry in the root by itself
     */
    ChangedName(Located at, RawPath shown) {
        this.root = at.root();
        this.shown = shown;
        this.path = named(at, shown);
        RawPath above = path.parent();
        int listed = root.open(above, Paths.O_RDONLY | Paths.O_DIRECTORY, 0);
        int fd = listed == -Errno.EACCES ? root.open(above, Paths.O_PATH | Paths.O_DIRECTORY, 0) : listed;
        Errno.require(fd, FailureKind.SOURCE, "open its directory", shown);
        this.parent = new Descriptor(fd, root.budget());
    }

    private static RawPath named(Located at, RawPath shown) {
        RawPath within = at.root().withinRoot(at.path());
        RawPath plain = within.endsWithSlash() ? within.parent().resolve(within.name()) : within;
        if (plain.isEmpty() || !plain.isPlainRelative()) {
            throw Cause.REFUSED
                    .at(shown.display())
                    .advise("write it without . and ..")
                    .failure("is not the name of something below an exported directory");
        }
        requireOrdinary(at, shown);
        return plain;
    }

    /** Refuses a path through names that belong to unfinished copies. */
    static void requireOrdinary(Located at, RawPath shown) {
        if (at.path().components().stream().anyMatch(PartialNames::isReserved)) {
            throw reserved(shown);
        }
    }

    private static TransferException reserved(RawPath shown) {
        return Cause.REFUSED.at(shown.display()).failure("is a name for files of unfinished copies");
    }

    RawPath name() {
        return path.name();
    }

    /** Makes a directory of this name, which must be new. */
    void make() {
        int made = Paths.mkdirat(
                parent.fd(), name(), NEW_DIRECTORY_MODE & ~root.mask().permissions());
        Errno.require(made, FailureKind.TARGET, "make the directory", shown);
        flush();
    }

    /**
     * Gives this name to what has the other one, in one step; what had this name is gone then. Durable at its return.
     */
    void takeFrom(ChangedName other) {
        int renamed = Paths.rename(other.parent.fd(), other.name(), parent.fd(), name(), 0);
        if (renamed == -Errno.EXDEV) {
            throw Errno.of(FailureKind.TARGET, other.shown, Errno.EXDEV)
                    .advise("copy it there, then remove it here")
                    .failure("cannot move to another file system, " + shown.display());
        }
        Errno.require(renamed, FailureKind.TARGET, "move to " + shown.display(), other.shown);
        flush();
        other.flush();
    }

    /** A directory that can only be passed through cannot be flushed. */
    private void flush() {
        if (!Descriptor.isPath(parent.fd())) {
            Errno.require(Disk.KERNEL.sync(parent.fd()), FailureKind.TARGET, "flush the directory of", shown);
        }
    }

    /** Removes this name; a directory must be empty. */
    void remove(boolean directory) {
        int removed = Paths.unlinkat(parent.fd(), name(), directory ? Paths.AT_REMOVEDIR : 0);
        if (directory && (removed == -Errno.ENOTEMPTY || removed == -Errno.EEXIST)) {
            throw Errno.of(FailureKind.TARGET, shown, Errno.ENOTEMPTY)
                    .advise("remove it with all its contents by -r")
                    .failure("Directory not empty");
        }
        Errno.require(removed, FailureKind.TARGET, "remove", shown);
    }

    /** Opens this directory, which must not be a link, as a root of its own. */
    Root open() {
        int fd = Paths.openat(parent.fd(), name(), Paths.O_PATH | Paths.O_DIRECTORY | Paths.O_NOFOLLOW, 0);
        return Root.confined(
                shown, root.resolver(), Errno.require(fd, FailureKind.SOURCE, "open", shown), root.budget());
    }

    @Override
    public void close() {
        parent.close();
    }
}
