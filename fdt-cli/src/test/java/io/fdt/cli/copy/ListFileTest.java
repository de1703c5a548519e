package io.fdt.cli.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.cli.option.ClientOptions;
import io.fdt.core.plan.PathRule;
import io.fdt.core.plan.RawPath;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ListFileTest {
    private static List<RawPath> parse(String text, boolean nul) {
        return ListFile.parse(text.getBytes(StandardCharsets.ISO_8859_1), nul, "list");
    }

    private static List<RawPath> paths(String... texts) {
        return List.of(texts).stream().map(RawPath::ofText).toList();
    }

    @Test
    void readsOnePathALine() {
        assertThat(parse("a\n\nb/c\n", false)).isEqualTo(paths("a", "b/c"));
        assertThat(parse("a\nb", false)).isEqualTo(paths("a", "b"));
        assertThat(parse("", false)).isEmpty();
    }

    @Test
    void keepsNewlinesAndOddBytesBetweenNulBytes() {
        List<RawPath> paths = parse("a\nb\0c\u00FF\0", true);
        assertThat(paths).isEqualTo(paths("a\nb", "c\uDCFF"));
    }

    @Test
    void dropsWhatOtherToolsWriteIntoPaths() {
        assertThat(parse("./a\nb//c/\n./d/./e\n", false)).isEqualTo(paths("a", "b/c", "d/e"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/etc/passwd | list line 1: '/etc/passwd' is absolute; write paths below the source",
                "../x | list line 1: '../x' does not lie below the source",
                "a/../b | list line 1: 'a/../b' does not lie below the source",
                ". | list line 1: '.' does not lie below the source",
            })
    void refusesPathsOutsideTheSource(String line, String message) {
        assertThatThrownBy(() -> parse(line, false)).hasMessage(message);
    }

    @Test
    void suggestsTheNulOptionForNulBytes() {
        assertThatThrownBy(() -> parse("a\0b", false)).hasMessageContaining("add -0");
    }

    @Test
    void readsAFileOrStandardInput(@TempDir Path directory) throws Exception {
        Path list = Files.writeString(directory.resolve("list"), "a\n");
        InputStream input = new ByteArrayInputStream(new byte[] {'b'});
        assertThat(ListFile.read(list.toString(), false, input)).isEqualTo(paths("a"));
        assertThat(ListFile.read("-", false, input)).isEqualTo(paths("b"));
    }

    /** As rsync reads such a list. */
    @Test
    void plusAndMinusPrefixesDecideInclusion() {
        InputStream input =
                new ByteArrayInputStream("# none\n*.tmp\n+ keep.tmp\n- a b\n-x\n+\n".getBytes(StandardCharsets.UTF_8));
        assertThat(ListFile.rules(ClientOptions.EXCLUDE_FROM, "-", input))
                .containsExactly(
                        new PathRule(false, RawPath.ofText("*.tmp")),
                        new PathRule(true, RawPath.ofText("keep.tmp")),
                        new PathRule(false, RawPath.ofText("a b")),
                        new PathRule(false, RawPath.ofText("-x")),
                        new PathRule(false, RawPath.ofText("+")));
    }

    @Test
    void saysWhichFileIsMissing() {
        assertThatThrownBy(() -> ListFile.read("/nonexistent/list", false, InputStream.nullInputStream()))
                .hasMessage("--files-from: cannot read /nonexistent/list: no such file or directory");
    }
}
