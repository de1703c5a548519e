package io.fdt.core.shard;

import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.EntryCodec;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Reads what an {@link EntryWriter} wrote, and rejects everything that cannot be an entry. Does not own the stream. */
final class EntryReader {
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
        require((tag & ~EntryWriter.IMPLIED) == EntryWriter.PRESENT, "an entry");
        PlannedEntry planned = new PlannedEntry(entry(path()), (tag & EntryWriter.IMPLIED) != 0);
        count++;
        return planned;
    }

    private RawPath path() throws IOException {
        int shared = in.readUnsignedShort();
        int rest = in.readUnsignedShort();
        require(shared <= last.length && shared + rest <= Bounds.MAX_PATH_BYTES, "a path");
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

    private FileEntry entry(RawPath path) throws IOException {
        int length = in.readInt();
        require(length > 0 && length <= Bounds.MAX_MESSAGE_BYTES, "a length");
        byte[] rest = in.readNBytes(length);
        if (rest.length < length) {
            throw new EOFException();
        }
        FileEntry entry = EntryCodec.decode(rest);
        require(entry.metadata().isKnown() && entry.kind() != FileEntry.Kind.STREAM, "an entry");
        return entry.at(path);
    }

    private static void require(boolean holds, String what) throws IOException {
        if (!holds) {
            throw new IOException(what + " is damaged");
        }
    }
}
