package io.fdt.core.shard;

import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Attribute;
import io.fdt.core.plan.FileEntry.Kind;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.RawPath;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads what an {@link EntryWriter} wrote, and rejects everything that cannot be an entry. Does not own the stream. */
final class EntryReader {
    private static final int MAX_PATH_BYTES = 4096;
    private static final int MAX_ATTRIBUTES = 128;
    private static final int MAX_ATTRIBUTE_BYTES = 64 << 10;

    private final DataInputStream in;
    private byte[] last = new byte[0];
    private long count;
    private boolean ended;

    EntryReader(DataInputStream in) {
        this.in = in;
    }

    long count() {
        return count;
    }

    /** Null after the last one. */
    @Nullable PlannedEntry next() throws IOException {
        if (ended) {
            return null;
        }
        int tag = in.readUnsignedByte();
        if (tag == EntryWriter.END) {
            require(in.readLong() == count, "its count of entries");
            ended = true;
            return null;
        }
        Kind kind = Kind.ofCode(tag & EntryWriter.KIND);
        require((tag & ~EntryWriter.KNOWN) == 0, "an entry (or it was written by a later release)");
        require((tag & EntryWriter.PRESENT) != 0 && kind != null && kind != Kind.STREAM, "an entry's kind");
        PlannedEntry planned = entry(tag, kind == null ? Kind.FILE : kind);
        count++;
        return planned;
    }

    private PlannedEntry entry(int tag, Kind kind) throws IOException {
        RawPath path = path();
        long sizeBytes = kind == Kind.FILE ? in.readLong() : 0;
        require(sizeBytes >= 0, "a size");
        FileRange range = (tag & EntryWriter.RANGE) == 0 ? null : range();
        require(range == null || (kind == Kind.FILE && sizeBytes == range.lengthBytes()), "a range");
        int mode = in.readUnsignedShort();
        long seconds = in.readLong();
        int nanos = in.readInt();
        require(mode <= 07777 && nanos >= 0 && nanos < 1_000_000_000, "a mode or time");
        int uid = in.readInt();
        int gid = in.readInt();
        RawPath link = kind == Kind.LINK ? rawPath(bytes(in.readUnsignedShort(), MAX_PATH_BYTES)) : null;
        List<Attribute> attributes = (tag & EntryWriter.ATTRIBUTES) == 0 ? List.of() : attributes();
        FileEntry entry = new FileEntry(
                path,
                kind,
                sizeBytes,
                mode,
                seconds,
                nanos,
                uid,
                gid,
                (tag & EntryWriter.SPARSE) != 0,
                link,
                attributes,
                range);
        return new PlannedEntry(entry, (tag & EntryWriter.IMPLIED) != 0);
    }

    private FileRange range() throws IOException {
        long offset = in.readLong();
        long fileBytes = in.readLong();
        long rangeBytes = in.readLong();
        require(FileRange.isPossible(offset, fileBytes, rangeBytes), "a range");
        return new FileRange(offset, fileBytes, rangeBytes);
    }

    private RawPath path() throws IOException {
        int shared = in.readUnsignedShort();
        int rest = in.readUnsignedShort();
        require(shared <= last.length && shared + rest <= MAX_PATH_BYTES, "a path");
        byte[] path = Arrays.copyOf(last, shared + rest);
        in.readFully(path, shared, rest);
        last = path;
        RawPath checked = rawPath(path.clone());
        require(checked.isPlainRelative(), "a path");
        return checked;
    }

    static RawPath rawPath(byte[] bytes) throws IOException {
        for (byte value : bytes) {
            require(value != 0, "a path");
        }
        return RawPath.ofBytes(bytes);
    }

    private List<Attribute> attributes() throws IOException {
        int number = in.readUnsignedShort();
        require(number <= MAX_ATTRIBUTES, "its attributes");
        List<Attribute> attributes = new ArrayList<>(number);
        for (int i = 0; i < number; i++) {
            RawPath name = rawPath(bytes(in.readUnsignedShort(), MAX_PATH_BYTES));
            attributes.add(new Attribute(name, bytes(in.readInt(), MAX_ATTRIBUTE_BYTES)));
        }
        return attributes;
    }

    private byte[] bytes(int length, int max) throws IOException {
        require(length >= 0 && length <= max, "a length");
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        return bytes;
    }

    private static void require(boolean holds, String what) throws IOException {
        if (!holds) {
            throw new IOException(what + " is damaged");
        }
    }
}
