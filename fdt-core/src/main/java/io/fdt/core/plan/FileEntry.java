package io.fdt.core.plan;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An entry of a manifest, as the source was when it was listed.
 *
 * @param path below the target, plain and relative; empty for the target directory itself
 * @param sizeBytes of a file; {@link #UNKNOWN_SIZE} for a stream whose end is not known yet; 0 otherwise
 * @param linkTarget the target of a symbolic link, as raw bytes; for a further name of a file in the copy, the path of
 *     its first name, which has the data
 * @param sparse of a file: it occupies fewer blocks than its size needs; of a directory: only names of a list below it
 *     are copied, and its own metadata is for a new one only
 * @param range null for a whole file and for everything that is not a file; otherwise {@code sizeBytes} is the length
 *     of the range
 */
public record FileEntry(
        RawPath path,
        Kind kind,
        long sizeBytes,
        EntryMetadata metadata,
        boolean sparse,
        @Nullable RawPath linkTarget,
        @Nullable FileRange range) {
    private static final long OVERHEAD_BYTES = 64;
    private static final String DOUBTFUL = "doubtful";

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
            EntryMetadata metadata,
            boolean sparse,
            @Nullable RawPath linkTarget) {
        this(path, kind, sizeBytes, metadata, sparse, linkTarget, null);
    }

    public enum Kind {
        FILE,
        DIRECTORY,
        LINK,
        /** Bytes without a file: {@code /dev/zero}, or a pipe. */
        STREAM;

        /** Is stored and sent, and never changes. */
        @SuppressWarnings("EnumOrdinal") // a test of the codec pins the order
        public int code() {
            return ordinal();
        }
    }

    /** An extended attribute; its name includes the namespace (for example {@code user.origin}). */
    public record Attribute(RawPath name, byte[] value) {
        /** Of a file that is looked at: {@code unflushed} or {@code doubtful}. Never copied. */
        public static final RawPath UNFLUSHED = RawPath.ofText("user.fdt.unflushed");

        public boolean isSame(Attribute other) {
            return name.equals(other.name) && Arrays.equals(value, other.value);
        }
    }

    public int mode() {
        return metadata.mode();
    }

    public long modifiedSeconds() {
        return metadata.modifiedSeconds();
    }

    public int modifiedNanos() {
        return metadata.modifiedNanos();
    }

    public int uid() {
        return metadata.uid();
    }

    public int gid() {
        return metadata.gid();
    }

    public List<Attribute> attributes() {
        return metadata.attributes();
    }

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

    /** Whether this is a directory that is needed only for names below it: an existing one stays as it is. */
    public boolean isOnlyAbove() {
        return kind == Kind.DIRECTORY && sparse;
    }

    /** Returns this directory as one that is needed only for names below it. */
    public FileEntry onlyAbove() {
        return new FileEntry(path, kind, sizeBytes, metadata, true, linkTarget, range);
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
        return range == null ? this : new FileEntry(path, kind, range.fileBytes(), metadata, sparse, linkTarget);
    }

    /**
     * Returns {@code unflushed} for a file that was looked at and not flushed by the run that wrote it, {@code
     * doubtful} if its data may be lost; otherwise null.
     */
    public @Nullable String doubt() {
        return attributes().stream()
                .filter(each -> each.name().equals(Attribute.UNFLUSHED))
                .findFirst()
                .map(each ->
                        new String(each.value(), StandardCharsets.US_ASCII).equals(DOUBTFUL) ? DOUBTFUL : "unflushed")
                .orElse(null);
    }

    /** The approximate heap size of this entry: the peer determines the length of names and attributes. */
    public long heapBytes() {
        long bytes = OVERHEAD_BYTES + path.lengthBytes() + (linkTarget == null ? 0 : linkTarget.lengthBytes());
        for (Attribute attribute : attributes()) {
            bytes += OVERHEAD_BYTES + attribute.name().lengthBytes() + attribute.value().length;
        }
        return bytes;
    }

    public FileEntry ranged(FileRange newRange) {
        return new FileEntry(path, kind, newRange.lengthBytes(), metadata, sparse, linkTarget, newRange);
    }

    public FileEntry at(RawPath newPath) {
        return new FileEntry(newPath, kind, sizeBytes, metadata, sparse, linkTarget, range);
    }

    public FileEntry with(EntryMetadata newMetadata) {
        return new FileEntry(path, kind, sizeBytes, newMetadata, sparse, linkTarget, range);
    }
}
