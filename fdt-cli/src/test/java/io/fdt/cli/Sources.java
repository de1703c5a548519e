package io.fdt.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The Java sources of this checkout, to check what documents claim about them. */
final class Sources {
    private static final List<String> MODULES = List.of("fdt-core", "fdt-rdma", "fdt-monitor", "fdt-cli");

    private Sources() {}

    static List<Path> main() {
        return below(MODULES.stream()
                .map(module -> Documents.CHECKOUT.resolve(module).resolve("src/main/java"))
                .toList());
    }

    /** The sources of the jar and of the tests. */
    static List<Path> all() {
        List<Path> directories = new ArrayList<>(MODULES.stream()
                .map(Documents.CHECKOUT::resolve)
                .map(module -> module.resolve("src"))
                .toList());
        directories.add(Documents.CHECKOUT.resolve("src/test"));
        return below(directories);
    }

    private static List<Path> below(List<Path> directories) {
        List<Path> sources = new ArrayList<>();
        for (Path directory : directories) {
            try (Stream<Path> files = Files.walk(directory)) {
                files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return sources;
    }
}
