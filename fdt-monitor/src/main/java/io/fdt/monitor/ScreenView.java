package io.fdt.monitor;

import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Sample;
import io.fdt.monitor.figure.SampleListener;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Draws each sample on a terminal, and the last one again when the terminal changes its size. Thread-safe. */
final class ScreenView implements SampleListener {
    private final Screen screen;
    private @Nullable Sample last;

    ScreenView(Screen screen) {
        this.screen = screen;
    }

    @Override
    public synchronized void onSample(Sample sample, List<Figure> figures) {
        last = sample;
        draw();
    }

    /** Draws what was drawn last, for another size. */
    synchronized void draw() {
        if (last != null) {
            screen.show(ScreenLines.of(last, screen.rows(), screen.columns(), screen.hasColours()));
        }
    }
}
