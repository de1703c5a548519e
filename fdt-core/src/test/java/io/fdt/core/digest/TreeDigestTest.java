package io.fdt.core.digest;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.nativecode.Libc;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TreeDigestTest {
    private static final int LEAF = TreeDigest.LEAF_BYTES;
    /** Of a leaf in its buffer. */
    private static final int POSITION = 40;

    private final Random random = new Random(42);

    @Test
    void matchesStandardHashesForFilesOfOneLeaf() {
        assertThat(print(DigestKind.XXH3_128, "")).isEqualTo("xxh3-128:99aa06d3014798d86001c324468d497f");
        assertThat(print(DigestKind.CRC32C, "123456789")).isEqualTo("crc32c:e3069283");
        assertThat(print(DigestKind.SHA256, "abc"))
                .isEqualTo("sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assertThat(print(DigestKind.NONE, "abc")).isEqualTo("none:");
    }

    private static String print(DigestKind kind, String text) {
        return TreeDigest.print(kind, whole(kind, text.getBytes(StandardCharsets.UTF_8)));
    }

    @ParameterizedTest
    @EnumSource(DigestKind.class)
    void doesNotDependOnHowAFileWasCutIntoChunks(DigestKind kind) {
        for (int leaves : new int[] {1, 2, 3, 5, 8, 13, 64, 67}) {
            byte[] data = randomBytes(leaves * LEAF - random.nextInt(LEAF));
            byte[] expected = whole(kind, data);
            for (int chunk = LEAF; chunk <= 64 * LEAF; chunk *= 2) {
                assertThat(ofChunks(kind, data, chunk))
                        .as("%d leaves by %d", leaves, chunk)
                        .isEqualTo(expected);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(DigestKind.class)
    void joinsLeavesAndSubtreesOfAnySize(DigestKind kind) {
        byte[] data = randomBytes(32 * LEAF);
        TreeDigest file = new TreeDigest(kind);
        int offset = 0;
        for (int leaves : new int[] {1, 1, 2, 4, 8, 16}) {
            file.addSubtree(ofLeaves(kind, data, offset, leaves * LEAF), (long) leaves * LEAF);
            offset += leaves * LEAF;
        }
        assertThat(file.finish()).isEqualTo(whole(kind, data));
    }

    @ParameterizedTest
    @EnumSource(
            value = DigestKind.class,
            names = {"NONE"},
            mode = EnumSource.Mode.EXCLUDE)
    void noticesEveryFlippedBit(DigestKind kind) {
        byte[] data = randomBytes(3 * LEAF + 77);
        byte[] expected = whole(kind, data);
        for (int i = 0; i < 50; i++) {
            int bit = random.nextInt(data.length * 8);
            data[bit / 8] ^= (byte) (1 << bit % 8);
            assertThat(whole(kind, data)).isNotEqualTo(expected);
            data[bit / 8] ^= (byte) (1 << bit % 8);
        }
    }

    @ParameterizedTest
    @EnumSource(DigestKind.class)
    void hashesAHoleAsItsZeros(DigestKind kind) {
        TreeDigest holes = new TreeDigest(kind);
        holes.addZeroLeaf(LEAF);
        holes.addZeroLeaf(LEAF);
        holes.addZeroLeaf(100);

        assertThat(holes.finish()).isEqualTo(whole(kind, new byte[2 * LEAF + 100]));
    }

    @ParameterizedTest
    @EnumSource(DigestKind.class)
    void hashesAHoleOfAWholeChunkAsItsLeaves(DigestKind kind) {
        for (int leaves = 1; leaves <= 64; leaves *= 2) {
            TreeDigest whole = new TreeDigest(kind);
            whole.addZeroSubtree(leaves * LEAF);
            TreeDigest each = new TreeDigest(kind);
            for (int leaf = 0; leaf < leaves; leaf++) {
                each.addZeroLeaf(LEAF);
            }
            assertThat(whole.finish()).isEqualTo(each.finish());
        }
    }

    @Test
    void swappedLeavesChangeTheDigest() {
        byte[] data = randomBytes(2 * LEAF);
        byte[] swapped = new byte[2 * LEAF];
        System.arraycopy(data, 0, swapped, LEAF, LEAF);
        System.arraycopy(data, LEAF, swapped, 0, LEAF);

        assertThat(whole(DigestKind.XXH3_128, swapped)).isNotEqualTo(whole(DigestKind.XXH3_128, data));
    }

    /** Goal: chunks may arrive in any order and size. Method: random nodes of random files, shuffled. */
    @Test
    void makesTheSameDigestOfNodesInAnyOrder() {
        for (int round = 0; round < 60; round++) {
            byte[] data = randomBytes(1 + random.nextInt(40 * LEAF));
            List<int[]> cuts = shuffledNodes(data.length, random);
            NodeDigests nodes = new NodeDigests(DigestKind.XXH3_128);
            for (int[] cut : cuts) {
                assertThat(NodeDigests.isNode(cut[0], cut[1], data.length)).isTrue();
                byte[] part = java.util.Arrays.copyOfRange(data, cut[0], cut[0] + cut[1]);
                assertThat(nodes.add(cut[0], cut[1], whole(DigestKind.XXH3_128, part)))
                        .isTrue();
                assertThat(nodes.touches(cut[0], cut[1])).isTrue();
                assertThat(nodes.add(cut[0], cut[1], new byte[16])).isFalse();
            }
            assertThat(nodes.coveredBytes()).isEqualTo(data.length);
            assertThat(nodes.root()).isEqualTo(whole(DigestKind.XXH3_128, data));
        }
    }

    /** Returns offsets and lengths of nodes that make up a file of this size. */
    static List<int[]> shuffledNodes(int size, Random random) {
        List<int[]> cuts = new ArrayList<>();
        int offset = 0;
        while (offset < size) {
            int length = LEAF << random.nextInt(7);
            while (offset % length != 0) {
                length /= 2;
            }
            cuts.add(new int[] {offset, Math.min(length, size - offset)});
            offset += length;
        }
        Collections.shuffle(cuts, random);
        return cuts;
    }

    @Test
    void needsFewNodesForAHugeFileThatArrivesInOrder() {
        NodeDigests nodes = new NodeDigests(DigestKind.CRC32C);
        int most = 0;
        for (long chunk = 0; chunk < 100_000; chunk++) {
            nodes.add(chunk * 8 * LEAF, 8L * LEAF, new byte[4]);
            most = Math.max(most, nodes.count());
        }
        assertThat(most).as("one node for each bit of 65,535 chunks").isEqualTo(16);
    }

    @Test
    void acceptsOnlyAlignedNodesInsideTheFile() {
        assertThat(NodeDigests.isNode(0, 3L * LEAF, 8L * LEAF)).isFalse();
        assertThat(NodeDigests.isNode(LEAF, 2L * LEAF, 8L * LEAF)).isFalse();
        assertThat(NodeDigests.isNode(0, 0, 8L * LEAF)).isFalse();
        assertThat(NodeDigests.isNode(8L * LEAF, 0, 8L * LEAF)).isFalse();
        assertThat(NodeDigests.isNode(-LEAF, LEAF, 8L * LEAF)).isFalse();
        assertThat(NodeDigests.isNode(8L * LEAF, LEAF, 8L * LEAF)).isFalse();
        assertThat(NodeDigests.isNode(0, Long.MAX_VALUE, Long.MAX_VALUE)).isFalse();
        assertThat(NodeDigests.isNode(6L * LEAF, LEAF + 5, 7L * LEAF + 5)).isTrue();
    }

    private byte[] randomBytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[] whole(DigestKind kind, byte[] data) {
        return ofLeaves(kind, data, 0, data.length);
    }

    private static byte[] ofChunks(DigestKind kind, byte[] data, int chunkBytes) {
        TreeDigest file = new TreeDigest(kind);
        for (int offset = 0; offset < data.length; offset += chunkBytes) {
            int length = Math.min(chunkBytes, data.length - offset);
            file.addSubtree(ofLeaves(kind, data, offset, length), length);
        }
        return file.finish();
    }

    private static byte[] ofLeaves(DigestKind kind, byte[] data, int from, int length) {
        TreeDigest digest = new TreeDigest(kind);
        ByteBuffer buffer = ByteBuffer.allocateDirect(POSITION + LEAF);
        long address = Libc.addressOf(buffer);
        for (int offset = 0; offset < length; offset += LEAF) {
            int leaf = Math.min(LEAF, length - offset);
            buffer.clear().position(POSITION).put(data, from + offset, leaf);
            digest.addLeaf(buffer, address, POSITION, leaf);
        }
        return digest.finish();
    }
}
