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
 * The files of a host below one root. A file that is not there, may not be read or whose driver refuses to answer is
 * absent, and says no more than that. Every byte becomes one character, so that what was read can be written back.
 */
record HostFiles(Path root) {
    /** {@code /proc/interrupts} of the largest hosts has some megabytes. */
    private static final int MAX_BYTES = 16 << 20;

    Path path(String path) {
        return root.resolve(path);
    }

    /** All of it, to the byte; null when absent. */
    @Nullable String exact(String path) {
        try (InputStream in = Files.newInputStream(path(path))) {
            return new String(in.readNBytes(MAX_BYTES), StandardCharsets.ISO_8859_1);
        } catch (IOException absent) {
            return null;
        }
    }

    /** Without the white space around it; empty when absent. */
    String text(String path) {
        String exact = exact(path);
        return exact == null ? "" : exact.strip();
    }

    List<String> lines(String path) {
        String exact = exact(path);
        return exact == null ? List.of() : exact.lines().toList();
    }

    /** A whole number, also a negative one. */
    long number(String path, long absent) {
        String text = text(path);
        return text.matches("-?\\d{1,18}") ? Long.parseLong(text) : absent;
    }

    /** A mask of cores in hexadecimal; null when absent. */
    @Nullable CoreMask mask(String path) {
        return coresOf(path, CoreSet::ofMask);
    }

    /** A list of cores; null when absent. */
    @Nullable CoreMask list(String path) {
        return coresOf(path, CoreSet::ofList);
    }

    private @Nullable CoreMask coresOf(String path, Function<String, @Nullable CoreSet> parser) {
        String exact = exact(path);
        CoreSet cores = exact == null ? null : parser.apply(exact);
        return exact == null || cores == null ? null : new CoreMask(exact, cores);
    }

    /** The same where nothing is wanted but the cores; empty when absent. */
    CoreSet cores(String path) {
        CoreMask list = list(path);
        return list == null ? CoreSet.NONE : list.cores();
    }

    boolean exists(String path) {
        return Files.exists(path(path));
    }

    /** The names in a directory, numbers in them by their value; empty when absent. */
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

    /** The names that are the prefix and a number, as these numbers. */
    List<Integer> numbers(String path, String prefix) {
        return names(path).stream()
                .filter(name -> name.startsWith(prefix)
                        && name.substring(prefix.length()).matches("\\d{1,9}"))
                .map(name -> Integer.parseInt(name.substring(prefix.length())))
                .toList();
    }

    /** The names in a file, separated by white space; what can be no name of an interface is left out. */
    List<String> words(String path) {
        return Stream.of(text(path).split("\\s+", -1))
                .filter(word -> word.matches("[^/\\x00-\\x20]{1,15}"))
                .toList();
    }

    /** The value of a line {@code KEY=value}; empty when absent. */
    String variable(String path, String key) {
        return value(path, key + "=", '=');
    }

    /** What stands behind the separator in the first line that begins so; empty when absent. */
    String value(String path, String beginning, char separator) {
        return lines(path).stream()
                .filter(line -> line.startsWith(beginning))
                .findFirst()
                .map(line -> line.substring(line.indexOf(separator) + 1).strip())
                .orElse("");
    }

    /** The fields of a {@code stat} below {@code /proc} from the state on: the name before it may hold anything. */
    String[] stat(String path) {
        String stat = text(path);
        return stat.substring(Math.min(stat.length(), stat.lastIndexOf(')') + 2))
                .split(" ", -1);
    }

    /** Where a path leads when links are followed, seen from the root; the path itself when it leads out or nowhere. */
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
