package io.fdt.cli.nettest.view;

import io.fdt.cli.console.JsonLine;
import io.fdt.cli.value.Figures;
import io.fdt.core.nettest.Latencies.Bucket;
import io.fdt.core.nettest.LatencyResult;
import io.fdt.core.nettest.LatencyResult.Point;
import io.fdt.core.nettest.LatencyResult.Queues;
import io.fdt.core.nettest.QueueUse;
import io.fdt.core.transport.DeviceQueues.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The result of a ping-pong: round trips by size. */
public final class LatencyView implements ResultView {
    private final LatencyResult result;

    LatencyView(LatencyResult result) {
        this.result = result;
    }

    @Override
    public void writeJson(JsonLine line) throws IOException {
        line.text("what", "rtt");
        LaneModeFields.write(line, result.circumstances());
        QueueUse use = result.plan().queues();
        Queues queues = result.queues();
        if (use != null && queues != null) {
            line.text("qp", LatencyPlanView.word(use));
            line.number("inline_bytes_local", queues.inlineBytesLocal());
            line.number("inline_bytes_remote", queues.inlineBytesRemote());
            line.number("sent_again", queues.sentAgain());
        }
        line.startObjects("points");
        for (Point point : result.points()) {
            line.startObject();
            line.number("size_bytes", point.sizeBytes());
            line.number("iterations", point.latencies().count());
            LatencyFields.write(line, point.latencies());
            line.startObjects("histogram");
            for (Bucket bucket : point.latencies().buckets()) {
                line.startObject();
                line.number("from_us", bucket.fromUs());
                line.number("to_us", bucket.toUs());
                line.number("count", bucket.count());
                line.endObject();
            }
            line.endObjects();
            line.endObject();
        }
        line.endObjects();
    }

    @Override
    public void writeSummary(JsonLine line) throws IOException {
        line.number(
                "bytes",
                result.points().stream()
                        .mapToLong(point -> 2 * point.latencies().count() * point.sizeBytes())
                        .sum());
        line.number(
                "round_trips",
                result.points().stream()
                        .mapToLong(point -> point.latencies().count())
                        .sum());
    }

    @Override
    public List<String> tables() {
        List<String> lines = new ArrayList<>();
        lines.add("round trips (RTT, there and back, not RTT/2), in microseconds");
        lines.add(String.format("%9s %11s %s", "size", "round trips", LatencyFields.TABLE_HEAD));
        for (Point point : result.points()) {
            lines.add(String.format(
                    "%9s %11d %s",
                    Figures.exactBytes(point.sizeBytes()),
                    point.latencies().count(),
                    LatencyFields.table(point.latencies())));
        }
        return lines;
    }

    @Override
    public List<String> conclusion() {
        return List.of(
                way(),
                "waiting " + (result.plan().polling() ? "by busy polling on both ends" : "in the kernel on both ends"),
                "before  " + result.plan().warmUps() + " uncounted round trips of each size"
                        + (result.whole() ? "" : "; this is not the whole test"));
    }

    private String way() {
        QueueUse use = result.plan().queues();
        Queues queues = result.queues();
        if (use == null || queues == null) {
            return LaneModeFields.text(result.circumstances());
        }
        return "way     " + LatencyPlanView.words(use) + "; inline are messages of up to " + queues.inlineBytesLocal()
                + " B from here and " + queues.inlineBytesRemote() + " B from there"
                + (use.kind() == Kind.DATAGRAM ? "; " + queues.sentAgain() + " were sent again" : "");
    }

    /** The histograms in microseconds with their sums, as the published ones have them. */
    public static List<String> histogram(LatencyResult result) {
        List<String> lines = new ArrayList<>();
        lines.add("size_bytes,rtt_us_bucket,count,cdf_percent");
        for (Point point : result.points()) {
            long sum = 0;
            for (Bucket bucket : point.latencies().buckets()) {
                sum += bucket.count();
                lines.add(String.format(
                        Locale.ROOT,
                        "%d,%d,%d,%.4f",
                        point.sizeBytes(),
                        bucket.fromUs(),
                        bucket.count(),
                        100.0 * sum / point.latencies().count()));
            }
        }
        return lines;
    }

    @Override
    public List<String> csv() {
        List<String> lines = new ArrayList<>(List.of("what,size_bytes,iterations," + LatencyFields.CSV_COLUMNS));
        for (Point point : result.points()) {
            lines.add("rtt," + point.sizeBytes() + "," + point.latencies().count() + ","
                    + LatencyFields.csv(point.latencies()));
        }
        return lines;
    }
}
