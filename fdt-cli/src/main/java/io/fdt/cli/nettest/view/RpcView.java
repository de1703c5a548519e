package io.fdt.cli.nettest.view;

import io.fdt.cli.console.JsonLine;
import io.fdt.cli.value.Figures;
import io.fdt.core.nettest.RpcResult;
import io.fdt.core.nettest.RpcResult.Point;
import io.fdt.core.nettest.RpcResult.Server;
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
        LaneModeFields.write(line, result.circumstances());
        line.startObjects("points");
        for (Point point : result.points()) {
            line.startObject();
            line.number("size_bytes", point.sizeBytes());
            line.number("concurrent", result.plan().concurrent());
            line.number("servers", result.plan().servers());
            line.number("requests", point.latencies().count());
            line.fraction("seconds", point.seconds(), 6);
            line.fraction("per_second", point.perSecond(), 1);
            line.fraction("bytes_per_second", point.bytesPerSecond(), 1);
            LatencyFields.write(line, point.latencies());
            line.endObject();
        }
        line.endObjects();
        line.startObjects("per_server");
        for (Server server : result.servers()) {
            writeServer(line, server);
        }
        line.endObjects();
    }

    private static void writeServer(JsonLine line, Server server) throws IOException {
        line.startObject();
        line.text("server", server.name());
        line.text("host", server.host().host());
        line.text("cpu", server.host().cpu());
        line.number("cores", server.host().cores());
        line.text("software", server.host().software());
        line.number("concurrent", server.lanes());
        line.fractionIfKnown("cpu_seconds", server.cpuSeconds(), 2);
        line.text("way", LaneModeFields.word(server.way()));
        line.startObjects("points");
        for (Point point : server.points()) {
            line.startObject();
            line.number("size_bytes", point.sizeBytes());
            line.number("requests", point.latencies().count());
            line.fraction("seconds", point.seconds(), 6);
            line.fraction("per_second", point.perSecond(), 1);
            line.fraction("bytes_per_second", point.bytesPerSecond(), 1);
            LatencyFields.write(line, point.latencies());
            line.endObject();
        }
        line.endObjects();
        line.endObject();
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
        boolean several = result.servers().size() > 1;
        for (int at = 0; at < result.points().size(); at++) {
            lines.add(row(result.points().get(at)) + (several ? "  all" : ""));
            for (Server server : result.servers()) {
                if (several && at < server.points().size()) {
                    lines.add(row(server.points().get(at)) + "  " + server.name());
                }
            }
        }
        return lines;
    }

    private static String row(Point point) {
        return String.format(
                Locale.ROOT,
                "%9d %9.0f %9.2f %s",
                point.sizeBytes(),
                point.perSecond(),
                point.bytesPerSecond() / MEGABYTE,
                LatencyFields.table(point.latencies()));
    }

    @Override
    public List<String> conclusion() {
        return List.of(
                LaneModeFields.text(result.circumstances()),
                "asked   " + Figures.count(result.plan().concurrent(), "lane")
                        + (result.plan().servers() > 1 ? " to " + result.plan().servers() + " servers" : "")
                        + " with one request of "
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
                    "%d,%d,%d,%d,%.1f,%.1f,%s",
                    point.sizeBytes(),
                    result.plan().concurrent(),
                    result.plan().servers(),
                    point.latencies().count(),
                    point.perSecond(),
                    point.bytesPerSecond(),
                    LatencyFields.csv(point.latencies())));
        }
        return lines;
    }
}
