package io.fdt.cli.nettest;

import io.fdt.core.basic.Figures;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.StreamFigures;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The path of a copy as seen by its sender's kernel. */
final class PathEvidence {
    private static final double SEGMENT_BYTES = 1448;

    /** If the round trip exceeds the shortest one by this factor, packets are queued on the path. */
    private static final double QUEUEING = 1.5;

    private static final long QUEUEING_US = 2_000;

    private PathEvidence() {}

    /** The number of open lanes and the figures of their path, as evidence of a verdict; empty if there are none. */
    static List<String> evidence(SessionActivity session) {
        List<StreamFigures> open = session.lanes().stream()
                .filter(lane -> lane.isOpen())
                .map(lane -> lane.figures())
                .filter(Objects::nonNull)
                .toList();
        if (open.isEmpty()) {
            return List.of();
        }
        List<String> lines = new ArrayList<>();
        SessionActivity.LaneCount found = session.state().laneCount();
        lines.add(Figures.count(open.size(), "lane") + (found == null ? ", as at the start" : ": " + found.why()));
        SessionActivity.Work work = session.state().work();
        double rttUs = open.stream()
                .mapToLong(figures -> figures.roundTrip().us())
                .average()
                .orElse(0);
        // The receiving end does not know it.
        if (work != null && work.direction() == SessionActivity.Direction.OUT && rttUs > 0) {
            long minRttUs = open.stream()
                    .mapToLong(figures -> figures.roundTrip().minUs())
                    .min()
                    .orElse(0);
            String queue = rttUs > QUEUEING * minRttUs + QUEUEING_US ? ": packets queue on the path" : "";
            lines.add(Figures.text(
                    "round-trip time %.1f ms, the shortest %.1f ms%s", rttUs / 1e3, minRttUs / 1e3, queue));
            double segments = open.stream().mapToLong(StreamFigures::ackedBytes).sum() / SEGMENT_BYTES;
            double lost = open.stream().mapToLong(StreamFigures::retransmits).sum();
            double loss = segments + lost <= 0 ? 0 : lost / (segments + lost);
            lines.add(Figures.text("%.3f %% of all segments were sent again", 100 * loss));
            double windows = open.stream()
                    .mapToLong(figures -> figures.windows().receiverBytes())
                    .sum();
            lines.add("the receiver's windows allow " + Figures.rate(8e6 * windows / rttUs));
        }
        return lines;
    }
}
