package io.fdt.cli.report;

import java.util.List;

/** The part of a report that one suite has: its measurements and their plots. */
record Section(Suite suite, List<Measurement> measurements, List<Plot> plots) {
    /** What stands for the plots where there are none. */
    static final String NOTHING = "There is nothing to plot: these results hold no figures.";

    static Section of(Suite suite, List<Measurement> measurements) {
        // A plot of nothing is none: a result need not have all that its suite can measure.
        List<Plot> plots = suite.plots(measurements).stream()
                .filter(plot -> !plot.table().rows().isEmpty())
                .toList();
        return new Section(suite, measurements, plots);
    }
}
