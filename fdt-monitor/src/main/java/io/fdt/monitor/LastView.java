package io.fdt.monitor;

import io.fdt.core.HostView;
import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Sample;
import io.fdt.monitor.figure.SampleListener;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The host of the last sample, for the other ends of sessions. Thread-safe. */
final class LastView implements SampleListener {
    private volatile @Nullable Sample last;

    @Override
    public void onSample(Sample sample, List<Figure> figures) {
        last = sample;
    }

    @Nullable HostView view() {
        Sample sample = last;
        return sample == null ? null : HostViews.told(sample.host(), sample.cores(), sample.nics());
    }
}
