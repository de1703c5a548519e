package io.fdt.cli.help;

import io.fdt.cli.command.Command;
import io.fdt.cli.option.Option;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The values that a shell can offer for an option.
 *
 * @param words likely values
 */
record Completions(ValueKind kind, List<String> words) {
    private static final Completions NOTHING = new Completions(ValueKind.NOTHING, List.of());
    private static final Pattern WORD = Pattern.compile("[a-z]{2,}");

    /** The source of values for a shell. */
    enum ValueKind {
        WORDS,
        FILES,
        DIRECTORIES,
        /** Only the user knows the value, such as a number. */
        NOTHING
    }

    static Completions of(Option option) {
        if (option.isSwitch()) {
            return NOTHING;
        }
        if (!option.value().words().isEmpty()) {
            return new Completions(ValueKind.WORDS, option.value().words());
        }
        if (option.value().label().startsWith("FILE")) {
            return new Completions(ValueKind.FILES, List.of());
        }
        if (option.value().label().equals("DIR")) {
            return new Completions(ValueKind.DIRECTORIES, List.of());
        }
        // In auto|none|CORES, the first two are literal values.
        List<String> words = Stream.of(option.value().label().split("\\|", -1))
                .filter(word -> WORD.matcher(word).matches())
                .toList();
        return words.isEmpty() ? NOTHING : new Completions(ValueKind.WORDS, words);
    }

    /** Returns the completion script for a shell with its tables, without the last newline. */
    static String script(String shell, List<Command> commands, Map<String, List<String>> tables) {
        try (InputStream in = Completions.class.getResourceAsStream("completion." + shell)) {
            if (in == null) {
                throw new IllegalStateException("this build of fdt lacks the completion of " + shell);
            }
            String script = new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .stripTrailing()
                    .replace("@NAMES@", names(commands))
                    .replace("@HELP@", HelpWords.WORD)
                    .replace("@MAN@", HelpWords.MAN)
                    .replace("@MAN_TO@", HelpWords.MAN_TO);
            for (Map.Entry<String, List<String>> table : tables.entrySet()) {
                script = script.replace("@" + table.getKey() + "@", String.join("\n", table.getValue()));
            }
            return script;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String names(List<Command> commands) {
        return commands.stream().flatMap(command -> command.names().stream()).collect(Collectors.joining(" "));
    }
}
