package io.fdt.core.wire;

import io.fdt.core.digest.NodeHash;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The end of a chunk's frame: whether the source was unchanged and readable, the digest of the chunk with its
 * checksums, and a checksum of all. One mutable instance per lane; allocates nothing.
 */
public final class ChunkTrailer {
    /** The state of the source while it was read. Codes are on the wire. */
    public enum Status {
        SOUND(0),
        /** The file changed while it was read, or could not be read to its end: the data is invalid. */
        SOURCE_FAILED(1);

        private final int code;

        Status(int code) {
            this.code = code;
        }
    }

    private final CRC32C crc = new CRC32C();
    private final byte[] digest;
    private final int lengthBytes;
    private Status status = Status.SOUND;

    public ChunkTrailer(NodeHash kind) {
        this.digest = new byte[kind.lengthBytes()];
        this.lengthBytes = Integer.BYTES + kind.lengthBytes() + Integer.BYTES;
    }

    public int lengthBytes() {
        return lengthBytes;
    }

    /** The array that {@link #write} sends and {@link #read} fills. */
    public byte[] digest() {
        return digest;
    }

    public Status status() {
        return status;
    }

    public void setStatus(Status newStatus) {
        status = newStatus;
    }

    public void write(ByteBuffer buffer) {
        int start = buffer.position();
        buffer.putInt(status.code).put(digest);
        buffer.putInt(ChunkHeader.checksum(crc, buffer, start, lengthBytes - Integer.BYTES));
    }

    /** Reads at the buffer's position. Returns false if the trailer itself is damaged. */
    public boolean read(ByteBuffer buffer) {
        int start = buffer.position();
        int code = buffer.getInt();
        buffer.get(digest);
        int sum = buffer.getInt();
        status = code == Status.SOUND.code ? Status.SOUND : Status.SOURCE_FAILED;
        return sum == ChunkHeader.checksum(crc, buffer, start, lengthBytes - Integer.BYTES);
    }

    public boolean matches(byte[] computed) {
        return Arrays.equals(digest, 0, digest.length, computed, 0, digest.length);
    }
}
