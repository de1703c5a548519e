package io.fdt.cli.value;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.FileHash;
import io.fdt.core.digest.HashKind;
import io.fdt.core.plan.ManifestFile;
import io.fdt.core.plan.RawPath;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;

/** The words for digests and checksums of files. */
public final class HashWords {
    private HashWords() {}

    /** The words for all checksums, for messages and help. */
    public static String words() {
        StringJoiner words = new StringJoiner(", ");
        for (FileHash each : FileHash.values()) {
            words.add(each.label());
        }
        return words.toString();
    }

    /** Returns a parser for these words, of which several are separated by commas and {@code none} stands alone. */
    public static ValueParser<Set<FileHash>> among(List<String> words) {
        return text -> {
            Set<FileHash> kinds = EnumSet.noneOf(FileHash.class);
            if (text.equals("none")) {
                return kinds;
            }
            for (String word : text.split(",", -1)) {
                FileHash kind = FileHash.ofLabel(word);
                if (kind == null || !words.contains(word)) {
                    boolean several = text.indexOf(',') >= 0;
                    throw Words.notAmong(
                            word,
                            words.stream()
                                    .filter(each -> !several || !each.equals("none"))
                                    .toList());
                }
                kinds.add(kind);
            }
            return kinds;
        };
    }

    /** Parses {@code KIND=FILE}. */
    public static ManifestFile manifest(String text) throws BadValueException {
        int equals = text.indexOf('=');
        FileHash kind = equals < 0 ? null : FileHash.ofLabel(text.substring(0, equals));
        if (kind == null || equals + 1 == text.length()) {
            throw new BadValueException(
                    "not KIND=FILE with one of the KINDs " + words() + "; write for example sha256=SHA256SUMS");
        }
        return new ManifestFile(kind, RawPath.ofText(text.substring(equals + 1)));
    }

    /** The digest of a copy. */
    public static DigestKind digest(String word) {
        return switch (word) {
            case "xxh3" -> DigestKind.XXH3_128;
            case "crc32c" -> DigestKind.CRC32C;
            case "sha256" -> DigestKind.SHA256;
            default -> DigestKind.NONE;
        };
    }

    /** The checksum of a whole file: one of other programs, or the digest of fdt's receipts. */
    public static HashKind sum(String word) {
        FileHash hash = FileHash.ofLabel(word);
        return hash == null ? digest(word) : hash;
    }
}
