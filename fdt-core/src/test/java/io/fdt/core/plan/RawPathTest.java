package io.fdt.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/**
 * Names consist of any bytes, survive conversion to Java's strings and back, and are displayed safely on a terminal.
 */
class RawPathTest {
    private static String shown(int single) {
        if (single == '\\') {
            return "\\\\";
        }
        return single >= ' ' && single <= '~' ? String.valueOf((char) single) : String.format("\\x%02X", single);
    }

    @Test
    void everyByteIsDisplayedAndParsedBack() {
        for (int single = 1; single < 256; single++) {
            RawPath path = RawPath.ofBytes(new byte[] {'a', (byte) single, 'z'});

            assertThat(path.display()).as("byte %d", single).isEqualTo("a" + shown(single) + "z");
            assertThat(RawPath.ofText(path.text())).as("byte %d", single).isEqualTo(path);
        }
    }

    @Test
    void namesInOtherScriptsAreShownAsTheyAre() {
        String name = "größe/数据/été";
        RawPath path = RawPath.ofBytes(name.getBytes(StandardCharsets.UTF_8));

        assertThat(path.display()).isEqualTo(name);
        assertThat(path.text()).isEqualTo(name);
    }

    @Test
    void displayEscapesOnlyControlBytesAndBackslashes() {
        assertThat(RawPath.ofText("two words\n\\~").display()).isEqualTo("two words\\x0A\\\\~");
        assertThat(RawPath.ofText("two words ~").display()).isEqualTo("two words ~");
    }

    @Test
    void emptyPathIsDisplayedAsADot() {
        assertThat(RawPath.EMPTY.display()).isEqualTo(".");
        assertThat(RawPath.EMPTY.text()).isEmpty();
    }

    @Test
    void isRelativeToThePathsAboveIt() {
        RawPath path = RawPath.ofText("/a/b");

        assertThat(path.relativeTo(RawPath.ofText("/a"))).isEqualTo(RawPath.ofText("b"));
        assertThat(path.relativeTo(RawPath.ROOT)).isEqualTo(RawPath.ofText("a/b"));
        assertThat(path.relativeTo(path)).isEqualTo(RawPath.EMPTY);
        assertThat(path.relativeTo(RawPath.EMPTY)).isEqualTo(path);
        assertThat(path.relativeTo(RawPath.ofText("/a/b/c"))).isNull();
        assertThat(RawPath.ofText("/ab").relativeTo(RawPath.ofText("/a"))).isNull();
        assertThat(RawPath.ofText("b/c").relativeTo(RawPath.ofText("a"))).isNull();
    }

    @Test
    void hasComponentsWhateverSlashesStandBetweenThem() {
        assertThat(RawPath.ofText("//a//b").components()).containsExactly(RawPath.ofText("a"), RawPath.ofText("b"));
        assertThat(RawPath.ofText("a/").components()).containsExactly(RawPath.ofText("a"), RawPath.HERE);
        assertThat(RawPath.EMPTY.components()).containsExactly(RawPath.HERE);
        assertThat(RawPath.ofText("//a/b").first()).isEqualTo(RawPath.ofText("a"));
        assertThat(RawPath.ROOT.first()).isEqualTo(RawPath.EMPTY);
        assertThat(RawPath.ofText("//a/").withoutLeadingSlashes()).isEqualTo(RawPath.ofText("a/"));
        assertThat(RawPath.ofText("a").withSlash()).isEqualTo(RawPath.ofText("a/"));
        assertThat(RawPath.ofText("a/").withSlash()).isEqualTo(RawPath.ofText("a/"));
    }
}
