package io.fdt.cli.report;

import java.util.ArrayList;
import java.util.List;

/** The numbers of a throughput test that are read rather than seen: the cost in CPU, every stream, and the evidence. */
final class ThroughputTables {
    private ThroughputTables() {}

    /** A table and what it is called. */
    record Named(String name, Table table) {}

    static List<Named> of(Fields result) {
        return List.of(
                new Named("Cost in CPU time", cost(result)),
                new Named("Streams", streams(result.objects("per_stream"))),
                new Named("Evidence of the verdict", evidence(result.object("verdict"))));
    }

    private static Table cost(Fields result) {
        List<List<String>> rows = new ArrayList<>();
        for (String side : List.of("local", "remote")) {
            double seconds = result.number("cpu_seconds_" + side);
            double aGigabyte = result.number("cpu_seconds_per_gb_" + side);
            if (Double.isFinite(seconds) || Double.isFinite(aGigabyte)) {
                rows.add(List.of(side, Numbers.rounded(seconds, 4), Numbers.rounded(aGigabyte, 4)));
            }
        }
        return new Table(List.of("side", "CPU seconds", "CPU seconds a GB"), rows, rows.size());
    }

    private static Table streams(List<Fields> streams) {
        List<List<String>> rows = new ArrayList<>();
        for (Fields stream : streams.subList(0, Math.min(streams.size(), Table.MAX_ROWS))) {
            rows.add(List.of(
                    stream.text("stream"),
                    stream.text("direction"),
                    Numbers.rounded(stream.number("bits_per_second") / 1e9, 4),
                    stream.text("bytes"),
                    stream.text("retransmits"),
                    Numbers.rounded(stream.number("rtt_us"), 4),
                    stream.text("cwnd_bytes")));
        }
        return new Table(
                List.of("stream", "direction", "Gbit/s", "bytes", "retransmits", "RTT (µs)", "window (bytes)"),
                rows,
                streams.size());
    }

    private static Table evidence(Fields verdict) {
        List<List<String>> rows = new ArrayList<>();
        List<String> texts = verdict.texts("evidence");
        for (String text : texts.subList(0, Math.min(texts.size(), Table.MAX_ROWS))) {
            rows.add(List.of(verdict.text("limit"), text));
        }
        return new Table(List.of("limit", "evidence"), rows, texts.size());
    }
}
