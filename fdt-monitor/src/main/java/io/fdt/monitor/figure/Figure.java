package io.fdt.monitor.figure;

import java.util.List;

/** One value of a meter at one moment: what every exporter is given, whatever it makes of it. */
public record Figure(Meter meter, List<String> labels, double value) {
    public Figure {
        if (labels.size() != meter.labels().size()) {
            throw new IllegalArgumentException(meter.exportedName() + " has other labels than " + labels);
        }
    }
}
