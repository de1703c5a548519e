package io.fdt.cli.report;

import io.fdt.core.basic.JsonObject;
import java.util.List;

/**
 * The numbers of a chart as a table. Each row has as many cells as there are columns.
 *
 * @param total the number of rows without {@link #MAX_ROWS}
 */
record Table(String name, List<String> columns, List<List<String>> rows, int total) {
    /** More rows than are useful on a page; the rest is in the result file. */
    static final int MAX_ROWS = 400;

    JsonObject json() {
        return new JsonObject()
                .with("name", name)
                .with("columns", columns)
                .with("rows", rows)
                .with("total", total);
    }
}
