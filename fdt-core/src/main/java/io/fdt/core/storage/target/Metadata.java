package io.fdt.core.storage.target;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Attribute;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.storage.CreationMask;
import io.fdt.core.storage.posix.Acl;
import io.fdt.core.storage.posix.AttributeReader;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.UnflushedMark;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The metadata of entries that a session preserves. The owner is set only by root and only on request; setuid, setgid,
 * sticky and capabilities only together with the owner, because they would otherwise grant the rights of another user.
 * Immutable, and thread-safe except for {@link #differs}, which is for the session's thread.
 */
final class Metadata {
    private static final int PERMISSIONS = 0777;
    private static final int SPECIAL = 07000;
    /** A time of 2001, which every file system can store. */
    private static final long ORDINARY_SECONDS = 1_000_000_000;

    private static final int COARSE_SECONDS = 2;
    private static final int TRIES = 5;
    private static final int OWNER_ALL = 0700;
    private static final int OWNER_READ = 0400;

    private final Disk disk;
    /** The mode bits that an entry may set; others are cleared. */
    private final int grantedModes;

    private final CreationMask mask;
    private final boolean mode;
    private final boolean times;
    private final boolean attributes;
    private final boolean owner;
    private final boolean acls;
    private final MetadataCheck check = new MetadataCheck();
    /** Reads existing attributes; null if none are preserved. */
    private final @Nullable AttributeReader reader;

    Metadata(TransferPlan plan, CreationMask mask, Disk disk) {
        this.disk = disk;
        this.mask = mask;
        this.acls = plan.preserves(Preserve.ACLS);
        this.mode = acls || plan.preserves(Preserve.MODE);
        this.times = plan.preserves(Preserve.TIMES);
        this.attributes = plan.preserves(Preserve.XATTRS);
        this.owner = plan.preserves(Preserve.OWNER) && FileMetadata.isRoot();
        this.reader = attributes || acls ? new AttributeReader(FailureKind.TARGET, attributes, acls) : null;
        this.grantedModes = (owner ? SPECIAL | PERMISSIONS : PERMISSIONS) & ~mask.permissions();
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
     * Returns the final mode of a file. A stream has no mode of its own.
     *
     * @param existingMode of a file that is replaced and whose permissions are inherited, or -1
     */
    int fileMode(FileEntry entry, int existingMode) {
        if (hasMode(entry)) {
            return entry.mode() & grantedModes;
        }
        return existingMode >= 0 ? existingMode & PERMISSIONS : Umask.apply(0666) & grantedModes;
    }

    /** Whether the entry's own mode is preserved. */
    boolean hasMode(FileEntry entry) {
        return mode && entry.kind() == FileEntry.Kind.FILE;
    }

    /** Returns the mode of a directory until its last entry is done. The process's umask also applies. */
    int newDirectoryMode(FileEntry entry) {
        return ((mode ? entry.mode() : PERMISSIONS) & grantedModes & PERMISSIONS) | OWNER_ALL;
    }

    /**
     * Returns the final mode of a directory.
     *
     * @param existingMode its present mode, whose setgid and sticky bits are kept, because an operator may share the
     *     directory by them
     */
    int directoryMode(FileEntry entry, int existingMode) {
        return (entry.mode() & grantedModes) | (owner ? 0 : existingMode & SPECIAL);
    }

    /**
     * Whether an existing file may need other metadata.
     *
     * @param existing knows which time the file system would show
     */
    boolean differs(FileEntry entry, int parentFd, RawPath name, FileStatus there, ExistingRules existing) {
        return (mode && there.mode() != fileMode(entry, there.mode()))
                || (owner && (there.uid != entry.uid() || there.gid != entry.gid()))
                || (times && !existing.hasTimeOf(entry, parentFd, there))
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
                .anyMatch(each -> isGiven(each) && there.stream().noneMatch(masked(each)::isSame));
        return lacks || there.stream().anyMatch(each -> isAclGiven(each.name()) && !has(entry, each.name()));
    }

    /** Returns the attribute as it is given: an ACL grants nothing that the mask takes. */
    private Attribute masked(Attribute attribute) {
        return Acl.isName(attribute.name()) && Acl.isComplete(attribute.value())
                ? new Attribute(attribute.name(), Acl.masked(attribute.value(), mask.permissions()))
                : attribute;
    }

    private static boolean has(FileEntry entry, RawPath attribute) {
        return entry.attributes().stream().anyMatch(each -> each.name().equals(attribute));
    }

    private boolean isAclGiven(RawPath name) {
        return acls && (name.equals(Acl.ACCESS) || (name.equals(Acl.DEFAULT) && !mask.defaultAcls()));
    }

    /** Whether the session preserves an attribute; without the owner, not if it grants rights. */
    private boolean isGiven(Attribute attribute) {
        if (Acl.isName(attribute.name())) {
            return isAclGiven(attribute.name());
        }
        boolean grantsRights = !attribute.name().text().startsWith("user.");
        return attributes && AttributeReader.isCarried(attribute.name()) && (owner || !grantsRights);
    }

    /**
     * Sets all metadata of a file. The owner comes first, because a change of owner clears capabilities, setuid and
     * setgid; the mode comes after the attributes, which cannot be written without write permission. The entry's own
     * attributes come before the mark, for which there may then be no room.
     *
     * @param modeWanted the final mode, from {@link #fileMode}
     * @param marks whether the file is marked as one that is not flushed
     * @return whether it has that mark, and its owner can read it later
     */
    boolean giveAll(int fd, FileEntry entry, int modeNow, int modeWanted, RawPath path, boolean marks) {
        giveOwner(fd, entry, path);
        giveAttributes(fd, entry, path);
        boolean readable = (modeWanted & OWNER_READ) != 0 || FileMetadata.isRoot();
        boolean marked = marks && readable && UnflushedMark.set(disk, fd);
        if (modeWanted != modeNow || owner || acls) {
            Errno.require(disk.setMode(fd, modeWanted), FailureKind.TARGET, "set the mode", path);
        }
        giveTimes(fd, entry, path);
        check.lookAtFile(fd, entry.path(), there -> notKept(fd, entry, modeWanted, there));
        return marked;
    }

    /** Sets the owner and attributes of a directory. */
    void giveToDirectory(int fd, RawPath path, FileEntry entry, RawPath shown) {
        giveOwner(fd, entry, shown);
        giveAttributes(fd, entry, shown);
        check.lookAtNewDirectory(fd, path, there -> {
            List<String> kinds = new ArrayList<>();
            addIfNotKept(kinds, fd, entry, there);
            return kinds;
        });
    }

    /** Sets the mode and times of a directory that is complete. */
    void finishDirectory(int fd, DirectoryLog.Directory directory, RawPath shown) {
        EntryMetadata given = directory.metadata();
        int done = times ? disk.setModified(fd, given.modifiedSeconds(), given.modifiedNanos()) : 0;
        if (done == 0 && directory.hasMode()) {
            done = disk.setMode(fd, given.mode());
        }
        Errno.require(done, FailureKind.TARGET, "give the directory its mode or time", shown);
        check.lookAtDirectory(fd, directory.path(), there -> notKept(fd, directory, there));
    }

    private List<String> notKept(int fd, DirectoryLog.Directory directory, FileStatus there) {
        EntryMetadata given = directory.metadata();
        List<String> kinds = new ArrayList<>();
        if (directory.hasMode() && ((there.mode() ^ given.mode()) & PERMISSIONS) != 0) {
            kinds.add("permissions");
        }
        if (times && !keepsTimes(fd, given, there)) {
            kinds.add("modification times");
        }
        return kinds;
    }

    /** What file systems have not kept so far. */
    MetadataCheck check() {
        return check;
    }

    private List<String> notKept(int fd, FileEntry entry, int modeWanted, FileStatus there) {
        List<String> kinds = new ArrayList<>();
        if (hasMode(entry) && ((there.mode() ^ modeWanted) & PERMISSIONS) != 0) {
            kinds.add("permissions");
        }
        if (times && entry.kind() != FileEntry.Kind.STREAM && !keepsTimes(fd, entry.metadata(), there)) {
            kinds.add("modification times");
        }
        addIfNotKept(kinds, fd, entry, there);
        return kinds;
    }

    /** Adds owners, and attributes or ACLs. */
    private void addIfNotKept(List<String> kinds, int fd, FileEntry entry, FileStatus there) {
        if (owner && (there.uid != entry.uid() || there.gid != entry.gid())) {
            kinds.add("owners");
        }
        List<Attribute> found = reader == null
                ? null
                : new AttributeReader(FailureKind.TARGET, attributes, acls).read(fd, RawPath.EMPTY, entry.path());
        if (found != null
                && entry.attributes().stream()
                        .anyMatch(each -> isGiven(each) && found.stream().noneMatch(masked(each)::isSame))) {
            kinds.add("extended attributes or ACLs");
        }
    }

    /**
     * Some keep only seconds, and some cannot store the time of this entry. Others may write to a directory meanwhile.
     */
    private boolean keepsTimes(int fd, EntryMetadata given, FileStatus there) {
        boolean keeps = isNear(there, given.modifiedSeconds());
        FileStatus again = new FileStatus();
        for (int tries = 0; !keeps && tries < TRIES; tries++) {
            keeps = disk.setModified(fd, ORDINARY_SECONDS, 0) == 0
                    && FileMetadata.stat(fd, again) == 0
                    && isNear(again, ORDINARY_SECONDS)
                    && disk.setModified(fd, given.modifiedSeconds(), given.modifiedNanos()) == 0;
        }
        return keeps;
    }

    private static boolean isNear(FileStatus there, long seconds) {
        return Math.abs(there.modifiedSeconds - seconds) <= COARSE_SECONDS;
    }

    private void giveAttributes(int fd, FileEntry entry, RawPath path) {
        for (Attribute attribute : entry.attributes()) {
            if (!isGiven(attribute)) {
                continue;
            }
            if (Acl.isName(attribute.name()) && !Acl.isComplete(attribute.value())) {
                throw Cause.REFUSED.at(path.display()).failure("the sender's ACL is invalid");
            }
            int set = set(fd, attribute.name(), masked(attribute).value());
            if (set < 0) {
                String operation = "set attribute " + attribute.name().display();
                throw Errno.failure(FailureKind.TARGET, operation, path, -set);
            }
        }
        if (acls) {
            takeAcl(fd, entry, Acl.ACCESS, path);
            if (entry.kind() == FileEntry.Kind.DIRECTORY && !mask.defaultAcls()) {
                takeAcl(fd, entry, Acl.DEFAULT, path);
            }
        }
    }

    /** Removes an ACL that was inherited from the directory's default ACL and that the source does not have. */
    private void takeAcl(int fd, FileEntry entry, RawPath name, RawPath path) {
        int taken = has(entry, name) ? 0 : set(fd, name, Acl.none());
        if (taken < 0 && taken != -Errno.EOPNOTSUPP && taken != -Errno.ENODATA) {
            throw Errno.failure(FailureKind.TARGET, "remove attribute " + name.display(), path, -taken);
        }
    }

    private int set(int fd, RawPath name, byte[] value) {
        ByteBuffer memory = ByteBuffer.allocateDirect(Math.max(1, value.length)).put(value);
        try {
            return disk.setAttribute(fd, name, Libc.addressOf(memory), value.length);
        } finally {
            Reference.reachabilityFence(memory);
        }
    }

    private void giveOwner(int fd, FileEntry entry, RawPath path) {
        if (owner) {
            Errno.require(disk.setOwner(fd, entry.uid(), entry.gid()), FailureKind.TARGET, "set the owner", path);
        }
    }

    void giveTimes(int fd, FileEntry entry, RawPath path) {
        if (times && entry.kind() != FileEntry.Kind.STREAM) {
            int set = disk.setModified(fd, entry.modifiedSeconds(), entry.modifiedNanos());
            Errno.require(set, FailureKind.TARGET, "set the time", path);
        }
    }
}
