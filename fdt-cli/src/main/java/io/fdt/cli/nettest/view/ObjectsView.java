package io.fdt.cli.nettest.view;

import io.fdt.cli.console.JsonLine;
import io.fdt.core.nettest.ObjectsPlan;
import io.fdt.core.nettest.ObjectsResult;
import io.fdt.core.nettest.ObjectsResult.Point;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The result of a test of objects: a row for every size. */
final class ObjectsView implements ResultView {
    private static final String CSV_HEADER =
            "op,durable,size_bytes,concurrent,operations,per_second,bytes_per_second,min_us,mean_us,p50_us,p90_us,p99_us,"
                    + "p999_us,p9999_us,max_us";

    private final ObjectsResult result;

    ObjectsView(ObjectsResult result) {
        this.result = result;
    }

    @Override
    public void writeJson(JsonLine line) throws IOException {
        line.startObjects("points");
        for (Point point : result.points()) {
            line.startObject();
            line.text("op", ObjectsPlanView.op(result.plan()));
            line.text("durable", ObjectsPlanView.durable(result.plan()));
            ObjectsPlanView.writeReads(line, result.plan());
            line.number("size_bytes", point.sizeBytes());
            line.number("concurrent", point.concurrent());
            line.number("operations", point.operations());
            line.fraction("per_second", point.perSecond(), 1);
            line.fraction("bytes_per_second", point.bytesPerSecond(), 1);
            line.fraction("min_us", point.minUs(), 3);
            line.fraction("mean_us", point.meanUs(), 3);
            line.fraction("p50_us", point.p50Us(), 3);
            line.fraction("p90_us", point.p90Us(), 3);
            line.fraction("p99_us", point.p99Us(), 3);
            line.fraction("p999_us", point.p999Us(), 3);
            line.fraction("p9999_us", point.p9999Us(), 3);
            line.fraction("max_us", point.maxUs(), 3);
            line.endObject();
        }
        line.endObjects();
        line.number("objects_held", result.objectsHeld());
        line.number("objects_kept", result.objectsKept());
        line.number("log_records", result.logRecords());
        line.number("log_flushes", result.logGroups());
    }

    @Override
    public void writeSummary(JsonLine line) throws IOException {
        line.number("operations", operations());
        line.number("objects_held", result.objectsHeld());
        line.number("objects_kept", result.objectsKept());
    }

    private long operations() {
        return result.points().stream().mapToLong(Point::operations).sum();
    }

    static void write(JsonLine line, ObjectsResult.Interval interval) throws IOException {
        line.fraction("t", interval.t(), 3);
        line.fraction("per_second", interval.perSecond(), 1);
    }

    static String line(ObjectsResult.Interval interval) {
        return text("%6.1f s  %10.0f operations/s", interval.t(), interval.perSecond());
    }

    @Override
    public List<String> tables() {
        List<String> lines = new ArrayList<>();
        lines.add(
                "   size  operations/s      MB/s    min us   mean us    p50 us    p90 us    p99 us  p99.9 us p99.99 us"
                        + "    max us");
        for (Point point : result.points()) {
            lines.add(text(
                    "%7d  %12.0f  %8.1f  %8.1f  %8.1f  %8.1f  %8.1f  %8.1f  %8.1f  %8.1f  %8.1f",
                    point.sizeBytes(),
                    point.perSecond(),
                    point.bytesPerSecond() / 1e6,
                    point.minUs(),
                    point.meanUs(),
                    point.p50Us(),
                    point.p90Us(),
                    point.p99Us(),
                    point.p999Us(),
                    point.p9999Us(),
                    point.maxUs()));
        }
        return lines;
    }

    @Override
    public List<String> conclusion() {
        List<String> lines = new ArrayList<>();
        lines.add(text(
                "test    %s%s of %d objects with keys of %d bytes, %d at a time, each answer checked%s",
                ObjectsPlanView.op(result.plan()),
                result.plan().reads() == ObjectsPlan.Reads.RDMA ? " by RDMA out of the server's memory" : "",
                result.objectsHeld(),
                result.plan().keyBytes(),
                result.plan().concurrent(),
                result.whole() ? "" : ", which is not the whole test"));
        if (result.plan().logged()) {
            lines.add(text(
                    "log     %d objects were in it before; %d writes in it now, %d flushes in this test",
                    result.objectsKept(), result.logRecords(), result.logGroups()));
        }
        return lines;
    }

    @Override
    public List<String> csv() {
        List<String> lines = new ArrayList<>(List.of(CSV_HEADER));
        for (Point point : result.points()) {
            lines.add(text(
                    "%s,%s,%d,%d,%d,%.1f,%.1f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f",
                    ObjectsPlanView.op(result.plan()),
                    ObjectsPlanView.durable(result.plan()),
                    point.sizeBytes(),
                    point.concurrent(),
                    point.operations(),
                    point.perSecond(),
                    point.bytesPerSecond(),
                    point.minUs(),
                    point.meanUs(),
                    point.p50Us(),
                    point.p90Us(),
                    point.p99Us(),
                    point.p999Us(),
                    point.p9999Us(),
                    point.maxUs()));
        }
        return lines;
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
