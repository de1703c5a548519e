package io.fdt.core.digest;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.zip.Adler32;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
import org.jspecify.annotations.Nullable;

/** Hashes over the bytes of a file in order, as other programs compute them. Codes are on the wire and never change. */
public enum FileHash implements HashKind {
    SHA256(1, "sha256", 32),
    MD5(2, "md5", 16),
    ADLER32(3, "adler32", Integer.BYTES),
    CRC32C(4, "crc32c", Integer.BYTES),
    CRC32(5, "crc32", Integer.BYTES);

    private final int code;
    private final String label;
    private final int lengthBytes;

    FileHash(int code, String label, int lengthBytes) {
        this.code = code;
        this.label = label;
        this.lengthBytes = lengthBytes;
    }

    /**
     * A hash computation in progress: {@code update} takes the bytes up to the buffer's limit, and {@code finish}
     * returns the result and starts again. Not thread-safe.
     */
    public record Running(Consumer<ByteBuffer> update, Supplier<byte[]> finish) {}

    public int code() {
        return code;
    }

    @Override
    public String label() {
        return label;
    }

    @Override
    public int lengthBytes() {
        return lengthBytes;
    }

    public static @Nullable FileHash ofCode(int code) {
        for (FileHash kind : values()) {
            if (kind.code == code) {
                return kind;
            }
        }
        return null;
    }

    public static @Nullable FileHash ofLabel(String label) {
        for (FileHash kind : values()) {
            if (kind.label.equals(label)) {
                return kind;
            }
        }
        return null;
    }

    /** The hash of nodes whose value for a whole file is this one; null if it needs the bytes in order. */
    public @Nullable NodeHash ofNodes() {
        Checksums sums = Checksums.of(List.of(this));
        return sums.isEmpty() ? null : sums.beside(DigestKind.NONE);
    }

    public Running begin() {
        return switch (this) {
            case SHA256 -> of("SHA-256");
            case MD5 -> of("MD5");
            case ADLER32 -> of(new Adler32());
            case CRC32C -> of(new CRC32C());
            case CRC32 -> of(new CRC32());
        };
    }

    private static Running of(String algorithm) {
        try {
            MessageDigest hash = MessageDigest.getInstance(algorithm);
            return new Running(hash::update, hash::digest);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java platform has " + algorithm, impossible);
        }
    }

    private static Running of(Checksum sum) {
        return new Running(sum::update, () -> {
            int value = (int) sum.getValue();
            sum.reset();
            return ByteBuffer.allocate(Integer.BYTES).putInt(value).array();
        });
    }
}
