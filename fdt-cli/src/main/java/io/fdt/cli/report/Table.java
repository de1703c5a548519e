package io.fdt.cli.report;

import java.util.List;

/**
 * The numbers of a chart for those who read rather than look. Each row has as many cells as there are columns.
 *
 * @param total how many rows there would be without {@link #MAX_ROWS}
 */
record Table(String name, List<String> columns, List<List<String>> rows, int total) {
    /** More rows than a reader goes through; the rest stays in the result file. */
    static final int MAX_ROWS = 400;
}
