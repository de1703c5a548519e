package io.fdt.core.storage.target;

import io.fdt.core.FailureKind;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Attribute;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.storage.posix.Acl;
import io.fdt.core.storage.posix.AttributeReader;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What of an entry's metadata a session carries over. The owner is given only by root and only if asked, and setuid,
 * setgid, sticky and capabilities only with the owner: else they would lend someone else's rights. Immutable,
 * thread-safe but for {@link #differs}, which the session's thread calls.
 */
final class Metadata {
    private static final int PERMISSIONS = 0777;
    private static final int SPECIAL = 07000;
    private static final int OWNER_ALL = 0700;

    private final Disk disk;
    /** What an entry may give: its mode is cut to these bits. */
    private final int grantedModes;

    private final boolean mode;
    private final boolean times;
    private final boolean attributes;
    private final boolean owner;
    private final boolean acls;
    /** Of what is there; null where nothing of that is given. */
    private final @Nullable AttributeReader reader;

    /** @param modeMask permissions that nothing gets */
    Metadata(TargetRules rules, int modeMask, Disk disk) {
        this.disk = disk;
        this.acls = rules.preserves(Preserve.ACLS);
        this.mode = acls || rules.preserves(Preserve.MODE);
        this.times = rules.preserves(Preserve.TIMES);
        this.attributes = rules.preserves(Preserve.XATTRS);
        this.owner = rules.preserves(Preserve.OWNER) && FileMetadata.isRoot();
        this.reader = attributes || acls ? new AttributeReader(FailureKind.TARGET, attributes, acls) : null;
        this.grantedModes = (owner ? SPECIAL | PERMISSIONS : PERMISSIONS) & ~modeMask;
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
        if (hasMode(entry)) {
            return entry.mode() & grantedModes;
        }
        return existingMode >= 0 ? existingMode & PERMISSIONS : Umask.apply(0666) & grantedModes;
    }

    /** Whether the entry's own mode is carried over. */
    boolean hasMode(FileEntry entry) {
        return mode && entry.kind() == FileEntry.Kind.FILE;
    }

    /** The mode of a directory until its last entry has come. The process's mask applies, too. */
    int newDirectoryMode(FileEntry entry) {
        return ((mode ? entry.mode() : PERMISSIONS) & grantedModes & PERMISSIONS) | OWNER_ALL;
    }

    /**
     * The mode that a directory gets in the end.
     *
     * @param existingMode what it has now: an operator who shares a directory by setgid or sticky keeps that
     */
    int directoryMode(FileEntry entry, int existingMode) {
        return (entry.mode() & grantedModes) | (owner ? 0 : existingMode & SPECIAL);
    }

    /** Whether a file that is there already may have to be given something. */
    boolean differs(FileEntry entry, int parentFd, RawPath name, FileStatus there) {
        return (mode && there.mode() != fileMode(entry, there.mode()))
                || (owner && (there.uid != entry.uid() || there.gid != entry.gid()))
                || (times && !there.hasTimeOf(entry))
                || attributesDiffer(entry, parentFd, name);
    }

    private boolean attributesDiffer(FileEntry entry, int parentFd, RawPath name) {
        List<Attribute> there = reader == null || entry.kind() == FileEntry.Kind.LINK
                ? null
                : reader.read(parentFd, name, entry.path());
        if (there == null) {
            return reader != null && !entry.attributes().isEmpty();
        }
        boolean lacks = entry.attributes().stream()
                .anyMatch(each -> isGiven(each) && there.stream().noneMatch(each::isSame));
        return lacks || there.stream().anyMatch(each -> Acl.isName(each.name()) && !has(entry, each.name()));
    }

    private static boolean has(FileEntry entry, RawPath attribute) {
        return entry.attributes().stream().anyMatch(each -> each.name().equals(attribute));
    }

    /** Only what the session carries, and of that nothing that lends rights without the owner. */
    private boolean isGiven(Attribute attribute) {
        if (Acl.isName(attribute.name())) {
            return acls;
        }
        boolean grantsRights = !attribute.name().text().startsWith("user.");
        return attributes && AttributeReader.isCarried(attribute.name()) && (owner || !grantsRights);
    }

    /**
     * Gives a file everything but its content. The owner comes first, since a change of owner clears capabilities,
     * setuid and setgid; the mode comes after the attributes, which cannot be written without the right to write.
     *
     * @param modeNow that it has
     * @param modeWanted that it gets: what {@link #fileMode} says
     */
    void giveAll(int fd, FileEntry entry, int modeNow, int modeWanted, RawPath path) {
        giveOwner(fd, entry, path);
        giveAttributes(fd, entry, path);
        if (modeWanted != modeNow || owner || acls) {
            Errno.require(disk.setMode(fd, modeWanted), FailureKind.TARGET, "set the mode", path);
        }
        giveTimes(fd, entry, path);
    }

    void giveAttributes(int fd, FileEntry entry, RawPath path) {
        for (Attribute attribute : entry.attributes()) {
            if (!isGiven(attribute)) {
                continue;
            }
            if (Acl.isName(attribute.name()) && !Acl.isComplete(attribute.value())) {
                throw FailureKind.REFUSED.failure(path.display() + ": the sender's ACL is invalid");
            }
            int set = set(fd, attribute.name(), attribute.value());
            if (set < 0) {
                String operation = "set attribute " + attribute.name().display();
                throw Errno.failure(FailureKind.TARGET, operation, path, -set);
            }
        }
        if (acls) {
            takeAcl(fd, entry, Acl.ACCESS, path);
            if (entry.kind() == FileEntry.Kind.DIRECTORY) {
                takeAcl(fd, entry, Acl.DEFAULT, path);
            }
        }
    }

    /** What was made in a directory with a default ACL has got one that the source does not have. */
    private static void takeAcl(int fd, FileEntry entry, RawPath name, RawPath path) {
        int taken = has(entry, name) ? 0 : set(fd, name, Acl.none());
        if (taken < 0 && taken != -Errno.EOPNOTSUPP && taken != -Errno.ENODATA) {
            throw Errno.failure(FailureKind.TARGET, "remove attribute " + name.display(), path, -taken);
        }
    }

    private static int set(int fd, RawPath name, byte[] value) {
        ByteBuffer memory = ByteBuffer.allocateDirect(Math.max(1, value.length)).put(value);
        try {
            return FileMetadata.setAttribute(fd, name, Libc.addressOf(memory), value.length);
        } finally {
            Reference.reachabilityFence(memory);
        }
    }

    void giveOwner(int fd, FileEntry entry, RawPath path) {
        if (owner) {
            Errno.require(
                    FileMetadata.setOwner(fd, entry.uid(), entry.gid()), FailureKind.TARGET, "set the owner", path);
        }
    }

    void giveTimes(int fd, FileEntry entry, RawPath path) {
        if (times && entry.kind() != FileEntry.Kind.STREAM) {
            int set = disk.setModified(fd, entry.modifiedSeconds(), entry.modifiedNanos());
            Errno.require(set, FailureKind.TARGET, "set the time", path);
        }
    }
}
