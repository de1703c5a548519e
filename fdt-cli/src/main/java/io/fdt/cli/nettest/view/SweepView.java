package io.fdt.cli.nettest.view;

import io.fdt.cli.console.JsonLine;
import io.fdt.cli.value.Figures;
import io.fdt.core.nettest.SweepResult;
import io.fdt.core.nettest.SweepResult.Point;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The result of a streaming test, by mode and size. */
final class SweepView implements ResultView {
    private static final double MEGABYTE = 1e6;

    private final SweepResult result;

    SweepView(SweepResult result) {
        this.result = result;
    }

    @Override
    public void writeJson(JsonLine line) throws IOException {
        LaneModeFields.write(line, result.circumstances());
        line.startObjects("points");
        for (Point point : result.points()) {
            line.startObject();
            line.text("mode", SweepPlanView.word(point.mode()));
            line.text("protocol", protocol(point));
            line.number("size_bytes", point.sizeBytes());
            line.number("messages", point.messages());
            line.number("bursts", point.bursts());
            line.fraction("seconds", point.seconds(), 9);
            line.fraction("bytes_per_second", point.bytesPerSecond(), 1);
            line.endObject();
        }
        line.endObjects();
    }

    @Override
    public void writeSummary(JsonLine line) throws IOException {
        line.number(
                "bytes",
                result.points().stream()
                        .mapToLong(point -> point.messages() * point.sizeBytes())
                        .sum());
    }

    @Override
    public List<String> tables() {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                "%-11s %-10s %9s %8s %12s %10s %14s",
                "mode", "protocol", "size", "bursts", "messages", "MB/s", "messages/s"));
        for (Point point : result.points()) {
            lines.add(String.format(
                    Locale.ROOT,
                    "%-11s %-10s %9d %8d %12d %10.2f %14.0f",
                    SweepPlanView.word(point.mode()),
                    protocol(point),
                    point.sizeBytes(),
                    point.bursts(),
                    point.messages(),
                    point.bytesPerSecond() / MEGABYTE,
                    point.seconds() <= 0 ? 0 : point.messages() / point.seconds()));
        }
        return lines;
    }

    private String protocol(Point point) {
        return result.plan().protocolOf(point.sizeBytes()).name().toLowerCase(Locale.ROOT);
    }

    @Override
    public List<String> conclusion() {
        return List.of(
                LaneModeFields.text(result.circumstances()),
                "bursts  of " + Figures.count(result.plan().messages(), "message")
                        + ", each with one acknowledgement; blocking is a call a message, nonblocking many a call"
                        + (result.whole() ? "" : "; this is not the whole test"));
    }

    @Override
    public List<String> csv() {
        List<String> lines =
                new ArrayList<>(List.of("mode,protocol,size_bytes,messages,bursts,seconds,bytes_per_second"));
        for (Point point : result.points()) {
            lines.add(String.format(
                    Locale.ROOT,
                    "%s,%s,%d,%d,%d,%.9f,%.1f",
                    SweepPlanView.word(point.mode()),
                    protocol(point),
                    point.sizeBytes(),
                    point.messages(),
                    point.bursts(),
                    point.seconds(),
                    point.bytesPerSecond()));
        }
        return lines;
    }
}
