package io.fdt.cli.option;

import io.fdt.cli.value.Nearest;
import io.fdt.cli.value.UserText;
import io.fdt.cli.value.Words;
import io.fdt.core.TransferException;
import io.fdt.core.plan.RawPath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/**
 * The settings in {@code $FDT_HOME/config}: lines of {@code name = value}. The name is that of an option without its
 * dashes; with a prefix such as {@code client.} or {@code server.}, the setting applies only to that command. {@code #}
 * starts a comment line. An option that can be repeated can be set on several lines.
 */
public record ConfigFile(String shownName, List<Line> lines) {
    public static final ConfigFile NONE = new ConfigFile("", List.of());

    public ConfigFile {
        lines = List.copyOf(lines);
    }

    record Line(int number, String name, String value) {}

    /** Reads the file if it exists; all names in it must be known. Otherwise the names are not needed. */
    static ConfigFile read(Path file, Supplier<? extends Collection<String>> knownNames) {
        String shown = UserText.visible(file.toString());
        byte[] bytes;
        try {
            bytes = Files.readAllBytes(file);
        } catch (NoSuchFileException none) {
            return NONE;
        } catch (IOException e) {
            throw UserText.refusal(shown + ": cannot read it: " + TransferException.reason(e));
        }
        return parse(shown, bytes, knownNames.get());
    }

    static ConfigFile parse(String shownName, byte[] bytes, Collection<String> knownNames) {
        List<Line> lines = new ArrayList<>();
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
            if (!knownNames.contains(name)) {
                throw UserText.refusal(
                        where + "unknown setting " + UserText.quoted(name) + Nearest.hint(name, knownNames));
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
