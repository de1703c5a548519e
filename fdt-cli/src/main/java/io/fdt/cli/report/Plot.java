package io.fdt.cli.report;

/** One plot of a report: what it is called, how it is drawn, and its numbers. */
interface Plot {
    /** Wide enough for a page, and for a legend with names of result files. */
    double WIDTH = 900;

    String title();

    /** A drawing of {@link #WIDTH}. */
    Drawing draw();

    Table table();
}
