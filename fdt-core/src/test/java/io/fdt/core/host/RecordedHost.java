package io.fdt.core.host;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * An unpacker for the hosts in {@code src/test/resources/hosts}; {@code make-hosts.py} there describes their format.
 */
public final class RecordedHost {
    private RecordedHost() {}

    /** Unpacks the host below the directory, and returns the directory. */
    public static Path unpack(String name, Path directory) {
        try (InputStream in = RecordedHost.class.getResourceAsStream("/hosts/" + name + ".host")) {
            if (in == null) {
                throw new IllegalArgumentException("no recorded host " + name);
            }
            List<String> lines = new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
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

    /** Returns every file below the directory with its bytes, for a complete comparison. */
    public static Map<String, String> contents(Path directory) {
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
