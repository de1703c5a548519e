package io.fdt.cli.value;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.FileHash;
import io.fdt.core.digest.HashKind;
import java.util.List;

/** The words for checksums of whole files: those of other programs, and the digest of fdt's receipts. */
public final class SumWord {
    public static final List<String> ALL = List.of("adler32", "crc32c", "md5", "sha256", "xxh3");

    private SumWord() {}

    public static HashKind parse(String word) throws BadValueException {
        String known = Words.among(ALL).parse(word);
        FileHash hash = FileHash.ofLabel(known);
        return hash == null ? DigestKind.XXH3_128 : hash;
    }
}
