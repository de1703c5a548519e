package io.fdt.core.nettest;

import static io.fdt.core.basic.Figures.text;
import static io.fdt.core.nettest.SuiteText.percent;

import io.fdt.core.basic.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A column of a text table.
 *
 * @param width negative for cells that are aligned to the left
 */
public record Column(String head, int width, Function<JsonObject, String> cell) {
    private static final double MEGABYTE = 1e6;

    public static Column count(String head, int width, String name) {
        return new Column(head, width, row -> row.has(name) ? String.valueOf(row.count(name)) : "-");
    }

    public static Column amount(String head, int width, String name, int places) {
        return new Column(head, width, row -> text("%." + places + "f", row.amount(name)));
    }

    public static Column word(String head, int width, String name) {
        return new Column(head, width, row -> row.text(name));
    }

    public static Column share(String head, int width, String name) {
        return new Column(head, width, row -> percent(row.amount(name)));
    }

    public static Column megabytes(int width, int places) {
        return new Column("MB/s", width, row -> text("%." + places + "f", row.amount("bytes_per_second") / MEGABYTE));
    }

    /**
     * These columns, and one for each quantile of latency.
     *
     * @param unit after the name of each quantile
     */
    public static List<Column> withLatencies(int width, int places, String unit, Column... first) {
        List<Column> columns = new ArrayList<>(List.of(first));
        for (String name : Latencies.NAMES) {
            String head = name.substring(0, name.length() - "_us".length()).replaceFirst("p99(9+)", "p99.$1") + unit;
            columns.add(amount(head, width, name, places));
        }
        return columns;
    }

    public static List<String> table(List<JsonObject> rows, List<Column> columns) {
        List<String> lines = new ArrayList<>();
        lines.add(line(columns, Column::head));
        rows.forEach(row -> lines.add(line(row, columns)));
        return lines;
    }

    public static String line(JsonObject row, List<Column> columns) {
        return line(columns, column -> column.cell().apply(row));
    }

    private static String line(List<Column> columns, Function<Column, String> cell) {
        return columns.stream()
                .map(column -> text("%" + column.width() + "s", cell.apply(column)))
                .collect(Collectors.joining(" "))
                .stripTrailing();
    }
}
