package io.fdt.monitor.figure;

import java.util.List;

/** The value of a meter at one moment, as passed to all exporters. */
public record Figure(Meter meter, List<String> labels, double value) {
    public Figure {
        if (labels.size() != meter.labels().size()) {
            throw new IllegalArgumentException(meter.exportedName() + " has other labels than " + labels);
        }
    }
}
