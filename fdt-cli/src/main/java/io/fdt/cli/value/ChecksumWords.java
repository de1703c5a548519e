package io.fdt.cli.value;

import io.fdt.core.digest.FileHash;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/** Parses kinds of checksums, separated by commas, or {@code none}. */
public final class ChecksumWords {
    private ChecksumWords() {}

    /** All words, for messages and help. */
    public static String words() {
        return Arrays.stream(FileHash.values()).map(FileHash::label).collect(Collectors.joining(", "));
    }

    public static Set<FileHash> parse(String text) throws BadValueException {
        Set<FileHash> kinds = EnumSet.noneOf(FileHash.class);
        for (String word : text.equals("none") ? new String[0] : text.split(",", -1)) {
            FileHash kind = FileHash.ofLabel(word);
            if (kind == null) {
                throw new BadValueException(
                        "not kinds of checksums separated by commas, nor none; the kinds are " + words());
            }
            kinds.add(kind);
        }
        return kinds;
    }
}
