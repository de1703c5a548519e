package io.fdt.cli.value;

import io.fdt.core.digest.FileHash;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The words for kinds of checksums. */
public final class ChecksumWords {
    private ChecksumWords() {}

    /** All words, for messages and help. */
    public static String words() {
        return Arrays.stream(FileHash.values()).map(FileHash::label).collect(Collectors.joining(", "));
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
}
