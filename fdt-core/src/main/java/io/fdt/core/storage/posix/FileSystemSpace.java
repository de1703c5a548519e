package io.fdt.core.storage.posix;

import io.fdt.core.nativecode.Libc;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The room on a file system; -1 for what it does not report. */
public record FileSystemSpace(long freeBytes, long bytes, long freeFiles, long files) {
    /** Bytes that this user may still write to the file system, or the negated errno. */
    public static long freeBytes(int fd) {
        Scratch scratch = Scratch.get();
        if (Libc.fstatvfs(fd, scratch.data()) != 0) {
            return -Libc.errno();
        }
        long fragmentBytes = scratch.bytes.getLong(Scratch.DATA + 8);
        long totalFragments = scratch.bytes.getLong(Scratch.DATA + 16);
        long available = scratch.bytes.getLong(Scratch.DATA + (FileMetadata.isRoot() ? 24 : 32));
        if (totalFragments == 0) {
            // Some network file systems do not say.
            return Long.MAX_VALUE;
        }
        long bytes = available * fragmentBytes;
        return bytes / Math.max(1, fragmentBytes) == available && bytes >= 0 ? bytes : Long.MAX_VALUE;
    }

    /** The room on the file system, or null where it cannot be asked. */
    public static @Nullable FileSystemSpace space(int fd) {
        Scratch scratch = Scratch.get();
        if (Libc.fstatvfs(fd, scratch.data()) != 0) {
            return null;
        }
        ByteBuffer told = scratch.bytes;
        long fragmentBytes = told.getLong(Scratch.DATA + 8);
        long fragments = told.getLong(Scratch.DATA + 16);
        long files = told.getLong(Scratch.DATA + 40);
        return new FileSystemSpace(
                bytes(fragments, told.getLong(Scratch.DATA + 32), fragmentBytes),
                bytes(fragments, fragments, fragmentBytes),
                files <= 0 ? -1 : Math.max(-1, told.getLong(Scratch.DATA + 56)),
                files <= 0 ? -1 : files);
    }

    private static long bytes(long known, long fragments, long fragmentBytes) {
        return known <= 0 || fragments < 0 || fragmentBytes <= 0 || fragments > Long.MAX_VALUE / fragmentBytes
                ? -1
                : fragments * fragmentBytes;
    }
}
