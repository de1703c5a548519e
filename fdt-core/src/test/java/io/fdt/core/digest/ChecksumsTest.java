package io.fdt.core.digest;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.nativecode.NativeCode;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.Adler32;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
import org.junit.jupiter.api.Test;

/** The checksums agree with those of the Java platform, for whole contents and for contents in parts. */
final class ChecksumsTest {
    private static final int LEAF = TreeDigest.LEAF_BYTES;
    private static final Checksums ALL = Checksums.of(Checksums.KINDS);
    private static final NodeHash HASH = ALL.beside(DigestKind.XXH3_128);

    private final Random random = new Random(46);

    private static int expected(FileHash kind, byte[] bytes, int from, int length) {
        Checksum sum = switch (kind) {
            case ADLER32 -> new Adler32();
            case CRC32C -> new CRC32C();
            case CRC32 -> new CRC32();
            case SHA256, MD5 -> throw new IllegalArgumentException("does not combine");
        };
        sum.update(bytes, from, length);
        return (int) sum.getValue();
    }

    private static byte[] expected(byte[] bytes) {
        ByteBuffer all = ByteBuffer.allocate(Checksums.MAX_BYTES);
        Checksums.KINDS.forEach(kind -> all.putInt(expected(kind, bytes, 0, bytes.length)));
        return all.array();
    }

    /** Random bytes, ones that overflow sums first, or zeros. */
    private byte[] content(int length) {
        byte[] bytes = new byte[length];
        switch (random.nextInt(4)) {
            case 0 -> Arrays.fill(bytes, (byte) 0xFF);
            case 1 -> {}
            default -> random.nextBytes(bytes);
        }
        return bytes;
    }

    @Test
    void nativeCodeAgreesAtEveryLevelForEveryLengthAndStart() {
        ByteBuffer memory = ByteBuffer.allocateDirect(3 * 1024 * 1024 + 64);
        long address = Libc.addressOf(memory);
        for (int round = 0; round < 3000; round++) {
            int length = round % 100 == 99 ? random.nextInt(3 * 1024 * 1024) : random.nextInt(6000);
            int offset = random.nextInt(64);
            byte[] bytes = content(length);
            memory.put(offset, bytes);
            int before = random.nextInt(length + 1);
            for (int level = 0; level <= NativeCode.checksumsBestLevel(); level++) {
                int[] sums = {1, 0, 0};
                NativeCode.addToChecksums(level, ALL.bits(), address + offset, before, sums);
                NativeCode.addToChecksums(level, ALL.bits(), address + offset + before, length - before, sums);
                for (int place = 0; place < sums.length; place++) {
                    assertThat(sums[place])
                            .as("%s of %s and %s bytes, level %s", Checksums.KINDS.get(place), before, length, level)
                            .isEqualTo(expected(Checksums.KINDS.get(place), bytes, 0, length));
                }
            }
        }
    }

    @Test
    void nativeCodeComputesOnlyTheKindsThatAreSelected() {
        ByteBuffer memory = ByteBuffer.allocateDirect(16);
        for (FileHash kind : Checksums.KINDS) {
            int[] sums = {5, 6, 7};
            NativeCode.addToChecksums(0, Checksums.of(List.of(kind)).bits(), Libc.addressOf(memory), 16, sums);
            for (int place = 0; place < sums.length; place++) {
                assertThat(sums[place] == 5 + place).isEqualTo(Checksums.KINDS.get(place) != kind);
            }
        }
    }

    @Test
    void partsOfAnyLengthCombine() {
        for (int round = 0; round < 2000; round++) {
            byte[] bytes = content(random.nextInt(round % 50 == 0 ? 2_000_000 : 3000));
            int cut = random.nextInt(bytes.length + 1);
            int rest = bytes.length - cut;
            for (FileHash kind : Checksums.KINDS) {
                int first = expected(kind, bytes, 0, cut);
                int second = expected(kind, bytes, cut, rest);
                assertThat(Checksums.combined(kind, first, second, rest))
                        .as("%s of %s and %s bytes", kind, cut, rest)
                        .isEqualTo(expected(kind, bytes, 0, bytes.length));
            }
        }
    }

    /** The two sums of an Adler-32 are 0 for few contents only, and then a difference is negative. */
    @Test
    void partsWhoseSumsAreZeroCombine() {
        byte[] sums = new byte[257];
        Arrays.fill(sums, (byte) 255);
        sums[256] = (byte) 240;
        // Each zero before it adds one to the second sum.
        int zeros = 65_521 - (expected(FileHash.ADLER32, sums, 0, sums.length) >>> 16);
        byte[] first = new byte[zeros + sums.length];
        System.arraycopy(sums, 0, first, zeros, sums.length);
        assertThat(expected(FileHash.ADLER32, first, 0, first.length)).isZero();
        for (int length : new int[] {1, 300, 20_000, 60_000, 65_520, 65_521, 100_000}) {
            byte[] both = Arrays.copyOf(first, first.length + length);
            assertThat(Checksums.withZeros(FileHash.ADLER32, 0, length))
                    .isEqualTo(expected(FileHash.ADLER32, both, 0, both.length));
            byte[] second = content(length);
            System.arraycopy(second, 0, both, first.length, length);
            assertThat(Checksums.combined(FileHash.ADLER32, 0, expected(FileHash.ADLER32, second, 0, length), length))
                    .isEqualTo(expected(FileHash.ADLER32, both, 0, both.length));
        }
        assertThat(Checksums.combined(FileHash.ADLER32, 0, 0, first.length))
                .isEqualTo(expected(FileHash.ADLER32, twice(first), 0, 2 * first.length));
    }

    private static byte[] twice(byte[] bytes) {
        byte[] twice = Arrays.copyOf(bytes, 2 * bytes.length);
        System.arraycopy(bytes, 0, twice, bytes.length, bytes.length);
        return twice;
    }

    @Test
    void zerosCombineByTheirLengthAlone() {
        for (int round = 0; round < 500; round++) {
            byte[] bytes = Arrays.copyOf(content(random.nextInt(3000)), 3000 + random.nextInt(200_000));
            int zeros = random.nextInt(bytes.length - 3000 + 1);
            for (FileHash kind : Checksums.KINDS) {
                assertThat(Checksums.withZeros(kind, expected(kind, bytes, 0, bytes.length - zeros), zeros))
                        .isEqualTo(expected(kind, bytes, 0, bytes.length));
            }
        }
    }

    /** Two halves of a hole of an exbibyte are the hole. */
    @Test
    void zerosCombineBeyondFourGigabytes() {
        for (FileHash kind : Checksums.KINDS) {
            int nothing = kind == FileHash.ADLER32 ? 1 : 0;
            long half = (1L << 59) + 12345;
            int ofHalf = Checksums.withZeros(kind, nothing, half);
            assertThat(Checksums.combined(kind, ofHalf, ofHalf, half))
                    .isEqualTo(Checksums.withZeros(kind, nothing, 2 * half));
        }
    }

    @Test
    void noBytesHaveTheValuesThatOtherProgramsPrint() {
        byte[] value = new TreeDigest(ALL.beside(DigestKind.NONE)).finish();

        assertThat(HexFormat.of().formatHex(value)).isEqualTo("00000001" + "00000000" + "00000000");
    }

    /** Chunks of random sizes arrive in random order; some leaves and some chunks are holes. */
    @Test
    void nodesInAnyOrderHaveTheChecksumsOfTheWholeFile() {
        for (int round = 0; round < 40; round++) {
            byte[] data = content(1 + random.nextInt(24 * LEAF));
            for (int hole = random.nextInt(3); hole > 0 && data.length > 2 * LEAF; hole--) {
                int leaf = random.nextInt(data.length / LEAF);
                Arrays.fill(data, leaf * LEAF, Math.min(data.length, (leaf + 1 + random.nextInt(8)) * LEAF), (byte) 0);
            }
            List<int[]> cuts = TreeDigestTest.shuffledNodes(data.length, random);
            NodeDigests nodes = new NodeDigests(HASH);
            NodeDigests plain = new NodeDigests(DigestKind.XXH3_128);
            for (int[] cut : cuts) {
                byte[] value = node(HASH, data, cut[0], cut[1]);
                nodes.add(cut[0], cut[1], value);
                plain.add(cut[0], cut[1], Arrays.copyOf(value, DigestKind.XXH3_128.lengthBytes()));
            }
            byte[] root = nodes.root();
            assertThat(Arrays.copyOf(root, 16)).isEqualTo(plain.root());
            assertThat(Arrays.copyOfRange(root, 16, root.length)).isEqualTo(expected(data));
        }
    }

    private static byte[] node(NodeHash hash, byte[] data, int from, int length) {
        TreeDigest tree = new TreeDigest(hash);
        if (TreeDigest.isSubtree(length) && isZero(data, from, length)) {
            tree.addZeroSubtree(length);
            return tree.finish();
        }
        ByteBuffer buffer = ByteBuffer.allocateDirect(LEAF + 3);
        for (int at = 0; at < length; at += LEAF) {
            int leaf = Math.min(LEAF, length - at);
            if (isZero(data, from + at, leaf)) {
                tree.addZeroLeaf(leaf);
            } else {
                buffer.put(3, data, from + at, leaf);
                tree.addLeaf(buffer.clear(), Libc.addressOf(buffer), 3, leaf);
            }
        }
        return tree.finish();
    }

    private static boolean isZero(byte[] data, int from, int length) {
        for (int i = from; i < from + length; i++) {
            if (data[i] != 0) {
                return false;
            }
        }
        return true;
    }

    @Test
    void aHashTakesItsOwnValuesOutOfOnesWithMore() {
        NodeHash two = Checksums.of(List.of(FileHash.CRC32, FileHash.ADLER32, FileHash.MD5))
                .beside(DigestKind.CRC32C);
        byte[] all = {9, 9, 9, 9, 1, 2, 3, 4, 0, 0, 0, 0, 0x7F, 6, 7, (byte) 0xF8};

        byte[] own = two.of(ALL.beside(DigestKind.CRC32C), all);

        assertThat(two.sums().kinds()).containsExactly(FileHash.ADLER32, FileHash.CRC32);
        assertThat(own).containsExactly(9, 9, 9, 9, 1, 2, 3, 4, 0x7F, 6, 7, 0xF8);
        assertThat(two.digestOf(own)).containsExactly(9, 9, 9, 9);
        assertThat(two.checksumsOf(own))
                .containsExactlyEntriesOf(
                        new TreeMap<>(Map.of(FileHash.ADLER32, "01020304", FileHash.CRC32, "7f0607f8")));
        assertThat(two.checksumsOf(two.digestOf(own))).isEmpty();
    }
}
