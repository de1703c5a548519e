package io.fdt.cli.nettest.view;

import io.fdt.cli.console.JsonLine;
import io.fdt.cli.value.Figures;
import io.fdt.core.nettest.RoundProgress;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/** How far a test is that goes from size to size. */
final class RoundProgressView {
    private RoundProgressView() {}

    static List<String> lines(RoundProgress progress) {
        return List.of(String.format(
                Locale.ROOT,
                "%6.1f s  %d of %d, size %s: %d%s",
                progress.t(),
                progress.round(),
                progress.rounds(),
                Figures.exactBytes(progress.sizeBytes()),
                progress.done(),
                progress.of() == 0 ? "" : " of " + progress.of()));
    }

    static void write(JsonLine line, RoundProgress progress) throws IOException {
        line.fraction("t", progress.t(), 3);
        line.number("round", progress.round());
        line.number("rounds", progress.rounds());
        line.number("size_bytes", progress.sizeBytes());
        line.number("done", progress.done());
        line.number("of", progress.of());
    }
}
