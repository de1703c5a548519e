package io.fdt.core.digest;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * A set of checksums of which the value of a file follows from the values of its parts. Their values are four bytes
 * each, in the order of {@link #KINDS}.
 *
 * @param bits of the kinds, by their places in {@link #KINDS}; on the wire and in journals
 */
public record Checksums(int bits) {
    /** All of them, in the order of their values and of the native code; never changes. */
    public static final List<FileHash> KINDS = List.of(FileHash.ADLER32, FileHash.CRC32C, FileHash.CRC32);

    public static final Checksums NONE = new Checksums(0);
    public static final Checksums ALL = new Checksums((1 << KINDS.size()) - 1);

    /** The length of the values of all kinds. */
    public static final int MAX_BYTES = Integer.BYTES * 3;

    private static final int ADLER_MODULUS = 65521;

    public Checksums {
        if (!isSet(bits)) {
            throw new IllegalArgumentException("checksums " + bits);
        }
    }

    /** Whether these are the bits of a set. */
    public static boolean isSet(int bits) {
        return bits >= 0 && bits < 1 << KINDS.size();
    }

    /** Those of these hashes that can be computed from parts. */
    public static Checksums of(Collection<FileHash> hashes) {
        int bits = 0;
        for (FileHash hash : hashes) {
            int place = KINDS.indexOf(hash);
            bits |= place < 0 ? 0 : 1 << place;
        }
        return bits == 0 ? NONE : new Checksums(bits);
    }

    public boolean isEmpty() {
        return bits == 0;
    }

    public boolean contains(FileHash kind) {
        int place = KINDS.indexOf(kind);
        return place >= 0 && (bits >> place & 1) != 0;
    }

    /** In the order of their values. */
    public List<FileHash> kinds() {
        List<FileHash> kinds = new ArrayList<>();
        for (FileHash kind : KINDS) {
            if (contains(kind)) {
                kinds.add(kind);
            }
        }
        return kinds;
    }

    public int lengthBytes() {
        return Integer.BYTES * Integer.bitCount(bits);
    }

    public Checksums and(Checksums others) {
        return new Checksums(bits | others.bits);
    }

    public NodeHash beside(DigestKind digest) {
        return isEmpty() ? digest : new SummedDigest(digest, this);
    }

    /** The checksum of two parts that follow each other. */
    public static int combined(FileHash kind, int first, int second, long secondBytes) {
        return kind == FileHash.ADLER32
                ? ofBothAdlers(first, second, secondBytes)
                : overZeros(polynomial(kind), first, secondBytes) ^ second;
    }

    /** The checksum of a part that this many zeros follow. */
    static int withZeros(FileHash kind, int first, long zeros) {
        return kind == FileHash.ADLER32
                ? ofBothAdlers(first, 1 | (int) (zeros % ADLER_MODULUS) << 16, zeros)
                : ~overZeros(polynomial(kind), ~first, zeros);
    }

    private static int ofBothAdlers(int first, int second, long secondBytes) {
        int firstBytes = (first & 0xFFFF) - 1;
        int bytes = Math.floorMod(firstBytes + (second & 0xFFFF), ADLER_MODULUS);
        long sums = (first >>> 16) + (second >>> 16) + secondBytes % ADLER_MODULUS * firstBytes;
        return Math.floorMod(sums, ADLER_MODULUS) << 16 | bytes;
    }

    private static int polynomial(FileHash kind) {
        return kind == FileHash.CRC32C ? 0x82F63B78 : 0xEDB88320;
    }

    // The remainders of a CRC are polynomials whose highest coefficient is the lowest bit.

    private static final int ONE = 1 << 31;
    private static final int X_TO_THE_EIGHTH = ONE >>> 8;

    /** Multiplies the remainder by x for each bit of the zeros. */
    private static int overZeros(int polynomial, int remainder, long zeros) {
        int product = remainder;
        int square = X_TO_THE_EIGHTH;
        for (long rest = zeros; rest != 0; rest >>>= 1) {
            if ((rest & 1) != 0) {
                product = times(polynomial, square, product);
            }
            square = times(polynomial, square, square);
        }
        return product;
    }

    private static int times(int polynomial, int left, int right) {
        int product = 0;
        int shifted = right;
        for (int bit = ONE; bit != 0; bit >>>= 1) {
            product ^= (left & bit) != 0 ? shifted : 0;
            shifted = shifted >>> 1 ^ ((shifted & 1) != 0 ? polynomial : 0);
        }
        return product;
    }
}
