package io.fdt.core.plan;

import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import org.jspecify.annotations.Nullable;

/**
 * What one side found at a path when it checked a tree. Immutable; nobody changes the bytes of the digest.
 *
 * @param entry null if nothing is there, or if it could not be examined
 * @param digest of a file's content; empty for everything else, and if it was not hashed
 * @param failure why the entry, its content or a directory's content could not be read; null if everything was read
 */
public record CheckedEntry(
        RawPath path,
        @Nullable FileEntry entry,
        byte[] digest,
        @Nullable Failure failure) {
    private static final byte[] NO_DIGEST = new byte[0];

    /** An entry that has no content, or whose content was not hashed. */
    public static CheckedEntry found(FileEntry entry) {
        return found(entry, NO_DIGEST);
    }

    public static CheckedEntry found(FileEntry entry, byte[] digest) {
        return new CheckedEntry(entry.path(), entry, digest, null);
    }

    public static CheckedEntry absent(RawPath path) {
        return new CheckedEntry(path, null, NO_DIGEST, null);
    }

    /** A path that could not be examined, or a directory that could not be read. */
    public static CheckedEntry unreadable(RawPath path, TransferException why) {
        return new CheckedEntry(path, null, NO_DIGEST, why.failure());
    }

    /** An entry whose content could not be read. */
    public static CheckedEntry unreadable(FileEntry entry, TransferException why) {
        return new CheckedEntry(entry.path(), entry, NO_DIGEST, why.failure());
    }

    public boolean isAbsent() {
        return entry == null && failure == null;
    }
}
