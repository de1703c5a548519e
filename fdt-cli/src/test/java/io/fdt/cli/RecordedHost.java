package io.fdt.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Unpacks one of the hosts that are recorded for the tests of {@code fdt-core}; {@code make-hosts.py} there tells the format. */
final class RecordedHost {
    /** Tests run in the directory of their module. */
    private static final Path HOSTS = Path.of("../fdt-core/src/test/resources/hosts");

    private RecordedHost() {}

    /** Unpacks it below the directory and returns that. */
    static Path unpack(String name, Path directory) {
        try {
            List<String> lines = Files.readAllLines(HOSTS.resolve(name + ".host"));
            for (String line : lines) {
                place(line.split("\t", -1), directory);
            }
            return directory;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void place(String[] parts, Path directory) throws IOException {
        Path file = directory.resolve(parts[0]);
        Files.createDirectories(file.getParent());
        if (parts.length == 3 && parts[1].equals("->")) {
            Files.deleteIfExists(file);
            Files.createSymbolicLink(file, Path.of(parts[2]));
        } else if (parts.length == 2) {
            Files.writeString(file, unescaped(parts[1]));
        } else {
            throw new IllegalArgumentException("neither a file nor a link: " + String.join("|", parts));
        }
    }

    private static String unescaped(String text) {
        return text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\");
    }

    /** Every file below the directory with its bytes, for a comparison of everything with everything. */
    static Map<String, String> contents(Path directory) {
        Map<String, String> contents = new TreeMap<>();
        try (var files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                contents.put(
                        directory.relativize(file).toString(),
                        new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return contents;
    }
}
