package io.fdt.cli.nettest.view;

import io.fdt.cli.console.JsonLine;
import io.fdt.cli.value.Figures;
import io.fdt.core.nettest.LoadLimit;
import io.fdt.core.nettest.LoadPlan.Pool;
import io.fdt.core.nettest.LoadResult;
import io.fdt.core.nettest.LoadResult.Point;
import io.fdt.core.nettest.LoadVerdict;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The result of the test under load: a row for every step of every pool, and what ran out. */
final class LoadView implements ResultView {
    private static final double PERCENT = 100;

    private final LoadResult result;

    LoadView(LoadResult result) {
        this.result = result;
    }

    @Override
    public void writeJson(JsonLine line) throws IOException {
        LaneModeFields.write(line, result.circumstances());
        line.text("what", "due-to-answer");
        line.text("loop", "open");
        line.number("size_bytes", result.plan().sizeBytes());
        line.fraction("closed_loop_per_second", result.capacityPerSecond(), 1);
        line.startObjects("points");
        for (Point point : result.points()) {
            line.startObject();
            line.number("rx_buffers", point.pool().rxBuffers());
            line.number("tx_buffers", point.pool().txBuffers());
            line.number("offered_per_second", point.offeredPerSecond());
            line.fraction("achieved_per_second", point.achievedPerSecond(), 1);
            line.number("offered", point.offered());
            line.number("done", point.done());
            line.number("never_sent", point.offered() - point.done());
            line.fraction("seconds", point.seconds(), 6);
            LatencyFields.write(line, point.latencies());
            line.fraction("completions_per_poll", point.client().mean(), 3);
            line.number("most_completions", point.client().most());
            line.fraction("full_polls", point.client().fullShare(), 4);
            line.fraction("server_completions_per_poll", point.server().mean(), 3);
            line.number("server_most_completions", point.server().most());
            line.fraction("server_full_polls", point.server().fullShare(), 4);
            line.fraction("server_split_polls", point.serverSplitShare(), 4);
            line.number("server_requests", point.server().messages());
            line.number("most_in_flight", point.mostInFlight());
            line.number("tx_waits", point.txWaits());
            line.fraction("tx_wait_seconds", point.txWaitSeconds(), 6);
            line.fraction("busy_local", point.clientBusy(), 4);
            line.fraction("busy_remote", point.serverBusy(), 4);
            line.texts("ran_out", point.ranOut().stream().map(LoadView::word).toList());
            line.endObject();
        }
        line.endObjects();
        line.startObjects("pools");
        for (LoadVerdict verdict : result.verdicts()) {
            line.startObject();
            line.number("rx_buffers", verdict.pool().rxBuffers());
            line.number("tx_buffers", verdict.pool().txBuffers());
            line.numberIfKnown(
                    "kept_up_to",
                    verdict.keptUp() == null ? -1 : verdict.keptUp().offeredPerSecond());
            line.fraction("best_per_second", verdict.best().achievedPerSecond(), 1);
            line.numberIfKnown(
                    "falls_at", verdict.fall() == null ? -1 : verdict.fall().offeredPerSecond());
            line.texts("ran_out", ranOut(verdict));
            line.text("sentence", sentence(verdict));
            line.endObject();
        }
        line.endObjects();
    }

    static String word(LoadLimit limit) {
        return limit.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static List<String> ranOut(LoadVerdict verdict) {
        Point shortfall = verdict.shortfall();
        return shortfall == null
                ? List.of()
                : shortfall.ranOut().stream().map(LoadView::word).toList();
    }

    private static String sentence(LoadVerdict verdict) {
        Point shortfall = verdict.shortfall();
        Point keptUp = verdict.keptUp();
        if (shortfall == null) {
            return text("all was done%s", keptUp == null ? "" : text(", up to %d a second", keptUp.offeredPerSecond()));
        }
        Point fall = verdict.fall();
        return (keptUp == null ? "" : text("all was done up to %d a second; ", keptUp.offeredPerSecond()))
                + text(
                        "of %d only %.0f, where %s ran out",
                        shortfall.offeredPerSecond(),
                        shortfall.achievedPerSecond(),
                        String.join(" and ", ranOut(verdict)))
                + text("; at most %.0f", verdict.best().achievedPerSecond())
                + (fall == null
                        ? ""
                        : text(", falling to %.0f of %d", fall.achievedPerSecond(), fall.offeredPerSecond()));
    }

    @Override
    public void writeSummary(JsonLine line) throws IOException {
        long done = result.points().stream().mapToLong(Point::done).sum();
        line.number("bytes", 2 * done * result.plan().sizeBytes());
        line.number(
                "offered", result.points().stream().mapToLong(Point::offered).sum());
        line.number("done", done);
    }

    @Override
    public List<String> tables() {
        List<String> lines = new ArrayList<>();
        lines.add("from when a request was due until its whole answer, in microseconds; c/p is completions a poll");
        lines.add(text(
                "%6s %6s %10s %10s %9s %9s %9s %9s %9s %7s %7s  %s",
                "rx", "tx", "offered/s", "done/s", "p50", "p90", "p99", "p99.9", "max", "c/p", "there", "ran out"));
        for (Point point : result.points()) {
            lines.add(text(
                    "%6d %6d %10d %10.0f %9.1f %9.1f %9.1f %9.1f %9.1f %7.2f %7.2f  %s",
                    point.pool().rxBuffers(),
                    point.pool().txBuffers(),
                    point.offeredPerSecond(),
                    point.achievedPerSecond(),
                    point.latencies().percentileUs(50),
                    point.latencies().percentileUs(90),
                    point.latencies().percentileUs(99),
                    point.latencies().percentileUs(99.9),
                    point.latencies().maxUs(),
                    point.client().mean(),
                    point.server().mean(),
                    evidence(point)));
        }
        return lines;
    }

    /** What ran out and the figure that says so. */
    private static String evidence(Point point) {
        List<String> words = new ArrayList<>();
        for (LoadLimit limit : point.ranOut()) {
            words.add(
                    switch (limit) {
                        case SERVER_CORE -> text("server-core (%.0f %% busy)", PERCENT * point.serverBusy());
                        case CLIENT_CORE -> text("client-core (%.0f %% busy)", PERCENT * point.clientBusy());
                        case SERVER_RX ->
                            text(
                                    "server-rx (%.0f %% full)",
                                    PERCENT * point.server().fullShare());
                        case SERVER_TX -> text("server-tx (%.0f %% split)", PERCENT * point.serverSplitShare());
                        case CLIENT_RX ->
                            text(
                                    "client-rx (%.0f %% full)",
                                    PERCENT * point.client().fullShare());
                        case CLIENT_TX -> text("client-tx (none free %.0f %%)", PERCENT * point.txWaitShare());
                        case UNKNOWN -> word(limit);
                    });
        }
        return String.join(", ", words);
    }

    @Override
    public List<String> conclusion() {
        List<String> lines = new ArrayList<>();
        lines.add(LaneModeFields.text(result.circumstances()));
        lines.add(text(
                "asked   open loop, %s there and back, every request counted from when it was due%s%s",
                Figures.exactBytes(result.plan().sizeBytes()),
                result.plan().polling() ? "; the server polls, too" : "",
                result.whole() ? "" : "; this is not the whole test"));
        lines.add(text("closed  %.0f requests a second with the largest pools", result.capacityPerSecond()));
        for (LoadVerdict verdict : result.verdicts()) {
            Pool pool = verdict.pool();
            lines.add(text("pool    %d rx, %d tx: %s", pool.rxBuffers(), pool.txBuffers(), sentence(verdict)));
        }
        return lines;
    }

    @Override
    public List<String> csv() {
        List<String> lines = new ArrayList<>(List.of(
                "rx_buffers,tx_buffers,offered_per_second,achieved_per_second,offered,done,completions_per_poll,"
                        + "server_completions_per_poll,tx_waits,tx_wait_seconds,busy_local,busy_remote,ran_out,"
                        + LatencyFields.CSV_COLUMNS));
        for (Point point : result.points()) {
            lines.add(text(
                    "%d,%d,%d,%.1f,%d,%d,%.3f,%.3f,%d,%.6f,%.4f,%.4f,%s,%s",
                    point.pool().rxBuffers(),
                    point.pool().txBuffers(),
                    point.offeredPerSecond(),
                    point.achievedPerSecond(),
                    point.offered(),
                    point.done(),
                    point.client().mean(),
                    point.server().mean(),
                    point.txWaits(),
                    point.txWaitSeconds(),
                    point.clientBusy(),
                    point.serverBusy(),
                    String.join(" ", point.ranOut().stream().map(LoadView::word).toList()),
                    LatencyFields.csv(point.latencies())));
        }
        return lines;
    }

    static String line(LoadResult.Interval interval) {
        return interval.step() == 0
                ? text("%6.1f s  finding out what the path can do: %d done", interval.t(), interval.done())
                : text(
                        "%6.1f s  step %d of %d, %d rx, %d tx, %d a second: %d done",
                        interval.t(),
                        interval.step(),
                        interval.steps(),
                        interval.pool().rxBuffers(),
                        interval.pool().txBuffers(),
                        interval.offeredPerSecond(),
                        interval.done());
    }

    static void write(JsonLine line, LoadResult.Interval interval) throws IOException {
        line.fraction("t", interval.t(), 3);
        line.number("step", interval.step());
        line.number("steps", interval.steps());
        line.number("rx_buffers", interval.pool().rxBuffers());
        line.number("tx_buffers", interval.pool().txBuffers());
        line.number("offered_per_second", interval.offeredPerSecond());
        line.number("done", interval.done());
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
