package io.fdt.core.plan;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One thing of a manifest: what the source had to say of it when it was walked.
 *
 * @param path where it goes below the target, plain and relative; empty for the target directory itself
 * @param sizeBytes of a file; {@link #UNKNOWN_SIZE} for a stream whose end is not known yet; 0 otherwise
 * @param mode permission bits, with setuid, setgid and sticky (07777)
 * @param linkTarget of a symbolic link, its bytes as they are
 * @param sparse the file occupies fewer blocks than its size needs
 */
public record FileEntry(
        RawPath path,
        Kind kind,
        long sizeBytes,
        int mode,
        long modifiedSeconds,
        int modifiedNanos,
        int uid,
        int gid,
        boolean sparse,
        @Nullable RawPath linkTarget,
        List<Attribute> attributes) {

    public static final long UNKNOWN_SIZE = -1;

    /** What an entry is. Codes are on the wire and never change. */
    public enum Kind {
        FILE(0),
        DIRECTORY(1),
        LINK(2),
        /** Bytes without a file: {@code /dev/zero}, or a pipe. */
        STREAM(3);

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        public int code() {
            return code;
        }

        public static @Nullable Kind ofCode(int code) {
            for (Kind kind : values()) {
                if (kind.code == code) {
                    return kind;
                }
            }
            return null;
        }
    }

    /** An extended attribute, name with its namespace (for example {@code user.origin}). */
    public record Attribute(RawPath name, byte[] value) {}

    public boolean hasData() {
        return kind == Kind.FILE || kind == Kind.STREAM;
    }
}
