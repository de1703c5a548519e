package io.fdt.core.digest;

public record SummedDigest(DigestKind digest, Checksums sums) implements NodeHash {
    @Override
    public String label() {
        return digest.label();
    }

    @Override
    public int lengthBytes() {
        return digest.lengthBytes() + sums.lengthBytes();
    }
}
