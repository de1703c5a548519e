package io.fdt.core.nettest.stream;

import io.fdt.core.nettest.NamedFigures;
import io.fdt.core.stats.CoreTimes;
import io.fdt.core.wire.NettestMessage.LaneState;
import io.fdt.core.wire.NettestMessage.SideState;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes the seconds of a throughput test out of counters that only grow. One thread. */
public final class Intervals {
    private final int lanesOut;
    private final boolean tcp;
    private final List<NamedFigures> all = new ArrayList<>();
    private @Nullable SideState before;
    private @Nullable SideState remoteBefore;
    private List<Double> busyRemote = List.of();

    /** @param tcp whether the lanes have figures of TCP */
    Intervals(int lanesOut, boolean tcp) {
        this.lanesOut = lanesOut;
        this.tcp = tcp;
    }

    NamedFigures add(SideState local, @Nullable SideState remote) {
        SideState second = since(before, local);
        before = local;
        double seconds = second.elapsedNanos() / 1e9;
        List<Double> perStream = new ArrayList<>();
        double out = 0;
        double in = 0;
        long retransmits = 0;
        long rttUs = 0;
        for (LaneState lane : second.lanes()) {
            double bits = seconds <= 0 ? 0 : lane.bytes() * 8 / seconds;
            if (perStream.size() < lanesOut) {
                out += bits;
                retransmits += lane.retransmits();
                rttUs += lane.rttUs();
            } else {
                in += bits;
            }
            perStream.add(bits);
        }
        if (remote != null && (remoteBefore == null || remote.elapsedNanos() > remoteBefore.elapsedNanos())) {
            busyRemote = busy(since(remoteBefore, remote));
            remoteBefore = remote;
        }
        NamedFigures interval = figures(
                local.elapsedNanos() / 1e9,
                out,
                in,
                tcp ? retransmits : -1,
                !tcp ? -1 : lanesOut == 0 ? 0 : (int) (rttUs / lanesOut),
                perStream,
                busy(second),
                busyRemote);
        all.add(interval);
        return interval;
    }

    /**
     * About a second.
     *
     * @param t seconds since the start, at its end
     * @param retransmits in it, of what the client sends; negative where the lanes are not TCP
     * @param rttUs the mean of the lanes that the client sends on; 0 where unknown, negative where the lanes are not
     *     TCP
     * @param perStream bits a second of each lane, as the client counts
     * @param busyLocal the share of each core's time that was not idle
     * @param busyRemote the same of the server, as it said last
     */
    public static NamedFigures figures(
            double t,
            double bitsPerSecondOut,
            double bitsPerSecondIn,
            long retransmits,
            int rttUs,
            List<Double> perStream,
            List<Double> busyLocal,
            List<Double> busyRemote) {
        return new NamedFigures()
                .with("t", t, 3)
                .with("bits_per_second_out", bitsPerSecondOut, 1)
                .with("bits_per_second_in", bitsPerSecondIn, 1)
                .withKnown("retransmits", retransmits)
                .withKnown("rtt_us", rttUs)
                .with("per_stream", perStream, 1)
                .with("per_core_local", busyLocal, 4)
                .with("per_core_remote", busyRemote, 4);
    }

    List<NamedFigures> all() {
        return all;
    }

    private static SideState since(@Nullable SideState then, SideState now) {
        return then == null ? now : now.since(then);
    }

    private static List<Double> busy(SideState second) {
        return second.cores().stream().map(CoreTimes::busy).toList();
    }
}
