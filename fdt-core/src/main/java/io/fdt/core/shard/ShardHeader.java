package io.fdt.core.shard;

import io.fdt.core.plan.RawPath;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The header before the entries of a shard, which contains the job and the sources. Big-endian:
 *
 * <pre>
 * magic 8, job id 16, single 1, sources (count 2, each 2 + n)
 * </pre>
 *
 * Not a message: the names of all sources may be longer than any.
 *
 * @param jobId 16 bytes, the same in all shards of a job
 * @param single the job is one entry and not a directory, so that the target may be its new name
 * @param sources absolute, otherwise as the user wrote them
 */
record ShardHeader(byte[] jobId, boolean single, List<RawPath> sources) {
    static final int ID_BYTES = 16;
    private static final long MAGIC = 0x4644545348524401L;
    private static final int MAX_SOURCES = 10_000;

    ShardHeader {
        sources = List.copyOf(sources);
    }

    String job() {
        return HexFormat.of().formatHex(jobId);
    }

    void writeTo(DataOutputStream out) throws IOException {
        out.writeLong(MAGIC);
        out.write(jobId);
        out.writeBoolean(single);
        out.writeShort(sources.size());
        for (RawPath source : sources) {
            out.writeShort(source.lengthBytes());
            out.write(source.toBytes());
        }
    }

    static ShardHeader readFrom(DataInputStream in) throws IOException {
        if (in.readLong() != MAGIC) {
            throw new IOException("it is not a shard");
        }
        byte[] id = new byte[ID_BYTES];
        in.readFully(id);
        boolean single = in.readBoolean();
        int count = in.readUnsignedShort();
        if (count > MAX_SOURCES) {
            throw new IOException("its count of sources is damaged");
        }
        List<RawPath> sources = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] path = new byte[in.readUnsignedShort()];
            in.readFully(path);
            sources.add(EntryReader.rawPath(path));
        }
        return new ShardHeader(id, single, sources);
    }
}
