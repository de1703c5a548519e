package io.fdt.core.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.TreeDigest;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ChunkFrameTest {
    private static final long TAG = 0x1122334455667788L;

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(256);
    private final ChunkHeader header = new ChunkHeader();

    @Test
    void readsTheHeaderThatItWrote() {
        header.set(TAG, 7, 2, 5L << 40, 3 * TreeDigest.LEAF_BYTES + 1, 0b1011);
        header.write(buffer);
        assertThat(buffer.position()).isEqualTo(ChunkHeader.LENGTH_BYTES);
        ChunkHeader read = new ChunkHeader();

        assertThat(read.read(buffer.flip(), TAG)).isNull();

        assertThat(read.fileId()).isEqualTo(7);
        assertThat(read.attempt()).isEqualTo(2);
        assertThat(read.offset()).isEqualTo(5L << 40);
        assertThat(read.lengthBytes()).isEqualTo(3 * TreeDigest.LEAF_BYTES + 1);
        assertThat(read.leaves()).isEqualTo(4);
        assertThat(read.leafMap()).isEqualTo(0b1011);
        assertThat(new boolean[] {read.hasLeaf(0), read.hasLeaf(1), read.hasLeaf(2), read.hasLeaf(3)})
                .containsExactly(true, true, false, true);
        assertThat(read.hasEveryLeaf()).isFalse();
        assertThat(read.isDigestOnly()).isFalse();
        assertThat(read.leafBytes(3)).isEqualTo(1);
        assertThat(buffer.remaining()).isZero();
    }

    @Test
    void readsAHeaderWithoutLeaves() {
        header.setDigestOnly(TAG, 7, 5L << 40, Bounds.MAX_CHUNK_BYTES);
        header.write(buffer);
        ChunkHeader read = new ChunkHeader();
        assertThat(read.read(buffer.flip(), TAG)).isNull();

        assertThat(read.isDigestOnly()).isTrue();
        assertThat(read.leafMap()).isZero();
        assertThat(read.fileId()).isEqualTo(7);
        assertThat(read.lengthBytes()).isEqualTo(Bounds.MAX_CHUNK_BYTES);
    }

    @Test
    void fullMapNamesEveryLeaf() {
        for (int leaves : new int[] {1, 2, 63, 64}) {
            int lengthBytes = (leaves - 1) * TreeDigest.LEAF_BYTES + 1;
            assertThat(ChunkHeader.leavesOf(lengthBytes)).isEqualTo(leaves);
            assertThat(ChunkHeader.leavesOf(leaves * TreeDigest.LEAF_BYTES)).isEqualTo(leaves);
            long full = ChunkHeader.fullMap(lengthBytes);
            assertThat(Long.bitCount(full)).isEqualTo(leaves);
            assertThat(readBack(0, 0, 0, lengthBytes, full)).isNull();
            assertThat(header.hasEveryLeaf()).isTrue();
        }
    }

    @Test
    void noticesEveryFlippedBitOfAHeader() {
        header.set(TAG, 7, 2, 0, TreeDigest.LEAF_BYTES, 1);
        header.write(buffer);
        for (int bit = 0; bit < ChunkHeader.LENGTH_BYTES * 8; bit++) {
            flip(bit);
            buffer.clear();
            assertThat(new ChunkHeader().read(buffer, TAG)).as("bit %d", bit).isNotNull();
            flip(bit);
        }
    }

    @Test
    void refusesAFrameOfAnotherSession() {
        header.set(TAG, 7, 2, 0, 1, 1);
        header.write(buffer);

        assertThat(header.read(buffer.flip(), TAG + 1)).contains("another session");
    }

    @Test
    void refusesHeaderOutOfBounds() {
        assertThat(readBack(-1, 0, 0, 1, 1)).contains("negative");
        assertThat(readBack(0, -1, 0, 1, 1)).contains("negative");
        assertThat(readBack(0, 0, 0, 0, 0)).contains("length");
        assertThat(readBack(0, 0, 0, Bounds.MAX_CHUNK_BYTES + 1, 0)).contains("length");
        assertThat(readBack(0, 0, -TreeDigest.LEAF_BYTES, 1, 1)).contains("offset");
        assertThat(readBack(0, 0, 1, 1, 1)).contains("offset");
        assertThat(readBack(0, 0, Long.MAX_VALUE & -(long) TreeDigest.LEAF_BYTES, Bounds.MAX_CHUNK_BYTES, 1))
                .contains("offset");
        assertThat(readBack(0, 0, 0, 1, 0b10)).contains("leaf map");
        assertThat(readBack(0, 0, 0, Bounds.MAX_CHUNK_BYTES, -1)).isNull();
    }

    private String readBack(int file, int attempt, long offset, int length, long map) {
        buffer.clear();
        header.set(TAG, file, attempt, offset, length, map);
        header.write(buffer);
        return header.read(buffer.flip(), TAG);
    }

    @Test
    void noticesEveryFlippedBitOfATrailer() {
        for (DigestKind kind : DigestKind.values()) {
            ChunkTrailer trailer = new ChunkTrailer(kind);
            new Random(1).nextBytes(trailer.digest());
            buffer.clear();
            trailer.write(buffer);
            assertThat(buffer.position()).isEqualTo(trailer.lengthBytes());
            byte[] digest = trailer.digest().clone();
            for (int bit = 0; bit < trailer.lengthBytes() * 8; bit++) {
                flip(bit);
                assertThat(trailer.read(buffer.clear())).isFalse();
                flip(bit);
            }
            assertThat(trailer.read(buffer.clear())).isTrue();
            assertThat(trailer.matches(digest)).isTrue();
            if (digest.length > 0) {
                digest[digest.length - 1]++;
                assertThat(trailer.matches(digest)).isFalse();
            }
            assertThat(trailer.status()).isEqualTo(ChunkTrailer.Status.SOUND);
        }
    }

    @Test
    void trailerReportsSourceFailure() {
        ChunkTrailer trailer = new ChunkTrailer(DigestKind.CRC32C);
        trailer.setStatus(ChunkTrailer.Status.SOURCE_FAILED);
        trailer.write(buffer);
        trailer.setStatus(ChunkTrailer.Status.SOUND);

        assertThat(trailer.read(buffer.flip())).isTrue();
        assertThat(trailer.status()).isEqualTo(ChunkTrailer.Status.SOURCE_FAILED);
    }

    @Test
    void readsTheHelloThatItWroteAndNothingElse() {
        byte[] id = new byte[LaneHello.SESSION_ID_BYTES];
        byte[] proof = new byte[LaneHello.PROOF_BYTES];
        new LaneHello(id, 5, 1, proof).write(buffer);
        assertThat(buffer.position()).isEqualTo(LaneHello.LENGTH_BYTES);

        LaneHello read = LaneHello.read(buffer.flip());

        assertThat(read).isNotNull();
        assertThat(read.lane()).isEqualTo(5);
        assertThat(read.attempt()).isEqualTo(1);
        assertThat(LaneHello.read(ByteBuffer.allocate(LaneHello.LENGTH_BYTES))).isNull();
    }

    @Test
    void helloHasALaneAndAnAttemptWithinBounds() {
        assertThat(hello(0, 0)).isNotNull();
        assertThat(hello(Bounds.MAX_LANES - 1, Integer.MAX_VALUE)).isNotNull();
        assertThat(hello(Bounds.MAX_LANES, 0)).isNull();
        assertThat(hello(-1, 0)).isNull();
        assertThat(hello(0, -1)).isNull();
    }

    private LaneHello hello(int lane, int attempt) {
        byte[] id = new byte[LaneHello.SESSION_ID_BYTES];
        new LaneHello(id, lane, attempt, new byte[LaneHello.PROOF_BYTES]).write(buffer.clear());
        return LaneHello.read(buffer.flip());
    }

    private void flip(int bit) {
        buffer.put(bit / 8, (byte) (buffer.get(bit / 8) ^ 1 << bit % 8));
    }
}
