package io.fdt.core.digest;

import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is computed of every node of a file's tree, and so of a chunk and of a whole file: a digest, followed by
 * checksums of its bytes.
 */
public sealed interface NodeHash extends HashKind permits DigestKind, SummedDigest {
    int SUMS_SHIFT = 4;

    DigestKind digest();

    Checksums sums();

    /** The digest at the start of a value; empty for a value that is empty. */
    default byte[] digestOf(byte[] value) {
        return Arrays.copyOf(value, Math.min(value.length, digest().lengthBytes()));
    }

    /** A number that stands for this hash in logs: the code of the digest, and the checksums above it. */
    default int code() {
        return digest().code() | sums().bits() << SUMS_SHIFT;
    }

    /** Returns the hash that a number stands for; null if there is none. */
    static @Nullable NodeHash ofCode(int code) {
        DigestKind digest = DigestKind.ofCode(code & (1 << SUMS_SHIFT) - 1);
        int bits = code >> SUMS_SHIFT;
        return digest == null || !Checksums.isSet(bits) ? null : new Checksums(bits).beside(digest);
    }

    /** Returns what this hash and another one have in common; null if their digests differ. */
    default @Nullable NodeHash common(NodeHash other) {
        return digest() == other.digest()
                ? new Checksums(sums().bits() & other.sums().bits()).beside(digest())
                : null;
    }

    /** The value of this hash, from a value of another one that contains it. */
    default byte[] of(NodeHash other, byte[] value) {
        byte[] own = Arrays.copyOf(value, lengthBytes());
        int at = digest().lengthBytes();
        int from = at;
        for (FileHash kind : other.sums().kinds()) {
            if (sums().contains(kind)) {
                System.arraycopy(value, from, own, at, Integer.BYTES);
                at += Integer.BYTES;
            }
            from += Integer.BYTES;
        }
        return own;
    }

    /** The checksums in a value, eight hexadecimal digits each; none if it does not contain them. */
    default Map<FileHash, String> checksumsOf(byte[] value) {
        if (sums().isEmpty() || value.length < lengthBytes()) {
            return Map.of();
        }
        Map<FileHash, String> checksums = new LinkedHashMap<>();
        int at = digest().lengthBytes();
        for (FileHash kind : sums().kinds()) {
            checksums.put(kind, HexFormat.of().formatHex(value, at, at + Integer.BYTES));
            at += Integer.BYTES;
        }
        return Collections.unmodifiableMap(checksums);
    }
}
