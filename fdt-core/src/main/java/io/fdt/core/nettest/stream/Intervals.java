package io.fdt.core.nettest.stream;

import io.fdt.core.nettest.NamedFigures;
import io.fdt.core.stats.CoreTimes;
import io.fdt.core.wire.NettestMessage.LaneState;
import io.fdt.core.wire.NettestMessage.SideState;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Computes the seconds of a throughput test from increasing counters. For one thread. */
public final class Intervals {
    private final int lanesOut;
    private final boolean tcp;
    private final List<NamedFigures> all = new ArrayList<>();
    private @Nullable SideState before;
    private @Nullable SideState remoteBefore;
    private List<Double> busyRemote = List.of();

    /** @param tcp whether the lanes have TCP figures */
    Intervals(int lanesOut, boolean tcp) {
        this.lanesOut = lanesOut;
        this.tcp = tcp;
    }

    NamedFigures add(SideState local, @Nullable SideState remote) {
        SideState earlier = before;
        before = local;
        double seconds = (local.elapsedNanos() - (earlier == null ? 0 : earlier.elapsedNanos())) / 1e9;
        List<Double> perStream = new ArrayList<>();
        double out = 0;
        double in = 0;
        long retransmits = 0;
        long rttUs = 0;
        for (int index = 0; index < local.lanes().size(); index++) {
            LaneState now = local.lanes().get(index);
            LaneState then = earlier == null ? null : earlier.lanes().get(index);
            double bits = seconds <= 0 ? 0 : (now.bytes() - (then == null ? 0 : then.bytes())) * 8 / seconds;
            perStream.add(bits);
            if (index < lanesOut) {
                out += bits;
                retransmits += now.retransmits() - (then == null ? 0 : then.retransmits());
                rttUs += now.rttUs();
            } else {
                in += bits;
            }
        }
        if (remote != null && (remoteBefore == null || remote.elapsedNanos() > remoteBefore.elapsedNanos())) {
            busyRemote = busy(remote, remoteBefore);
            remoteBefore = remote;
        }
        NamedFigures interval = figures(
                local.elapsedNanos() / 1e9,
                out,
                in,
                tcp ? retransmits : -1,
                !tcp ? -1 : lanesOut == 0 ? 0 : (int) (rttUs / lanesOut),
                perStream,
                busy(local, earlier),
                busyRemote);
        all.add(interval);
        return interval;
    }

    /**
     * The figures of about one second.
     *
     * @param t seconds from the start to its end
     * @param retransmits in it, of what the client sends; negative if the lanes do not use TCP
     * @param rttUs the mean of the lanes on which the client sends; 0 if unknown, negative if the lanes do not use TCP
     * @param perStream bits per second of each lane, as counted by the client
     * @param busyLocal the share of each core's time that was not idle
     * @param busyRemote the same for the server, as it last reported
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

    /** Cores that are added or removed meanwhile have no share. */
    private static List<Double> busy(SideState now, @Nullable SideState then) {
        List<Double> busy = new ArrayList<>();
        for (int at = 0; at < now.cores().size(); at++) {
            CoreTimes core = now.cores().get(at);
            CoreTimes before =
                    then == null || then.cores().size() != now.cores().size()
                            ? null
                            : then.cores().get(at);
            double total = core.totalMs() - (before == null ? 0 : before.totalMs());
            double idle = core.idleMs() - (before == null ? 0 : before.idleMs());
            busy.add(total <= 0 ? 0 : Math.max(0, Math.min(1, 1 - idle / total)));
        }
        return List.copyOf(busy);
    }
}
