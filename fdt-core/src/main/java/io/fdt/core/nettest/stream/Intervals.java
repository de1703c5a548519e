package io.fdt.core.nettest.stream;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.stats.CoreTimes;
import io.fdt.core.wire.NettestMessage.LaneState;
import io.fdt.core.wire.NettestMessage.SideState;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Computes the seconds of a throughput test from increasing counters. For one thread. */
public final class Intervals {
    /** A figure that is not shown: zero would say that nothing is lost. */
    public static final int UNKNOWN = -1;

    private final int lanesOut;
    private final boolean sendsOverTcp;
    private final List<JsonObject> all = new ArrayList<>();
    private @Nullable SideState before;
    private @Nullable SideState remoteBefore;
    private List<Double> busyRemote = List.of();

    /**
     * The share of each core's time that was not idle.
     *
     * @param remote of the server's cores, as it last reported
     */
    public record Busy(List<Double> local, List<Double> remote) {}

    /** @param tcp whether the lanes have TCP figures */
    Intervals(int lanesOut, boolean tcp) {
        this.lanesOut = lanesOut;
        this.sendsOverTcp = tcp && lanesOut > 0;
    }

    JsonObject add(SideState local, @Nullable SideState remote) {
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
        JsonObject interval = figures(
                local.elapsedNanos() / 1e9,
                out,
                in,
                sendsOverTcp ? retransmits : UNKNOWN,
                sendsOverTcp ? (int) (rttUs / lanesOut) : UNKNOWN,
                perStream,
                new Busy(busy(second), busyRemote));
        all.add(interval);
        return interval;
    }

    /**
     * The figures of about one second.
     *
     * @param t seconds from the start to its end
     * @param retransmits in it, of what the client sends; {@link #UNKNOWN} without lanes over TCP on which it does, and
     *     if these do not tell
     * @param rttUs the mean of these lanes, 0 before it is measured; {@link #UNKNOWN} in the same cases
     * @param perStream bits per second of each lane, as counted by the client
     */
    public static JsonObject figures(
            double t,
            double bitsPerSecondOut,
            double bitsPerSecondIn,
            long retransmits,
            int rttUs,
            List<Double> perStream,
            Busy busy) {
        return new JsonObject()
                .with("t", t, 3)
                .with("bits_per_second_out", bitsPerSecondOut, 1)
                .with("bits_per_second_in", bitsPerSecondIn, 1)
                .withKnown("retransmits", retransmits)
                .withKnown("rtt_us", rttUs)
                .with("per_stream", perStream, 1)
                .with("per_core_local", busy.local(), 4)
                .with("per_core_remote", busy.remote(), 4);
    }

    List<JsonObject> all() {
        return all;
    }

    private static SideState since(@Nullable SideState then, SideState now) {
        return then == null ? now : now.since(then);
    }

    private static List<Double> busy(SideState second) {
        return second.cores().stream().map(CoreTimes::busy).toList();
    }
}
