package io.fdt.cli.nettest;

import io.fdt.cli.value.Figures;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.StreamFigures;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The path of a copy as the kernel of its sender sees it.
 *
 * @param lanes that are open
 * @param choice what the copy found about their number; null as long as it is the one it began with
 * @param rttUs the mean of the lanes; 0 where this end receives, which does not know it
 * @param minRttUs the shortest of all lanes
 * @param loss the share of the segments that were sent again
 * @param windowBits what the receiver's windows allow in a second
 */
record PathLook(int lanes, @Nullable String choice, double rttUs, long minRttUs, double loss, double windowBits) {
    private static final double SEGMENT_BYTES = 1448;
    /** Longer than the shortest by this, packets wait on the way. */
    private static final double QUEUEING = 1.5;

    private static final long QUEUEING_US = 2_000;

    /** Null where there is nothing to see. */
    static @Nullable PathLook at(SessionActivity session) {
        List<StreamFigures> open = session.lanes().stream()
                .filter(lane -> lane.isOpen())
                .map(lane -> lane.figures())
                .filter(Objects::nonNull)
                .toList();
        if (open.isEmpty()) {
            return null;
        }
        SessionActivity.LaneCount count = session.laneCount();
        SessionActivity.Work work = session.work();
        boolean sends = work != null && work.direction() == SessionActivity.Direction.OUT;
        double segments = open.stream().mapToLong(StreamFigures::ackedBytes).sum() / SEGMENT_BYTES;
        double lost = open.stream().mapToLong(StreamFigures::retransmits).sum();
        double rtt = open.stream().mapToLong(StreamFigures::rttUs).average().orElse(0);
        long minRtt = open.stream().mapToLong(StreamFigures::minRttUs).min().orElse(0);
        double windows = open.stream().mapToLong(StreamFigures::windowBytes).sum();
        return new PathLook(
                open.size(),
                count == null ? null : count.why(),
                sends ? rtt : 0,
                minRtt,
                segments + lost <= 0 ? 0 : lost / (segments + lost),
                rtt <= 0 ? 0 : 8e6 * windows / rtt);
    }

    List<String> evidence() {
        List<String> lines = new ArrayList<>();
        lines.add(Figures.count(lanes, "lane") + (choice == null ? ", as at the start" : ": " + choice));
        if (rttUs > 0) {
            String queue = rttUs > QUEUEING * minRttUs + QUEUEING_US ? ": packets queue on the path" : "";
            lines.add(String.format(
                    Locale.ROOT,
                    "round-trip time %.1f ms, the shortest %.1f ms%s",
                    rttUs / 1e3,
                    minRttUs / 1e3,
                    queue));
            lines.add(String.format(Locale.ROOT, "%.3f %% of all segments were sent again", 100 * loss));
            lines.add("the receiver's windows allow " + Figures.rate(windowBits));
        }
        return lines;
    }
}
