package io.fdt.core.shard;

import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.RawPath;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;

/**
 * Writes entries one after the other, each path without the prefix that it shares with the previous one. Big-endian:
 *
 * <pre>
 * tag 1 (kind 2 bits, sparse, attributes, implied, range, 0, 1), shared 2, rest 2, path's rest,
 * of a file its size 8, of a range its offset 8 (-1: the file of them all), the file's size 8, length of ranges 8, mode
 * 2, modified s 8, ns 4, owner 4, group 4, of a link its target (2 + n), attributes (count 2, each name 2 + n, value 4
 * + n); after the last entry a zero and their count 8
 * </pre>
 *
 * Does not own the stream.
 */
final class EntryWriter {
    static final int KIND = 3;
    static final int SPARSE = 1 << 2;
    static final int ATTRIBUTES = 1 << 3;
    static final int IMPLIED = 1 << 4;
    static final int RANGE = 1 << 5;
    static final int PRESENT = 1 << 7;
    static final int KNOWN = KIND | SPARSE | ATTRIBUTES | IMPLIED | RANGE | PRESENT;
    static final int END = 0;

    private final DataOutputStream out;
    private byte[] last = new byte[0];
    private long count;

    EntryWriter(DataOutputStream out) {
        this.out = out;
    }

    long count() {
        return count;
    }

    void add(PlannedEntry planned) throws IOException {
        FileEntry entry = planned.entry();
        RawPath link = entry.linkTarget();
        int tag = PRESENT | entry.kind().code();
        tag |= entry.sparse() ? SPARSE : 0;
        tag |= entry.attributes().isEmpty() ? 0 : ATTRIBUTES;
        tag |= planned.implied() ? IMPLIED : 0;
        FileRange range = entry.range();
        tag |= range == null ? 0 : RANGE;
        out.writeByte(tag);
        writePath(entry.path().toBytes());
        if (entry.kind() == FileEntry.Kind.FILE) {
            out.writeLong(entry.sizeBytes());
        }
        if (range != null) {
            out.writeLong(range.offset());
            out.writeLong(range.fileBytes());
            out.writeLong(range.rangeBytes());
        }
        out.writeShort(entry.mode());
        out.writeLong(entry.modifiedSeconds());
        out.writeInt(entry.modifiedNanos());
        out.writeInt(entry.uid());
        out.writeInt(entry.gid());
        if (link != null) {
            writeBytes(link.toBytes());
        }
        if (!entry.attributes().isEmpty()) {
            out.writeShort(entry.attributes().size());
            for (FileEntry.Attribute attribute : entry.attributes()) {
                writeBytes(attribute.name().toBytes());
                out.writeInt(attribute.value().length);
                out.write(attribute.value());
            }
        }
        count++;
    }

    private void writePath(byte[] path) throws IOException {
        int mismatch = Arrays.mismatch(last, path);
        int shared = mismatch < 0 ? path.length : mismatch;
        out.writeShort(shared);
        out.writeShort(path.length - shared);
        out.write(path, shared, path.length - shared);
        last = path;
    }

    private void writeBytes(byte[] bytes) throws IOException {
        out.writeShort(bytes.length);
        out.write(bytes);
    }

    /** Call it after the last entry. */
    void end() throws IOException {
        out.writeByte(END);
        out.writeLong(count);
    }
}
