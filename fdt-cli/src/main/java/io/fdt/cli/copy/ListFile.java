package io.fdt.cli.copy;

import io.fdt.cli.option.ClientOptions;
import io.fdt.cli.option.Option;
import io.fdt.cli.value.UserText;
import io.fdt.cli.value.Words;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.PathRule;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.NamedFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reads list files: the paths of {@code --files-from}, the pairs of {@code --pairs}, and the patterns of {@code
 * --include-from} and {@code --exclude-from}.
 */
final class ListFile {
    private ListFile() {}

    /** Returns the paths in a file, or on standard input for {@code -}. */
    static List<RawPath> read(String file, boolean nul, InputStream standardInput) {
        return parse(bytes("--files-from", file, standardInput), nul, shown(file));
    }

    /**
     * Returns the rules in a list of patterns. Empty lines and lines that start with {@code #} are none. As in rsync, a
     * line may begin with {@code "+ "} or {@code "- "}, which includes or excludes whatever the option says.
     */
    static List<PathRule> rules(Option option, String file, InputStream standardInput) {
        boolean includes = option.equals(ClientOptions.INCLUDE_FROM);
        List<PathRule> rules = new ArrayList<>();
        int number = 0;
        for (byte[] line : Words.split(bytes(option.name(), file, standardInput), '\n')) {
            number++;
            if (hasNul(line)) {
                throw UserText.refusal(shown(file) + " line " + number + ": a NUL byte in a list of patterns");
            }
            if (line.length > 0 && line[0] != '#') {
                boolean marked = line.length > 2 && (line[0] == '+' || line[0] == '-') && line[1] == ' ';
                RawPath pattern = RawPath.ofBytes(marked ? Arrays.copyOfRange(line, 2, line.length) : line);
                rules.add(new PathRule(marked ? line[0] == '+' : includes, pattern));
            }
        }
        return rules;
    }

    /** Returns the fields of each pair in a file, or on standard input for {@code -}. */
    static List<byte[]> pairs(String file, boolean nul, InputStream standardInput) {
        List<byte[]> fields = new ArrayList<>();
        int number = 0;
        for (byte[] entry : Words.split(bytes("--pairs", file, standardInput), nul ? 0 : '\n')) {
            number++;
            List<byte[]> columns = nul ? List.of(entry) : Words.split(entry, '\t');
            if (!nul && entry.length > 0 && (columns.size() != 2 || hasNul(entry))) {
                throw UserText.refusal(shown(file) + " line " + number
                        + ": not a source, a tab and a target; use -0 for names with tabs");
            }
            if (!nul && entry.length > 0 && entry[entry.length - 1] == '\r') {
                throw UserText.refusal(shown(file) + " line " + number
                        + ": ends in a carriage return, as lines of Windows do; remove it");
            }
            fields.addAll(entry.length == 0 ? List.of() : columns);
        }
        if (fields.isEmpty() || fields.size() % 2 != 0) {
            throw UserText.refusal("--pairs: " + shown(file)
                    + (fields.isEmpty() ? " is empty" : " ends with a source without a target"));
        }
        return fields;
    }

    private static String shown(String file) {
        return file.equals("-") ? "standard input" : UserText.visible(file);
    }

    private static byte[] bytes(String option, String file, InputStream standardInput) {
        try {
            return file.equals("-") ? standardInput.readAllBytes() : contents(Path.of(file));
        } catch (IOException e) {
            throw UserText.refusal(
                    option + ": cannot read " + shown(file) + ": " + UserText.visible(TransferException.reason(e)));
        } catch (InvalidPathException e) {
            throw UserText.refusal(option + ": Java cannot open " + shown(file) + " in this locale; use " + option
                    + " - and redirect the file to standard input");
        }
    }

    private static byte[] contents(Path file) throws IOException {
        try (Descriptor opened = NamedFile.openToRead(file)) {
            return Files.readAllBytes(NamedFile.reopened(opened));
        }
    }

    static List<RawPath> parse(byte[] bytes, boolean nul, String shownName) {
        List<RawPath> paths = new ArrayList<>();
        int number = 0;
        for (byte[] entry : Words.split(bytes, nul ? 0 : '\n')) {
            number++;
            if (entry.length > 0) {
                paths.add(path(entry, shownName + (nul ? " entry " : " line ") + number));
            }
        }
        return paths;
    }

    /** Without {@code ./} and doubled slashes, which other tools write. */
    private static RawPath path(byte[] entry, String where) {
        if (hasNul(entry)) {
            throw UserText.refusal(where + ": a NUL byte in a list of lines; add -0 if NUL separates the entries");
        }
        RawPath given = RawPath.ofBytes(entry);
        if (given.isAbsolute()) {
            throw UserText.refusal(where + ": '" + given.display() + "' is absolute; write paths below the source");
        }
        RawPath path = RawPath.EMPTY;
        for (byte[] part : Words.split(entry, '/')) {
            RawPath name = RawPath.ofBytes(part);
            if (!name.isEmpty() && !name.equals(RawPath.ofText("."))) {
                path = path.resolve(name);
            }
        }
        if (!path.isPlainRelative() || path.isEmpty()) {
            throw UserText.refusal(where + ": '" + given.display() + "' does not lie below the source");
        }
        return path;
    }

    private static boolean hasNul(byte[] entry) {
        return new String(entry, StandardCharsets.ISO_8859_1).indexOf(0) >= 0;
    }
}
