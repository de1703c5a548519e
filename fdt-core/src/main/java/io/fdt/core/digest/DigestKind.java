package io.fdt.core.digest;

import org.jspecify.annotations.Nullable;

/** The hashes that a session can agree on. Codes are on the wire and never change. */
public enum DigestKind implements NodeHash {
    NONE(0, "none", 0),
    XXH3_128(1, "xxh3-128", 16),
    CRC32C(2, "crc32c", 4),
    SHA256(3, "sha256", 32);

    public static final int MAX_BYTES = 32;

    private final int code;
    private final String label;
    private final int lengthBytes;

    DigestKind(int code, String label, int lengthBytes) {
        this.code = code;
        this.label = label;
        this.lengthBytes = lengthBytes;
    }

    @Override
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

    @Override
    public DigestKind digest() {
        return this;
    }

    @Override
    public Checksums sums() {
        return Checksums.NONE;
    }

    /** Returns the plain hash of these bytes. */
    public byte[] of(byte[] bytes) {
        byte[] out = new byte[lengthBytes];
        LeafHash.of(this).hash(bytes, bytes.length, out, 0);
        return out;
    }

    public static @Nullable DigestKind ofCode(int code) {
        for (DigestKind kind : values()) {
            if (kind.code == code) {
                return kind;
            }
        }
        return null;
    }
}
