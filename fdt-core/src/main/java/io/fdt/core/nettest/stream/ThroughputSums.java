package io.fdt.core.nettest.stream;

import io.fdt.core.nettest.Circumstances;
import io.fdt.core.nettest.LaneMode;
import io.fdt.core.nettest.NamedFigures;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.PlanValue;
import io.fdt.core.transport.Carrier;
import io.fdt.core.wire.NettestMessage.CoreState;
import io.fdt.core.wire.NettestMessage.HostFacts;
import io.fdt.core.wire.NettestMessage.LaneState;
import io.fdt.core.wire.NettestMessage.Receive;
import io.fdt.core.wire.NettestMessage.SideState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Makes the result of a throughput test out of the last figures of both sides. Pure. */
public final class ThroughputSums {
    private static final LaneState NOTHING = new LaneState(0, 0, 0, false, 0, 0, 0, 0, 0, 0, 0, 0);
    private static final int UNKNOWN = -1;

    private ThroughputSums() {}

    /**
     * One lane.
     *
     * @param out from the client to the server
     * @param bytes that its receiver counted, or as many as are known
     * @param retransmits that its sender made; what only TCP tells is negative, or not a number, where that is unknown
     * @param busyShare of the time that its sender had data under way
     * @param receiverLimitedShare of the time that the receiver's window held the sender back
     * @param bufferLimitedShare of the time that the send buffer held it back
     * @param backlogShare of its receiver's looks that found as much as could be taken at once
     * @param senderCore that the sender's thread ran on last; -1 when unknown
     * @param core that the receiver's thread ran on last; -1 when unknown
     * @param incomingCore that the receiver's kernel worked on its packets on; -1 when unknown
     * @param incomingQueue that kernel's number of the queue that they came through; 0 for none
     */
    public record Stream(
            int stream,
            boolean out,
            long bytes,
            double bitsPerSecond,
            long retransmits,
            int rttUs,
            long cwndBytes,
            long windowBytes,
            double busyShare,
            double receiverLimitedShare,
            double bufferLimitedShare,
            double backlogShare,
            int senderCore,
            int core,
            int incomingCore,
            int incomingQueue) {
        boolean hasTcp() {
            return retransmits >= 0;
        }

        private NamedFigures figures() {
            return new NamedFigures()
                    .with("stream", stream)
                    .with("direction", out ? "out" : "in")
                    .with("bytes", bytes)
                    .with("bits_per_second", bitsPerSecond, 1)
                    .withKnown("retransmits", retransmits)
                    .withKnown("rtt_us", rttUs)
                    .withKnown("cwnd_bytes", cwndBytes)
                    .withKnown("window_bytes", windowBytes)
                    .with("busy", busyShare, 4)
                    .with("receiver_limited", receiverLimitedShare, 4)
                    .with("buffer_limited", bufferLimitedShare, 4)
                    .with("backlog", backlogShare, 4)
                    .withKnown("sender_core", senderCore)
                    .withKnown("core", core)
                    .withKnown("incoming_core", incomingCore)
                    .with("incoming_napi_id", incomingQueue);
        }
    }

    /** Shares of one core's time, from 0 to 1. */
    public record Core(boolean local, int core, double user, double system, double softirq, double other, double idle) {
        double busy() {
            return 1 - idle;
        }

        private NamedFigures figures() {
            return new NamedFigures()
                    .with("side", local ? "local" : "remote")
                    .with("core", core)
                    .with("user", user, 4)
                    .with("system", system, 4)
                    .with("softirq", softirq, 4)
                    .with("other", other, 4)
                    .with("idle", idle, 4);
        }
    }

    /** Whether both sides have counted the same of every lane, as at the end of a test. */
    static boolean agree(SideState here, @Nullable SideState there) {
        if (there == null) {
            return false;
        }
        boolean same = true;
        for (int index = 0; index < here.lanes().size(); index++) {
            long far = index < there.lanes().size() ? there.lanes().get(index).bytes() : 0;
            same &= here.lanes().get(index).bytes() == far;
        }
        return same;
    }

    /**
     * The result.
     *
     * @param there the server's figures, which are older than the client's when the test did not come to its end
     * @param whole both sides agree on all that was sent, what does not count included
     */
    static NettestResult result(
            NettestPlan plan,
            String transport,
            HostFacts local,
            HostFacts remote,
            SideState here,
            @Nullable SideState there,
            boolean whole,
            List<NamedFigures> intervals) {
        double seconds = here.elapsedNanos() / 1e9;
        boolean tcp = plan.path().carrier() == Carrier.TCP;
        List<Stream> streams = new ArrayList<>();
        long bytesOut = 0;
        long bytesIn = 0;
        int direct = 0;
        for (int index = 0; index < here.lanes().size(); index++) {
            boolean out = index < plan.lanesOut();
            LaneState own = here.lanes().get(index);
            LaneState far = there == null || index >= there.lanes().size()
                    ? NOTHING
                    : there.lanes().get(index);
            LaneState receiver = out ? far : own;
            direct += receiver.direct() ? 1 : 0;
            long bytes = there == null ? own.bytes() : receiver.bytes();
            bytesOut += out ? bytes : 0;
            bytesIn += out ? 0 : bytes;
            streams.add(stream(index, out, bytes, seconds, out ? own : far, receiver, tcp));
        }
        String way = direct == here.lanes().size() ? directWay(plan).name().toLowerCase(Locale.ROOT) : "blocks";
        List<Core> cores = new ArrayList<>();
        addCores(cores, true, here);
        if (there != null) {
            addCores(cores, false, there);
        }
        double cpuLocal = here.cpuNanos() / 1e9;
        double cpuRemote = there == null ? Double.NaN : there.cpuNanos() / 1e9;
        Verdict verdict = Diagnosis.of(new Diagnosis.Figures(
                local,
                remote,
                seconds,
                streams,
                cores,
                cpuLocal,
                there == null ? 0 : cpuRemote / Math.max(1e-9, there.elapsedNanos() / 1e9) * seconds));
        Circumstances circumstances = new Circumstances(
                transport, local, remote, seconds, whole, cpuLocal, cpuRemote, LaneMode.of(here), LaneMode.of(there));
        return result(plan, circumstances, way, bytesOut, bytesIn, streams, cores, intervals, verdict);
    }

    /**
     * The result of these sums.
     *
     * @param receiveWay how the received bytes were taken: {@code discard}, {@code copy}, or {@code blocks} where the
     *     lanes' ordinary way was the only one; {@code engine} for the test through everything that copies files
     */
    public static NettestResult result(
            NettestPlan plan,
            Circumstances circumstances,
            String receiveWay,
            long bytesOut,
            long bytesIn,
            List<Stream> streams,
            List<Core> cores,
            List<NamedFigures> intervals,
            Verdict verdict) {
        double seconds = circumstances.seconds();
        double out = seconds <= 0 ? 0 : bytesOut * 8 / seconds;
        double in = seconds <= 0 ? 0 : bytesIn * 8 / seconds;
        long bytes = bytesOut + bytesIn;
        NamedFigures figures = new NamedFigures()
                .with("receive", receiveWay)
                .with("via", receiveWay.equals("engine") ? "engine" : "lanes")
                .with("streams", plan.streams())
                .with("bits_per_second_out", out, 1)
                .with("bits_per_second_in", in, 1)
                .with("bits_per_second", out + in, 1)
                .with("bytes_out", bytesOut)
                .with("bytes_in", bytesIn)
                .with("cpu_seconds_per_gb_local", perGigabyte(circumstances.cpuSecondsLocal(), bytes), 4)
                .with("cpu_seconds_per_gb_remote", perGigabyte(circumstances.cpuSecondsRemote(), bytes), 4)
                .with("per_stream", streams.stream().map(Stream::figures).toList())
                .with("per_core", cores.stream().map(Core::figures).toList())
                .with("intervals", List.copyOf(intervals))
                .with(
                        "verdict",
                        new NamedFigures()
                                .with("limit", verdict.limit())
                                .with("sentence", verdict.sentence())
                                .with("evidence", verdict.evidence()));
        NamedFigures summary = new NamedFigures()
                .with("bytes", bytes)
                .with("bits_per_second", out + in, 1)
                .with("limit", verdict.limit());
        return new NettestResult(plan, circumstances, figures, summary);
    }

    private static double perGigabyte(double cpuSeconds, long bytes) {
        return bytes == 0 ? 0 : cpuSeconds / (bytes / 1e9);
    }

    /** What the receiver did with the bytes where it took them by calls of its own. */
    private static Receive directWay(NettestPlan plan) {
        return plan.path().carrier().dropsInPlace() ? plan.get(PlanValue.RECEIVE) : Receive.COPY;
    }

    private static Stream stream(
            int index, boolean out, long bytes, double seconds, LaneState sender, LaneState receiver, boolean tcp) {
        return new Stream(
                index,
                out,
                bytes,
                seconds <= 0 ? 0 : bytes * 8 / seconds,
                tcp ? sender.retransmits() : UNKNOWN,
                tcp ? sender.rttUs() : UNKNOWN,
                tcp ? sender.cwndBytes() : UNKNOWN,
                tcp ? sender.windowBytes() : UNKNOWN,
                tcp ? share(sender.busyUs() / 1e6, seconds) : Double.NaN,
                tcp ? share(sender.receiverLimitedUs() / 1e6, seconds) : Double.NaN,
                tcp ? share(sender.bufferLimitedUs() / 1e6, seconds) : Double.NaN,
                receiver.calls() == 0 ? 0 : (double) receiver.fullCalls() / receiver.calls(),
                sender.place().core(),
                receiver.place().core(),
                receiver.place().incomingCore(),
                receiver.place().incomingQueue());
    }

    private static void addCores(List<Core> cores, boolean local, SideState side) {
        for (CoreState core : side.cores()) {
            double total = Intervals.total(core);
            cores.add(new Core(
                    local,
                    core.core(),
                    share((double) core.userMs(), total),
                    share((double) core.systemMs(), total),
                    share((double) core.softirqMs(), total),
                    share((double) core.otherMs(), total),
                    total <= 0 ? 1 : share((double) core.idleMs(), total)));
        }
    }

    private static double share(double part, double whole) {
        return whole <= 0 ? 0 : Math.max(0, Math.min(1, part / whole));
    }
}
