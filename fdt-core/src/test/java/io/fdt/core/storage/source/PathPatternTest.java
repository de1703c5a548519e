package io.fdt.core.storage.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.StorageTest;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

class PathPatternTest extends StorageTest {
    private static final long ENOUGH_BYTES = 10_000;

    private List<String> expand(long maxBytes, String... patterns) {
        try (Root root = Root.confined(raw(temporary))) {
            List<RawPath> paths =
                    List.of(patterns).stream().map(RawPath::ofText).toList();
            return PathPattern.expandAll(root, paths, maxBytes).stream()
                    .map(RawPath::text)
                    .toList();
        }
    }

    private void makeFiles(String directory, int count) throws IOException {
        Files.createDirectories(temporary.resolve(directory));
        for (int i = 0; i < count; i++) {
            Files.createFile(temporary.resolve(directory).resolve("f" + i));
        }
    }

    @Test
    void matchesNamesInEachPartOfThePathInTheirOrder() throws IOException {
        makeFiles("b", 2);
        makeFiles("a", 1);
        Files.createFile(temporary.resolve("c"));
        assertThat(expand(ENOUGH_BYTES, "?/f*", "c")).containsExactly("a/f0", "b/f0", "b/f1", "c");
    }

    @Test
    void allPatternsOfARequestShareWhatTheyMayMatch() throws IOException {
        makeFiles("many", 20);
        assertThat(expand(2_500, "many/*")).hasSize(20);
        assertThatExceptionOfType(TransferException.class)
                .isThrownBy(() -> expand(2_500, "many/*", "many/f*"))
                .withMessageContaining("many/f*: too many paths match")
                .satisfies(failure -> assertThat(failure.kind()).isEqualTo(FailureKind.LIMIT));
    }
}
