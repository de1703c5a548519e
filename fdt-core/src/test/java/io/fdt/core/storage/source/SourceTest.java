package io.fdt.core.storage.source;

import io.fdt.core.storage.StorageTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;

/** A small tree of sources, {@code a}. */
abstract class SourceTest extends StorageTest {
    @BeforeEach
    void makeTree() throws IOException {
        file("a/dir/x", "xx");
        file("a/dir/sub/y", "yyy");
        directory("a/dir/empty");
        file("a/single", "s");
        Files.createSymbolicLink(temporary.resolve("a/dir/link"), Path.of("x"));
        Files.createSymbolicLink(temporary.resolve("a/to-dir"), Path.of("dir"));
    }
}
