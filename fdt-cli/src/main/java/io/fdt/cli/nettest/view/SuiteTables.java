package io.fdt.cli.nettest.view;

import static io.fdt.cli.nettest.view.SuiteText.gigabits;
import static io.fdt.cli.nettest.view.SuiteText.percent;
import static io.fdt.cli.nettest.view.SuiteText.text;

import io.fdt.core.Figures;
import io.fdt.core.nettest.NamedFigures;
import io.fdt.core.nettest.NamedFigures.Fraction;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.load.LoadLimit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The figures of a result as tables, as text and as CSV. */
public final class SuiteTables {
    private static final double MEGABYTE = 1e6;
    private static final List<String> LATENCIES =
            List.of("min_us", "mean_us", "p50_us", "p90_us", "p99_us", "p999_us", "p9999_us", "max_us");

    private SuiteTables() {}

    /**
     * A column of a text table.
     *
     * @param width negative for cells that are aligned to the left
     */
    private record Column(String head, int width, Function<NamedFigures, String> cell) {
        static Column count(String head, int width, String name) {
            return new Column(head, width, row -> row.has(name) ? String.valueOf(row.count(name)) : "-");
        }

        static Column amount(String head, int width, String name, int places) {
            return new Column(head, width, row -> text("%." + places + "f", row.amount(name)));
        }

        static Column word(String head, int width, String name) {
            return new Column(head, width, row -> row.text(name));
        }

        static Column share(String head, int width, String name) {
            return new Column(head, width, row -> percent(row.amount(name)));
        }

        static Column megabytes(int width, int places) {
            return new Column(
                    "MB/s", width, row -> text("%." + places + "f", row.amount("bytes_per_second") / MEGABYTE));
        }
    }

    private static List<String> table(List<NamedFigures> rows, List<Column> columns) {
        List<String> lines = new ArrayList<>();
        lines.add(line(columns, Column::head));
        rows.forEach(row -> lines.add(line(columns, column -> column.cell().apply(row))));
        return lines;
    }

    private static String line(List<Column> columns, Function<Column, String> cell) {
        return columns.stream()
                .map(column -> text("%" + column.width() + "s", cell.apply(column)))
                .collect(Collectors.joining(" "))
                .stripTrailing();
    }

    /** @param unit after the name of each quantile */
    private static List<Column> with(int width, int places, String unit, Column... first) {
        List<Column> columns = new ArrayList<>(List.of(first));
        for (String name : LATENCIES) {
            String head = name.substring(0, name.length() - "_us".length()).replaceFirst("p99(9+)", "p99.$1") + unit;
            columns.add(Column.amount(head, width, name, places));
        }
        return columns;
    }

    /** The text tables, which precede the lines that all suites share. */
    public static List<String> tables(NettestResult result) {
        List<NamedFigures> points = result.points();
        return switch (result.plan().suite()) {
            case THROUGHPUT -> throughput(result.figures());
            case SWEEP ->
                table(
                        points,
                        List.of(
                                Column.word("mode", -11, "mode"),
                                Column.word("protocol", -10, "protocol"),
                                Column.count("size", 9, "size_bytes"),
                                Column.count("bursts", 8, "bursts"),
                                Column.count("messages", 12, "messages"),
                                Column.megabytes(10, 2),
                                new Column(
                                        "messages/s",
                                        14,
                                        row -> text("%.0f", row.amount("messages") / row.amount("seconds")))));
            case LATENCY ->
                titled(
                        "round trips (RTT, there and back, not RTT/2), in microseconds",
                        table(
                                points,
                                with(
                                        9,
                                        2,
                                        "",
                                        new Column("size", 9, row -> Figures.exactBytes(row.count("size_bytes"))),
                                        Column.count("round trips", 11, "iterations"))));
            case RPC -> titled("from the request to the whole answer, in microseconds", rpc(result));
            case OBJECTS ->
                table(
                        points,
                        with(
                                9,
                                1,
                                " us",
                                Column.count("size", 7, "size_bytes"),
                                Column.amount("operations/s", 13, "per_second", 0),
                                Column.megabytes(9, 1)));
            case LOAD ->
                titled(
                        "from when a request was due until its whole answer, in microseconds; c/p is completions a"
                                + " poll",
                        table(
                                points,
                                List.of(
                                        Column.count("rx", 6, "rx_buffers"),
                                        Column.count("tx", 6, "tx_buffers"),
                                        Column.count("offered/s", 10, "offered_per_second"),
                                        Column.amount("done/s", 10, "achieved_per_second", 0),
                                        Column.amount("p50", 9, "p50_us", 1),
                                        Column.amount("p90", 9, "p90_us", 1),
                                        Column.amount("p99", 9, "p99_us", 1),
                                        Column.amount("p99.9", 9, "p999_us", 1),
                                        Column.amount("max", 9, "max_us", 1),
                                        Column.amount("c/p", 7, "completions_per_poll", 2),
                                        Column.amount("there", 7, "server_completions_per_poll", 2),
                                        new Column(" ran out", -1, row -> " " + LoadLimit.evidence(row)))));
        };
    }

    private static List<String> titled(String title, List<String> table) {
        return Stream.concat(Stream.of(title), table.stream()).toList();
    }

    private static List<String> throughput(NamedFigures figures) {
        List<String> lines = new ArrayList<>();
        if (!figures.rows("per_stream").isEmpty()) {
            lines.addAll(table(
                    figures.rows("per_stream"),
                    List.of(
                            Column.count("stream", 6, "stream"),
                            new Column(" way", -4, row -> " " + row.text("direction")),
                            new Column("Gbit/s", 12, row -> gigabits(row.amount("bits_per_second"))),
                            new Column("bytes", 9, row -> Figures.bytes(row.count("bytes"))),
                            Column.count("retransmits", 12, "retransmits"),
                            Column.count("RTT us", 9, "rtt_us"),
                            new Column(
                                    "cwnd",
                                    9,
                                    row -> row.has("cwnd_bytes") ? Figures.bytes(row.count("cwnd_bytes")) : "-"),
                            new Column(" cores", -1, SuiteTables::cores))));
            lines.add("");
        }
        lines.addAll(table(
                figures.rows("per_core"),
                List.of(
                        new Column("core", -6, row -> row.text("side").equals("local") ? "here" : "there"),
                        Column.count("", 3, "core"),
                        Column.share("user", 8, "user"),
                        Column.share("system", 7, "system"),
                        Column.share("softirq", 8, "softirq"),
                        Column.share("other", 6, "other"),
                        Column.share("idle", 6, "idle"))));
        return lines;
    }

    /** The cores on the path: the sender's, the one that processed the packets, the receiver's. */
    private static String cores(NamedFigures stream) {
        return Stream.of("sender_core", "incoming_core", "core")
                .map(name -> stream.has(name) ? String.valueOf(stream.count(name)) : "-")
                .collect(Collectors.joining(" > ", " ", ""));
    }

    private static List<String> rpc(NettestResult result) {
        List<Column> columns = with(
                9,
                2,
                "",
                Column.count("answer", 9, "size_bytes"),
                Column.amount("a second", 9, "per_second", 0),
                Column.megabytes(9, 2));
        List<NamedFigures> servers = result.figures().rows("per_server");
        List<String> lines = table(result.points(), columns);
        if (servers.size() < 2) {
            return lines;
        }
        List<String> each = new ArrayList<>(List.of(lines.get(0)));
        for (int at = 0; at < result.points().size(); at++) {
            each.add(lines.get(at + 1) + "  all");
            for (NamedFigures server : servers) {
                List<NamedFigures> own = server.rows("points");
                if (at < own.size()) {
                    NamedFigures row = own.get(at);
                    each.add(line(columns, column -> column.cell().apply(row)) + "  " + server.text("server"));
                }
            }
        }
        return each;
    }

    // ---- CSV.

    /** The CSV table. Columns are public: columns may be added, and keep their meaning. */
    public static List<String> csv(NettestResult result) {
        return switch (result.plan().suite()) {
            case THROUGHPUT -> throughputCsv(result);
            case SWEEP -> csv(result, "mode,protocol,size_bytes,messages,bursts,seconds,bytes_per_second");
            case LATENCY -> csv(result, "what,size_bytes,iterations," + String.join(",", LATENCIES));
            case RPC ->
                csv(
                        result,
                        "size_bytes,concurrent,servers,requests,per_second,bytes_per_second,"
                                + String.join(",", LATENCIES));
            case OBJECTS ->
                csv(
                        result,
                        "op,durable,size_bytes,concurrent,operations,per_second,bytes_per_second,"
                                + String.join(",", LATENCIES));
            case LOAD ->
                csv(
                        result,
                        "rx_buffers,tx_buffers,offered_per_second,achieved_per_second,offered,done,completions_per_poll,"
                                + "server_completions_per_poll,tx_waits,tx_wait_seconds,busy_local,busy_remote,ran_out,"
                                + String.join(",", LATENCIES));
        };
    }

    /** One row for each point; columns that points lack contain the value of the whole result. */
    private static List<String> csv(NettestResult result, String header) {
        List<String> names = List.of(header.split(","));
        List<String> lines = new ArrayList<>(List.of(header));
        for (NamedFigures point : result.points()) {
            lines.add(names.stream()
                    .map(name -> cell((point.has(name) ? point : result.figures())
                            .values()
                            .get(name)))
                    .collect(Collectors.joining(",")));
        }
        return lines;
    }

    private static String cell(@Nullable Object value) {
        if (value instanceof Fraction fraction) {
            return text("%." + fraction.places() + "f", fraction.value());
        }
        if (value instanceof List<?> words) {
            return words.stream().map(String::valueOf).collect(Collectors.joining(" "));
        }
        return value == null ? "" : value.toString();
    }

    /**
     * A row for every second, a row for every stream, and the sum, distinguished by the first column. Figures that only
     * TCP has are empty for other lanes.
     */
    private static List<String> throughputCsv(NettestResult result) {
        NamedFigures figures = result.figures();
        List<String> lines = new ArrayList<>(
                List.of("row,seconds,stream,direction,bytes,bits_per_second_out,bits_per_second_in,retransmits,rtt_us,"
                        + "cwnd_bytes"));
        for (NamedFigures each : figures.rows("intervals")) {
            lines.add(text("interval,%.3f,,,,", each.amount("t")) + rates(each) + "," + known(each, "retransmits") + ","
                    + known(each, "rtt_us") + ",");
        }
        List<NamedFigures> streams = figures.rows("per_stream");
        for (NamedFigures each : streams) {
            double bits = each.amount("bits_per_second");
            boolean out = each.text("direction").equals("out");
            lines.add(text(
                    "stream,%.3f,%d,%s,%d,%.0f,%.0f,%s,%s,%s",
                    result.seconds(),
                    each.count("stream"),
                    each.text("direction"),
                    each.count("bytes"),
                    out ? bits : 0,
                    out ? 0 : bits,
                    known(each, "retransmits"),
                    known(each, "rtt_us"),
                    known(each, "cwnd_bytes")));
        }
        boolean known = streams.stream().allMatch(each -> each.has("retransmits"));
        lines.add(text("sum,%.3f,,,%d,", result.seconds(), figures.count("bytes_out") + figures.count("bytes_in"))
                + rates(figures) + "," + (known ? figures.sum("per_stream", "retransmits") : "") + ",,");
        return lines;
    }

    private static String rates(NamedFigures row) {
        return text("%.0f,%.0f", row.amount("bits_per_second_out"), row.amount("bits_per_second_in"));
    }

    private static String known(NamedFigures row, String name) {
        return cell(row.values().get(name));
    }

    /** The histograms in microseconds with their sums, in the format of the published ones. */
    public static List<String> histogram(NettestResult result) {
        List<String> lines = new ArrayList<>();
        lines.add("size_bytes,rtt_us_bucket,count,cdf_percent");
        for (NamedFigures point : result.points()) {
            long sum = 0;
            for (NamedFigures bucket : point.rows("histogram")) {
                sum += bucket.count("count");
                lines.add(text(
                        "%d,%d,%d,%.4f",
                        point.count("size_bytes"),
                        bucket.count("from_us"),
                        bucket.count("count"),
                        100.0 * sum / point.count("iterations")));
            }
        }
        return lines;
    }
}
