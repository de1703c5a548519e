package io.fdt.cli.help;

import io.fdt.cli.option.Option;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a shell can offer for the value of an option.
 *
 * @param words of which the value is probably one
 */
record Offer(Kind kind, List<String> words) {
    private static final Offer NOTHING = new Offer(Kind.NOTHING, List.of());
    private static final Pattern WORD = Pattern.compile("[a-z]{2,}");

    /** Where a shell looks for values. */
    enum Kind {
        WORDS,
        FILES,
        DIRECTORIES,
        /** What is typed here, such as a number, only the user knows. */
        NOTHING
    }

    static Offer of(Option option) {
        if (option.isSwitch()) {
            return NOTHING;
        }
        if (!option.words().isEmpty()) {
            return new Offer(Kind.WORDS, option.words());
        }
        if (option.label().startsWith("FILE")) {
            return new Offer(Kind.FILES, List.of());
        }
        if (option.label().equals("DIR")) {
            return new Offer(Kind.DIRECTORIES, List.of());
        }
        // In auto|none|CORES two stand for themselves.
        List<String> words = Stream.of(option.label().split("\\|", -1))
                .filter(word -> WORD.matcher(word).matches())
                .toList();
        return words.isEmpty() ? NOTHING : new Offer(Kind.WORDS, words);
    }
}
