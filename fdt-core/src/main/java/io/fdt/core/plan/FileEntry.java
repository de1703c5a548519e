package io.fdt.core.plan;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An entry of a manifest, as the source was when it was listed.
 *
 * @param path below the target, plain and relative; empty for the target directory itself
 * @param sizeBytes of a file; {@link #UNKNOWN_SIZE} for a stream whose end is not known yet; 0 otherwise
 * @param mode permission bits, with setuid, setgid and sticky (07777)
 * @param linkTarget the target of a symbolic link, as raw bytes; for a further name of a file in the copy, the path of
 *     its first name, which has the data
 * @param sparse the file occupies fewer blocks than its size needs
 * @param range null for a whole file and for everything that is not a file; otherwise {@code sizeBytes} is the length
 *     of the range
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
        List<Attribute> attributes,
        @Nullable FileRange range) {
    private static final long OVERHEAD_BYTES = 64;

    public static final long UNKNOWN_SIZE = -1;

    public FileEntry {
        if (range != null && (kind != Kind.FILE || sizeBytes != range.lengthBytes())) {
            throw new IllegalArgumentException("an entry of " + sizeBytes + " bytes is no " + range);
        }
    }

    /** An entry that is not a range. */
    public FileEntry(
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
        this(
                path,
                kind,
                sizeBytes,
                mode,
                modifiedSeconds,
                modifiedNanos,
                uid,
                gid,
                sparse,
                linkTarget,
                attributes,
                null);
    }

    /** The type of an entry. Codes are on the wire and never change. */
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

    /** An extended attribute; its name includes the namespace (for example {@code user.origin}). */
    public record Attribute(RawPath name, byte[] value) {
        public boolean isSame(Attribute other) {
            return name.equals(other.name) && Arrays.equals(value, other.value);
        }
    }

    /** Whether the entry has data to send. */
    public boolean hasData() {
        return isFile() && !isFurtherName();
    }

    public boolean isFile() {
        return kind == Kind.FILE || kind == Kind.STREAM;
    }

    /** Whether the entry becomes a hard link to the file of another entry. */
    public boolean isFurtherName() {
        return kind == Kind.FILE && linkTarget != null && !linkTarget.equals(path);
    }

    /** Whether other entries may become hard links to this one. */
    public boolean isFirstName() {
        return kind == Kind.FILE && linkTarget != null && linkTarget.equals(path);
    }

    /** The data to move if all of it is needed; 0 if that is not known. */
    public long dataBytes() {
        return hasData() ? Math.max(0, sizeBytes) : 0;
    }

    /** The file that this is a range of; this entry if it is not a range. */
    public FileEntry whole() {
        return range == null ? this : with(path, range.fileBytes(), mode, null);
    }

    /** The approximate heap size of this entry: the peer determines the length of names and attributes. */
    public long heapBytes() {
        long bytes = OVERHEAD_BYTES + path.lengthBytes() + (linkTarget == null ? 0 : linkTarget.lengthBytes());
        for (Attribute attribute : attributes) {
            bytes += OVERHEAD_BYTES + attribute.name().lengthBytes() + attribute.value().length;
        }
        return bytes;
    }

    public FileEntry ranged(FileRange newRange) {
        return with(path, newRange.lengthBytes(), mode, newRange);
    }

    /** Returns this entry with another path. */
    public FileEntry at(RawPath newPath) {
        return with(newPath, sizeBytes, mode, range);
    }

    public FileEntry withMode(int newMode) {
        return with(path, sizeBytes, newMode, range);
    }

    private FileEntry with(RawPath newPath, long newSizeBytes, int newMode, @Nullable FileRange newRange) {
        return new FileEntry(
                newPath,
                kind,
                newSizeBytes,
                newMode,
                modifiedSeconds,
                modifiedNanos,
                uid,
                gid,
                sparse,
                linkTarget,
                attributes,
                newRange);
    }
}
