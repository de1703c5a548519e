package io.fdt.cli.value;

import io.fdt.core.digest.DigestKind;

public final class DigestWord {
    private DigestWord() {}

    public static DigestKind kind(String word) {
        return switch (word) {
            case "xxh3" -> DigestKind.XXH3_128;
            case "crc32c" -> DigestKind.CRC32C;
            case "sha256" -> DigestKind.SHA256;
            default -> DigestKind.NONE;
        };
    }
}
