package io.fdt.cli;

import io.fdt.core.nettest.RpcResult;
import io.fdt.core.nettest.RpcResult.Point;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The result of the test of requests and answers, by the size of the answer. */
final class RpcView implements ResultView {
    private static final double MEGABYTE = 1e6;

    private final RpcResult result;

    RpcView(RpcResult result) {
        this.result = result;
    }

    @Override
    public void writeJson(JsonLine line) throws IOException {
        line.text("what", "request-to-answer");
        line.text("loop", "closed");
        line.startObjects("points");
        for (Point point : result.points()) {
            line.startObject();
            line.number("size_bytes", point.sizeBytes());
            line.number("concurrent", result.plan().concurrent());
            line.number("servers", 1);
            line.number("requests", point.latencies().count());
            line.fraction("seconds", point.seconds(), 6);
            line.fraction("per_second", point.perSecond(), 1);
            line.fraction("bytes_per_second", point.bytesPerSecond(), 1);
            LatencyFields.write(line, point.latencies());
            line.endObject();
        }
        line.endObjects();
    }

    @Override
    public void writeSummary(JsonLine line) throws IOException {
        line.number(
                "bytes",
                result.points().stream()
                        .mapToLong(point -> point.latencies().count()
                                * (point.sizeBytes() + result.plan().requestBytes()))
                        .sum());
        line.number(
                "requests",
                result.points().stream()
                        .mapToLong(point -> point.latencies().count())
                        .sum());
    }

    @Override
    public List<String> tables() {
        List<String> lines = new ArrayList<>();
        lines.add("from the request to the whole answer, in microseconds");
        lines.add(String.format("%9s %9s %9s %s", "answer", "a second", "MB/s", LatencyFields.TABLE_HEAD));
        for (Point point : result.points()) {
            lines.add(String.format(
                    Locale.ROOT,
                    "%9d %9.0f %9.2f %s",
                    point.sizeBytes(),
                    point.perSecond(),
                    point.bytesPerSecond() / MEGABYTE,
                    LatencyFields.table(point.latencies())));
        }
        return lines;
    }

    @Override
    public List<String> conclusion() {
        return List.of(
                "asked   " + Figures.count(result.plan().concurrent(), "lane") + " with one request of "
                        + Figures.exactBytes(result.plan().requestBytes()) + " at a time"
                        + (result.plan().polling() ? ", busy polling" : "")
                        + (result.whole() ? "" : "; this is not the whole test"),
                "        The loop is closed: a slow answer delays the next request instead of hiding behind it, so there is",
                "        no coordinated omission to correct; it does not say how requests wait that come by themselves.");
    }

    @Override
    public List<String> csv() {
        List<String> lines = new ArrayList<>(List.of(
                "size_bytes,concurrent,servers,requests,per_second,bytes_per_second," + LatencyFields.CSV_COLUMNS));
        for (Point point : result.points()) {
            lines.add(String.format(
                    Locale.ROOT,
                    "%d,%d,1,%d,%.1f,%.1f,%s",
                    point.sizeBytes(),
                    result.plan().concurrent(),
                    point.latencies().count(),
                    point.perSecond(),
                    point.bytesPerSecond(),
                    LatencyFields.csv(point.latencies())));
        }
        return lines;
    }
}
