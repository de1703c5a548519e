package io.fdt.cli.option;

import io.fdt.cli.value.Nearest;
import io.fdt.cli.value.UserText;
import io.fdt.cli.value.Words;
import io.fdt.core.plan.RawPath;
import io.fdt.core.security.HomeFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The settings in {@code $FDT_HOME/config}: lines of {@code name = value}. The name is that of an option without its
 * dashes; with a prefix such as {@code client.} or {@code server.}, the setting applies only to that command. {@code #}
 * starts a comment line. Only an option that can be repeated can be set on several lines.
 */
public record ConfigFile(String shownName, List<Line> lines) {
    public static final ConfigFile NONE = new ConfigFile("", List.of());

    public ConfigFile {
        lines = List.copyOf(lines);
    }

    record Line(int number, String name, String value) {}

    /**
     * Reads the file if it exists; all names in it must be known. Otherwise the names are not needed.
     *
     * @param known the options by their names in the file
     */
    static ConfigFile read(Path file, Supplier<Map<String, Option>> known) {
        byte[] bytes = HomeFile.readSettings(file);
        return bytes == null ? NONE : parse(UserText.visible(file.toString()), bytes, known.get());
    }

    static ConfigFile parse(String shownName, byte[] bytes, Map<String, Option> known) {
        List<Line> lines = new ArrayList<>();
        Map<String, Integer> single = new HashMap<>();
        int number = 0;
        for (byte[] each : Words.split(bytes, '\n')) {
            number++;
            String line = text(each).strip();
            if (line.isEmpty() || line.charAt(0) == '#') {
                continue;
            }
            String where = shownName + " line " + number + ": ";
            int equals = line.indexOf('=');
            if (equals <= 0) {
                throw UserText.refusal(where + UserText.quoted(line) + " is not a setting; write name = value");
            }
            String name = line.substring(0, equals).strip();
            Option option = known.get(name);
            if (option == null) {
                throw UserText.refusal(
                        where + "unknown setting " + UserText.quoted(name) + Nearest.hint(name, known.keySet()));
            }
            Integer before = option.isRepeatable() ? null : single.put(name, number);
            if (before != null) {
                throw UserText.refusal(where + UserText.quoted(name) + " has one value, and line " + before
                        + " sets it already; remove one of the lines");
            }
            lines.add(new Line(number, name, line.substring(equals + 1).strip()));
        }
        return new ConfigFile(shownName, lines);
    }

    private static String text(byte[] line) {
        for (int i = 0; i < line.length; i++) {
            if (line[i] == 0) {
                line[i] = 1;
            }
        }
        return RawPath.ofBytes(line).text();
    }
}
