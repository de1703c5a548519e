package io.fdt.core.host;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the files of a host below a root directory. A file that does not exist, is not readable or whose driver fails
 * the read is absent, without a reason. Each byte becomes one character, so that a text can be written back exactly.
 */
record HostFiles(Path root) {
    /** {@code /proc/interrupts} has several megabytes on the largest hosts. */
    private static final int MAX_BYTES = 16 << 20;

    Path path(String path) {
        return root.resolve(path);
    }

    /** Returns the exact content; null if absent. */
    @Nullable String exact(String path) {
        try (InputStream in = Files.newInputStream(path(path))) {
            return new String(in.readNBytes(MAX_BYTES), StandardCharsets.ISO_8859_1);
        } catch (IOException absent) {
            return null;
        }
    }

    /** Returns the content without surrounding white space; empty if absent. */
    String text(String path) {
        String exact = exact(path);
        return exact == null ? "" : exact.strip();
    }

    List<String> lines(String path) {
        String exact = exact(path);
        return exact == null ? List.of() : exact.lines().toList();
    }

    /** Returns a whole number, which may be negative. */
    long number(String path, long absent) {
        String text = text(path);
        return text.matches("-?\\d{1,18}") ? Long.parseLong(text) : absent;
    }

    /** Returns a hexadecimal core mask; null if absent. */
    @Nullable CoreMask mask(String path) {
        return coresOf(path, CoreSet::ofMask);
    }

    /** Returns a core list; null if absent. */
    @Nullable CoreMask list(String path) {
        return coresOf(path, CoreSet::ofList);
    }

    private @Nullable CoreMask coresOf(String path, Function<String, @Nullable CoreSet> parser) {
        String exact = exact(path);
        CoreSet cores = exact == null ? null : parser.apply(exact);
        return exact == null || cores == null ? null : new CoreMask(exact, cores);
    }

    /** Returns only the cores of a core list; empty if absent. */
    CoreSet cores(String path) {
        CoreMask list = list(path);
        return list == null ? CoreSet.NONE : list.cores();
    }

    boolean exists(String path) {
        return Files.exists(path(path));
    }

    /** Returns the names in a directory, with numbers in them sorted by value; empty if absent. */
    List<String> names(String path) {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(path(path))) {
            entries.forEach(entry -> names.add(String.valueOf(entry.getFileName())));
        } catch (IOException | java.nio.file.DirectoryIteratorException absent) {
            return List.of();
        }
        names.sort(Comparator.comparing(HostFiles::stem)
                .thenComparingLong(HostFiles::ending)
                .thenComparing(Comparator.naturalOrder()));
        return names;
    }

    /** Returns the numbers of all names that consist of the prefix and a number. */
    List<Integer> numbers(String path, String prefix) {
        return names(path).stream()
                .filter(name -> name.startsWith(prefix)
                        && name.substring(prefix.length()).matches("\\d{1,9}"))
                .map(name -> Integer.parseInt(name.substring(prefix.length())))
                .toList();
    }

    /** Returns the white-space separated names in a file, except those that cannot be names of an interface. */
    List<String> words(String path) {
        return Stream.of(text(path).split("\\s+", -1))
                .filter(word -> word.matches("[^/\\x00-\\x20]{1,15}"))
                .toList();
    }

    /** Returns the value of a line {@code KEY=value}; empty if absent. */
    String variable(String path, String key) {
        return value(path, key + "=", '=');
    }

    /** Returns the text after the separator in the first line with this beginning; empty if absent. */
    String value(String path, String beginning, char separator) {
        return lines(path).stream()
                .filter(line -> line.startsWith(beginning))
                .findFirst()
                .map(line -> line.substring(line.indexOf(separator) + 1).strip())
                .orElse("");
    }

    /**
     * Returns the fields of a {@code stat} file below {@code /proc}, from the state on: the name before it may contain
     * anything.
     */
    String[] stat(String path) {
        String stat = text(path);
        return stat.substring(Math.min(stat.length(), stat.lastIndexOf(')') + 2))
                .split(" ", -1);
    }

    /**
     * Returns the target of a path with all links resolved, relative to the root; the path itself if the target does
     * not exist or is outside the root.
     */
    String real(String path) {
        try {
            Path base = root.toRealPath();
            Path real = path(path).toRealPath();
            return real.startsWith(base) ? base.relativize(real).toString() : path;
        } catch (IOException absent) {
            return path;
        }
    }

    private static String stem(String name) {
        return name.substring(0, digitsFrom(name));
    }

    private static long ending(String name) {
        String digits = name.substring(digitsFrom(name));
        return digits.isEmpty() || digits.length() > 18 ? -1 : Long.parseLong(digits);
    }

    private static int digitsFrom(String name) {
        int from = name.length();
        while (from > 0 && Character.digit(name.charAt(from - 1), 10) >= 0) {
            from--;
        }
        return from;
    }
}
