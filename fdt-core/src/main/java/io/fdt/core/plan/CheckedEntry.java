package io.fdt.core.plan;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import org.jspecify.annotations.Nullable;

/**
 * What one side found at a path when a tree was checked. Immutable, but for the digest's bytes, which nobody changes.
 *
 * @param entry null when nothing is there, or nobody could tell what
 * @param digest of a file's content; empty for everything else, and where nobody hashed it
 * @param failure why the entry, its content or what is below it could not be read; null when all went well
 */
public record CheckedEntry(
        RawPath path,
        @Nullable FileEntry entry,
        byte[] digest,
        @Nullable FailureKind failure,
        @Nullable String reason) {
    private static final byte[] NO_DIGEST = new byte[0];

    /** Something without content, or whose content was not hashed. */
    public static CheckedEntry found(FileEntry entry) {
        return found(entry, NO_DIGEST);
    }

    public static CheckedEntry found(FileEntry entry, byte[] digest) {
        return new CheckedEntry(entry.path(), entry, digest, null, null);
    }

    public static CheckedEntry absent(RawPath path) {
        return new CheckedEntry(path, null, NO_DIGEST, null, null);
    }

    /** Nobody can tell what is at the path, or what is below it. */
    public static CheckedEntry unreadable(RawPath path, TransferException why) {
        return new CheckedEntry(path, null, NO_DIGEST, why.kind(), why.getMessage());
    }

    /** The entry is known, its content is not. */
    public static CheckedEntry unreadable(FileEntry entry, TransferException why) {
        return new CheckedEntry(entry.path(), entry, NO_DIGEST, why.kind(), why.getMessage());
    }

    /** The reason without the path in front of it; null when all went well. */
    public @Nullable String bareReason() {
        String prefix = path.display() + ": ";
        return reason != null && reason.startsWith(prefix) ? reason.substring(prefix.length()) : reason;
    }

    public boolean isAbsent() {
        return entry == null && failure == null;
    }
}
