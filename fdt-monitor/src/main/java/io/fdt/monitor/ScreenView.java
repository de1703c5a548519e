package io.fdt.monitor;

import io.fdt.core.plan.Printable;
import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Sample;
import io.fdt.monitor.figure.SampleListener;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Draws each sample on a terminal, and the last one again when the size of the terminal changes. Thread-safe. */
final class ScreenView implements SampleListener {
    private final Screen screen;
    private final String keys;
    private @Nullable Sample last;
    private @Nullable String note;

    /** @param keys describes the key q */
    ScreenView(Screen screen, String keys) {
        this.screen = screen;
        this.keys = keys;
    }

    @Override
    public synchronized void onSample(Sample sample, List<Figure> figures) {
        last = sample;
        note = null;
        draw();
    }

    /** Draws the last sample again with this first line, until the next sample. */
    synchronized void note(String line) {
        note = Printable.of(line);
        draw();
    }

    /** Draws the last screen again, in another size. */
    synchronized void draw() {
        if (last != null) {
            screen.show(ScreenLines.of(last, keys, note, screen.rows(), screen.columns(), screen.hasColours()));
        }
    }
}
