package io.fdt.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ModeChangeTest {
    /** A change, a mode before it, and what it makes of a file and of a directory. */
    @ParameterizedTest
    @CsvSource({
        "'755', 640, 755, 755",
        "'D755,F644', 700, 644, 755",
        "'D2775,F664', 700, 664, 2775",
        "'u+x', 644, 744, 744",
        "'go-w', 666, 644, 644",
        "'ugo+X', 640, 640, 751",
        "'ugo+X', 740, 751, 751",
        "'Dg+s,ug+w,Fo-w,a+X', 646, 664, 2777",
        "'a=r', 1777, 444, 444",
        "'u=rwX,go=', 644, 600, 700",
        "'u+s', 755, 4755, 4755",
        "'a+t', 777, 1777, 1777",
        "'u-x+w', 555, 655, 655",
    })
    void changesModesAsChmodDoes(String text, String before, String file, String directory) {
        ModeChange change = Objects.requireNonNull(ModeChange.parse(text));
        int mode = Integer.parseInt(before, 8);
        assertThat(Integer.toOctalString(change.applied(mode, false))).isEqualTo(file);
        assertThat(Integer.toOctalString(change.applied(mode, true))).isEqualTo(directory);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "9", "75", "77777", "+w", "u", "u+q", "D", "X755", "u+r,", "u+r g+r", "F644;D755"})
    void knowsWhatIsNoChange(String text) {
        assertThat(ModeChange.parse(text)).isNull();
    }
}
