package io.fdt.core.storage;

import io.fdt.core.FailureKind;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Attribute;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules;
import io.fdt.core.plan.TargetRules.Preserve;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;

/**
 * What of an entry's metadata a session carries over. The owner is given only by root and only if asked, and setuid,
 * setgid and capabilities only with the owner: else they would lend someone else's rights. Immutable, thread-safe.
 */
final class Metadata {
    private static final int PERMISSIONS = 0777;
    private static final int STICKY = 01000;
    private static final int SETGID = 02000;
    private static final int EVERYTHING = 07777;

    private final Disk disk;
    private final boolean mode;
    private final boolean times;
    private final boolean attributes;
    private final boolean owner;

    Metadata(TargetRules rules, Disk disk) {
        this.disk = disk;
        this.mode = rules.preserves(Preserve.MODE);
        this.times = rules.preserves(Preserve.TIMES);
        this.attributes = rules.preserves(Preserve.XATTRS);
        this.owner = rules.preserves(Preserve.OWNER) && Posix.isRoot();
    }

    boolean carriesTimes() {
        return times;
    }

    boolean carriesMode() {
        return mode;
    }

    boolean carriesOwner() {
        return owner;
    }

    /**
     * The mode that a file gets in the end. A stream has none of its own.
     *
     * @param existingMode of a file that is replaced and hands its permissions on, or -1
     */
    int fileMode(FileEntry entry, int existingMode) {
        if (mode && entry.kind() == FileEntry.Kind.FILE) {
            return entry.mode() & (owner ? EVERYTHING : PERMISSIONS | STICKY);
        }
        return existingMode >= 0 ? existingMode & PERMISSIONS : Umask.apply(0666);
    }

    /** Setgid on a directory only says which group new files get. */
    int directoryMode(FileEntry entry) {
        return entry.mode() & (owner ? EVERYTHING : PERMISSIONS | STICKY | SETGID);
    }

    /** Whether a file that is there already may have to be given something. */
    boolean differs(FileEntry entry, FileStatus there) {
        return (mode && there.mode() != fileMode(entry, there.mode()))
                || (owner && (there.uid != entry.uid() || there.gid != entry.gid()))
                || (times
                        && (there.modifiedSeconds != entry.modifiedSeconds()
                                || there.modifiedNanos != entry.modifiedNanos()))
                || (attributes && !entry.attributes().isEmpty());
    }

    /**
     * Gives a file everything but its content.
     *
     * @param modeNow that it has
     * @param modeWanted that it gets: what {@link #fileMode} says
     */
    void giveAll(int fd, FileEntry entry, int modeNow, int modeWanted, RawPath path) {
        giveAttributes(fd, entry, path);
        giveOwner(fd, entry, path);
        if (modeWanted != modeNow || owner) {
            int set = disk.setMode(fd, modeWanted);
            if (set < 0) {
                throw Errno.failure(FailureKind.TARGET, "set the mode", path, -set);
            }
        }
        giveTimes(fd, entry, path);
    }

    void giveAttributes(int fd, FileEntry entry, RawPath path) {
        if (!attributes) {
            return;
        }
        for (Attribute attribute : entry.attributes()) {
            boolean grantsRights = !attribute.name().text().startsWith("user.");
            if (!AttributeReader.isCarried(attribute.name(), Posix.isRoot()) || (grantsRights && !owner)) {
                continue;
            }
            byte[] value = attribute.value();
            ByteBuffer memory =
                    ByteBuffer.allocateDirect(Math.max(1, value.length)).put(value);
            int set;
            try {
                set = Posix.setAttribute(fd, attribute.name(), Posix.addressOf(memory), value.length);
            } finally {
                Reference.reachabilityFence(memory);
            }
            if (set < 0) {
                String operation = "set attribute " + attribute.name().display();
                throw Errno.failure(FailureKind.TARGET, operation, path, -set);
            }
        }
    }

    void giveOwner(int fd, FileEntry entry, RawPath path) {
        if (owner) {
            int set = Posix.setOwner(fd, entry.uid(), entry.gid());
            if (set < 0) {
                throw Errno.failure(FailureKind.TARGET, "set the owner", path, -set);
            }
        }
    }

    void giveTimes(int fd, FileEntry entry, RawPath path) {
        if (times && entry.kind() != FileEntry.Kind.STREAM) {
            int set = disk.setModified(fd, entry.modifiedSeconds(), entry.modifiedNanos());
            if (set < 0) {
                throw Errno.failure(FailureKind.TARGET, "set the time", path, -set);
            }
        }
    }
}
