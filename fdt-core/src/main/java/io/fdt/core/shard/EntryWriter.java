package io.fdt.core.shard;

import io.fdt.core.plan.RawPath;
import io.fdt.core.wire.EntryCodec;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;

/**
 * Writes entries one after the other, each path without the prefix that it shares with the previous one. Big-endian:
 *
 * <pre>
 * tag 1 (1, with 2 if the directory is implied), shared 2, rest 2, path's rest, length 4 and the entry without its path
 * as {@link EntryCodec} encodes it; after the last entry a zero and their count 8
 * </pre>
 *
 * Does not own the stream.
 */
final class EntryWriter {
    static final int PRESENT = 1;
    static final int IMPLIED = 1 << 1;
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
        out.writeByte(planned.implied() ? PRESENT | IMPLIED : PRESENT);
        writePath(planned.entry().path().toBytes());
        byte[] rest = EntryCodec.encode(planned.entry().at(RawPath.EMPTY));
        out.writeInt(rest.length);
        out.write(rest);
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

    /** Call it after the last entry. */
    void end() throws IOException {
        out.writeByte(END);
        out.writeLong(count);
    }
}
