package io.fdt.core.wire;

import io.fdt.core.digest.TreeDigest;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The header of a chunk's frame on a lane: 48 bytes, big-endian, with its own checksum, so that a flipped bit cannot
 * change the file or the offset unnoticed. The leaves in {@link #leafMap} follow, then the {@link ChunkTrailer}.
 *
 * <p>One mutable instance per lane; reading and writing allocate nothing.
 */
public final class ChunkHeader {
    public static final int LENGTH_BYTES = 48;

    private static final int MAGIC = 0xFD7C;
    private static final int DIGEST_ONLY = 1;
    private static final int CHECKED_BYTES = LENGTH_BYTES - Integer.BYTES;

    private final CRC32C crc = new CRC32C();

    private long sessionTag;
    private int fileId;
    private int attempt;
    private int lengthBytes;
    private long offset;
    private long leafMap;
    private boolean digestOnly;

    /** Sets the header of a chunk whose leaves follow. */
    public void set(
            long newSessionTag, int newFileId, int newAttempt, long newOffset, int newLengthBytes, long newMap) {
        sessionTag = newSessionTag;
        fileId = newFileId;
        attempt = newAttempt;
        offset = newOffset;
        lengthBytes = newLengthBytes;
        leafMap = newMap;
        digestOnly = false;
    }

    /** Sets the header of a chunk of which only the digest is sent: no leaf follows, although none is a hole. */
    public void setDigestOnly(long newSessionTag, int newFileId, long newOffset, int newLengthBytes) {
        set(newSessionTag, newFileId, 0, newOffset, newLengthBytes, 0);
        digestOnly = true;
    }

    public void write(ByteBuffer buffer) {
        int start = buffer.position();
        buffer.putShort((short) MAGIC)
                .putShort((short) (digestOnly ? DIGEST_ONLY : 0))
                .putInt(fileId)
                .putLong(sessionTag)
                .putInt(attempt)
                .putInt(lengthBytes)
                .putLong(offset)
                .putLong(leafMap)
                .putInt(0);
        buffer.putInt(checksum(buffer, start, CHECKED_BYTES));
    }

    /** Reads the header at the buffer's position. Returns null if it is valid, otherwise what is wrong with it. */
    public @Nullable String read(ByteBuffer buffer, long expectedSessionTag) {
        int start = buffer.position();
        int magic = buffer.getShort() & 0xFFFF;
        digestOnly = (buffer.getShort() & DIGEST_ONLY) != 0;
        fileId = buffer.getInt();
        sessionTag = buffer.getLong();
        attempt = buffer.getInt();
        lengthBytes = buffer.getInt();
        offset = buffer.getLong();
        leafMap = buffer.getLong();
        buffer.getInt();
        int sum = buffer.getInt();
        if (magic != MAGIC) {
            return "not a chunk frame";
        }
        if (sum != checksum(buffer, start, CHECKED_BYTES)) {
            return "damaged chunk header";
        }
        if (sessionTag != expectedSessionTag) {
            return "a frame of another session";
        }
        return boundsProblem();
    }

    private @Nullable String boundsProblem() {
        if (fileId < 0 || attempt < 0) {
            return "negative file or attempt number";
        }
        if (lengthBytes <= 0 || lengthBytes > Bounds.MAX_CHUNK_BYTES) {
            return "chunk length " + lengthBytes + " out of bounds";
        }
        if (offset < 0 || offset > Long.MAX_VALUE - lengthBytes || offset % TreeDigest.LEAF_BYTES != 0) {
            return "chunk offset " + offset + " out of bounds";
        }
        int leaves = leaves();
        if (leaves < Bounds.MAX_LEAVES && leafMap >>> leaves != 0) {
            return "leaf map names leaves past the chunk";
        }
        if (digestOnly && leafMap != 0) {
            return "leaves where only a digest belongs";
        }
        return null;
    }

    static int checksum(CRC32C crc, ByteBuffer buffer, int start, int length) {
        int position = buffer.position();
        int limit = buffer.limit();
        buffer.limit(start + length).position(start);
        crc.reset();
        crc.update(buffer);
        buffer.limit(limit).position(position);
        return (int) crc.getValue();
    }

    private int checksum(ByteBuffer buffer, int start, int length) {
        return checksum(crc, buffer, start, length);
    }

    /** Whether no leaf is a hole. */
    public boolean hasEveryLeaf() {
        return Long.bitCount(leafMap) == leaves();
    }

    public int fileId() {
        return fileId;
    }

    public int attempt() {
        return attempt;
    }

    public long offset() {
        return offset;
    }

    public int lengthBytes() {
        return lengthBytes;
    }

    /** Bit i is set if leaf i of the chunk follows, and clear if the leaf is zeros, a hole. */
    public long leafMap() {
        return leafMap;
    }

    public boolean isDigestOnly() {
        return digestOnly;
    }

    public int leaves() {
        return leavesOf(lengthBytes);
    }

    public boolean hasLeaf(int index) {
        return (leafMap >>> index & 1) != 0;
    }

    public int leafBytes(int index) {
        return Math.min(TreeDigest.LEAF_BYTES, lengthBytes - index * TreeDigest.LEAF_BYTES);
    }

    public static int leavesOf(int chunkLengthBytes) {
        return (chunkLengthBytes + TreeDigest.LEAF_BYTES - 1) / TreeDigest.LEAF_BYTES;
    }

    /** The leaf map of a chunk without holes. */
    public static long fullMap(int chunkLengthBytes) {
        int leaves = leavesOf(chunkLengthBytes);
        return leaves >= Long.SIZE ? -1L : (1L << leaves) - 1;
    }
}
