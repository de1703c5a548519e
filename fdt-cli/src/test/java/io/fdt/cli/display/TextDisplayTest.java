package io.fdt.cli.display;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.console.Console;
import io.fdt.core.stats.Moved;
import io.fdt.core.stats.Summary;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The lines on standard error for people. */
final class TextDisplayTest {
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final TextDisplay display = new TextDisplay(
            new Console(OutputStream.nullOutputStream(), err, false),
            new TextDisplay.Manner(ProgressMode.NONE, false, false, true, true, false),
            () -> 80);

    private static Summary round(int inPlace, int skipped) {
        return new Summary(
                null,
                new Summary.Files(inPlace, skipped, 0, 0, List.of()),
                Summary.Bytes.of(7, new Moved(7, 7, 7, 7, 7)),
                new Summary.Run("s", 1, 0, 1_000_000_000, ""),
                null,
                null);
    }

    @Test
    void onlyARoundThatCopiedSomethingIsALine() {
        display.onRound(round(0, 0));
        display.onRound(round(2, 2));
        assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
        display.onRound(round(2, 0));
        assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo("fdt: copied 2 files, 7 B in 1.00 s\n");
    }
}
