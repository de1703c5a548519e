package io.fdt.core.storage.posix;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.RawPath;
import java.nio.ByteBuffer;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The space on a file system; -1 for values that it does not report. */
public record FileSystemSpace(long freeBytes, long bytes, long freeFiles, long files) {
    // Offsets in struct statvfs.
    private static final int RESERVED_TOO = 24;
    private static final int FREE = 32;

    private static final long SYS_STATFS = Kernel.ARM ? 43 : 137;
    private static final long SYS_FSTATFS = Kernel.ARM ? 44 : 138;
    private static final long EXT4 = 0xEF53;
    private static final long XFS = 0x58465342;
    private static final long TMPFS = 0x01021994;
    private static final long ZFS = 0x2FC12FC1L;
    private static final Set<Long> LOCAL =
            Set.of(EXT4, XFS, TMPFS, ZFS, 0x9123683EL /* btrfs */, 0x794C7630L /* overlay */);

    /** Whether data takes as much space as it is long: the file system neither compresses nor deduplicates it. */
    public static boolean storesAsItIs(int fd) {
        long type = typeOf(fd);
        return type == EXT4 || type == XFS || type == TMPFS;
    }

    /** Whether the first name of a file that was made without one is written to the disks before the call returns. */
    public static boolean waitsToLink(int fd) {
        return typeOf(fd) == ZFS;
    }

    /** Returns 0 if it is unknown. */
    private static long typeOf(int fd) {
        Scratch scratch = Scratch.get();
        boolean known = Kernel.once(SYS_FSTATFS, fd, scratch.data(), 0, 0, 0) == 0;
        return known ? scratch.bytes.getLong(Scratch.DATA) : 0;
    }

    /** Whether no other host changes the files of this file system; false if that is unknown. */
    static boolean isChangedHereOnly(RawPath path) {
        Scratch scratch = Scratch.get();
        return scratch.putPath(path)
                && Kernel.once(SYS_STATFS, scratch.path(), scratch.data(), 0, 0, 0) == 0
                && LOCAL.contains(scratch.bytes.getLong(Scratch.DATA));
    }

    /** Bytes that this user may still write to the file system; {@code Long.MAX_VALUE} if that is unknown. */
    public static long freeBytes(int fd) {
        FileSystemSpace known = of(fd, FileMetadata.isRoot() ? RESERVED_TOO : FREE);
        return known == null || known.freeBytes < 0 ? Long.MAX_VALUE : known.freeBytes;
    }

    /** The space that is available to users, or null if it cannot be determined. */
    public static @Nullable FileSystemSpace of(int fd) {
        return of(fd, FREE);
    }

    private static @Nullable FileSystemSpace of(int fd, int freeFragments) {
        Scratch scratch = Scratch.get();
        if (Libc.fstatvfs(fd, scratch.data()) != 0) {
            return null;
        }
        ByteBuffer answer = scratch.bytes;
        long fragmentBytes = answer.getLong(Scratch.DATA + 8);
        long fragments = answer.getLong(Scratch.DATA + 16);
        long files = answer.getLong(Scratch.DATA + 40);
        return new FileSystemSpace(
                bytes(fragments, answer.getLong(Scratch.DATA + freeFragments), fragmentBytes),
                bytes(fragments, fragments, fragmentBytes),
                files <= 0 ? -1 : Math.max(-1, answer.getLong(Scratch.DATA + 56)),
                files <= 0 ? -1 : files);
    }

    private static long bytes(long known, long fragments, long fragmentBytes) {
        return known <= 0 || fragments < 0 || fragmentBytes <= 0 || fragments > Long.MAX_VALUE / fragmentBytes
                ? -1
                : fragments * fragmentBytes;
    }
}
