package io.fdt.core.storage.target;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.FileSystemSpace;

/**
 * Compares what the files of a session need with the room on the target's file system, so that a copy that cannot
 * succeed ends before it has filled the file system. Knows nothing of quotas, and nothing of file systems that
 * compress. For the session's thread.
 */
final class Room {
    private static final long MEBIBYTE = 1 << 20;

    private final int dirFd;
    private final RawPath shown;
    private final boolean known;
    private final long freeAtStartBytes;
    private long neededBytes;

    /** @param dirFd the target's directory */
    Room(int dirFd, RawPath shown) {
        this.dirFd = dirFd;
        this.shown = shown;
        this.known = FileSystemSpace.storesAsItIs(dirFd);
        this.freeAtStartBytes = known ? FileSystemSpace.freeBytes(dirFd) : Long.MAX_VALUE;
    }

    /**
     * A file will be written.
     *
     * @param presentBytes which are there already
     * @param replacedBytes which are free once the file has its name
     */
    void onWanted(FileEntry entry, long presentBytes, long replacedBytes) {
        if (!entry.sparse()) {
            neededBytes += Math.max(0, entry.dataBytes() - presentBytes) - replacedBytes;
        }
    }

    /** Throws if there is too little; {@code writtenBytes} of it have been written. */
    void require(long writtenBytes) {
        if (!known || neededBytes <= freeAtStartBytes) {
            return;
        }
        // Others may have freed some meanwhile.
        long freeBytes = FileSystemSpace.freeBytes(dirFd);
        long missingBytes = neededBytes - writtenBytes - freeBytes;
        if (freeBytes != Long.MAX_VALUE && missingBytes > 0) {
            throw tooLittle(neededBytes - writtenBytes, freeBytes)
                    .advise("free at least " + mebibytes(missingBytes) + " MiB there, then run it again to resume")
                    .exception();
        }
    }

    /** Throws if there is too little for a copy of all files, which is not going to be made now. */
    void requireForAll() {
        long missingBytes = neededBytes - freeAtStartBytes;
        if (known && freeAtStartBytes != Long.MAX_VALUE && missingBytes > 0) {
            Failure why = tooLittle(neededBytes, freeAtStartBytes);
            throw why.with("dry run: " + why.detail())
                    .advise("nothing was changed; free at least " + mebibytes(missingBytes)
                            + " MiB there before you copy")
                    .exception();
        }
    }

    private Failure tooLittle(long needed, long free) {
        return Cause.NO_SPACE
                .at(shown.display())
                .with("no space left (needs " + mebibytes(needed) + " MiB, " + mebibytes(free) + " MiB are free)");
    }

    private static long mebibytes(long bytes) {
        return (bytes + MEBIBYTE - 1) / MEBIBYTE;
    }
}
