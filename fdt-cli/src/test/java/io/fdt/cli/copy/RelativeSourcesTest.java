package io.fdt.cli.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.plan.RawPath;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RelativeSourcesTest {
    private static RelativeSources of(String... sources) {
        return RelativeSources.of(Stream.of(sources).map(RawPath::ofText).toList());
    }

    @ParameterizedTest
    @CsvSource({
        "a/b/c, ., a/b/c",
        "./a/b, ., a/b",
        "/data/a/, /, data/a",
        "/data/./a/b, /data, a/b",
        "x/../y/./a/, x/../y, a",
        "/data/./a/./b, /data, a/b",
    })
    void splitsAPathIntoADirectoryAndAName(String source, String directory, String name) {
        RelativeSources relative = of(source);
        assertThat(relative.directory()).hasToString(directory);
        assertThat(relative.names()).containsExactly(RawPath.ofText(name));
    }

    @Test
    void takesSeveralSourcesBelowOneDirectory() {
        assertThat(of("/d/./a/b", "/d/./c").names()).isEqualTo(List.of(RawPath.ofText("a/b"), RawPath.ofText("c")));
        assertThatThrownBy(() -> of("/d/./a", "/e/./a")).hasMessageContaining("begin at different directories");
    }

    @ParameterizedTest
    @ValueSource(strings = {".", "/", "a/./", "../a", "/a/./../b"})
    void refusesAPathThatHasNoPlaceBelowTheTarget(String source) {
        assertThatThrownBy(() -> of(source)).hasMessageContaining("write DIR/./PATH");
    }
}
