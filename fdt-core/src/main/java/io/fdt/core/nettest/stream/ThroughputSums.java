package io.fdt.core.nettest.stream;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.Word;
import io.fdt.core.nettest.Circumstances;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestPlan.Receive;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.stats.CoreTimes;
import io.fdt.core.stats.LanePlace;
import io.fdt.core.transport.Carrier;
import io.fdt.core.wire.NettestMessage.LaneState;
import io.fdt.core.wire.NettestMessage.SideState;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Creates the result of a throughput test from the last figures of both sides. Pure functions. */
public final class ThroughputSums {
    private static final LaneState NOTHING = new LaneState(0, 0, 0, false, 0, 0, 0, 0, 0, 0, 0, 0, LanePlace.UNKNOWN);
    private static final int UNKNOWN = -1;
    private static final int SEGMENT_BYTES = 1448;

    private ThroughputSums() {}

    /** The figures of each stream, core and interval. */
    public record Rows(List<JsonObject> streams, List<JsonObject> cores, List<JsonObject> intervals) {}

    /** The result, from what counts on both sides; the server's figures are older if the test was ended early. */
    static NettestResult result(
            NettestPlan plan,
            Circumstances all,
            SideState here,
            @Nullable SideState there,
            List<JsonObject> intervals) {
        double seconds = here.elapsedNanos() / 1e9;
        boolean tcp = plan.path().carrier() == Carrier.TCP;
        List<JsonObject> streams = new ArrayList<>();
        long[] bytes = new long[2];
        int direct = 0;
        for (int index = 0; index < here.lanes().size(); index++) {
            boolean out = index < plan.lanesOut();
            LaneState own = here.lanes().get(index);
            LaneState far = there == null || index >= there.lanes().size()
                    ? NOTHING
                    : there.lanes().get(index);
            LaneState receiver = out ? far : own;
            direct += receiver.direct() ? 1 : 0;
            long counted = there == null ? own.bytes() : receiver.bytes();
            bytes[out ? 0 : 1] += counted;
            streams.add(stream(index, out, counted, seconds, out ? own : far, receiver, tcp));
        }
        String way = direct == here.lanes().size() ? Word.of(directWay(plan)) : "blocks";
        List<JsonObject> cores = new ArrayList<>(cores("local", here.cores()));
        if (there != null) {
            cores.addAll(cores("remote", there.cores()));
        }
        double cpuLocal = here.cpuNanos() / 1e9;
        double cpuRemote = there == null ? Double.NaN : there.cpuNanos() / 1e9;
        double cpuAlike = there == null ? 0 : cpuRemote / Math.max(1e-9, there.elapsedNanos() / 1e9) * seconds;
        JsonObject verdict = Diagnosis.of(all.counted(seconds, cpuLocal, cpuAlike), streams, cores);
        Circumstances counted = all.counted(seconds, cpuLocal, cpuRemote);
        return result(plan, counted, way, bytes[0], bytes[1], new Rows(streams, cores, intervals), verdict);
    }

    /** The result from these sums. The receive mode is a word of {@link Receive}, {@code blocks}, or {@code engine}. */
    public static NettestResult result(
            NettestPlan plan,
            Circumstances circumstances,
            String receiveWay,
            long bytesOut,
            long bytesIn,
            Rows rows,
            JsonObject verdict) {
        double seconds = circumstances.seconds();
        double out = seconds <= 0 ? 0 : bytesOut * 8 / seconds;
        double in = seconds <= 0 ? 0 : bytesIn * 8 / seconds;
        long bytes = bytesOut + bytesIn;
        JsonObject figures = new JsonObject()
                .with("receive", receiveWay)
                .with("via", receiveWay.equals("engine") ? "engine" : "lanes")
                .with("streams", plan.streams())
                .with("bits_per_second_out", out, 1)
                .with("bits_per_second_in", in, 1)
                .with("bits_per_second", out + in, 1)
                .with("bytes_out", bytesOut)
                .with("bytes_in", bytesIn)
                .with(
                        "cpu_seconds_per_gb_local",
                        perGigabyte(circumstances.local().cpuSeconds(), bytes),
                        4)
                .with(
                        "cpu_seconds_per_gb_remote",
                        perGigabyte(circumstances.remote().cpuSeconds(), bytes),
                        4)
                .with("per_stream", rows.streams())
                .with("per_core", rows.cores())
                .with("intervals", List.copyOf(rows.intervals()))
                .with("verdict", verdict);
        JsonObject summary = new JsonObject()
                .with("bytes", bytes)
                .with("bits_per_second", out + in, 1)
                .with("receive", receiveWay)
                .with("limit", verdict.text("limit"));
        return new NettestResult(plan, circumstances, figures, summary);
    }

    /** The bottleneck of a test: the word of a {@link Limit}, or that of a copy, and the figures it is based on. */
    public static JsonObject verdict(String limit, String sentence, List<String> evidence) {
        return new JsonObject().with("limit", limit).with("sentence", sentence).with("evidence", evidence);
    }

    /** Returns about the share of the segments of these streams that TCP sent again; 0 if nothing was sent. */
    public static double lossRatio(List<JsonObject> streams) {
        long bytes = streams.stream().mapToLong(stream -> stream.count("bytes")).sum();
        long again = streams.stream()
                .mapToLong(stream -> stream.count("retransmits"))
                .sum();
        return bytes <= 0 ? 0 : again * (double) SEGMENT_BYTES / bytes;
    }

    private static double perGigabyte(double cpuSeconds, long bytes) {
        return bytes == 0 ? 0 : cpuSeconds / (bytes / 1e9);
    }

    /** What the receiver did with the bytes if its threads received them with their own calls. */
    private static Receive directWay(NettestPlan plan) {
        return plan.get(NettestValue.RECEIVE);
    }

    /**
     * One lane: shares of the time in which its sender had data in flight, and was limited by the receiver's window and
     * by the send buffer; the share of its receiver's calls that filled their buffer; and the cores of both threads and
     * of the receiver's kernel.
     *
     * @param bytes that its receiver counted, or as many as are known
     */
    private static JsonObject stream(
            int index, boolean out, long bytes, double seconds, LaneState sender, LaneState receiver, boolean tcp) {
        return new JsonObject()
                .with("stream", index)
                .with("direction", out ? "out" : "in")
                .with("bytes", bytes)
                .with("bits_per_second", seconds <= 0 ? 0 : bytes * 8 / seconds, 1)
                .withKnown("retransmits", tcp ? sender.retransmits() : UNKNOWN)
                .withKnown("rtt_us", tcp ? sender.rttUs() : UNKNOWN)
                .withKnown("cwnd_bytes", tcp ? sender.cwndBytes() : UNKNOWN)
                .withKnown("window_bytes", tcp ? sender.windowBytes() : UNKNOWN)
                .with("busy", tcp ? share(sender.busyUs() / 1e6, seconds) : Double.NaN, 4)
                .with("receiver_limited", tcp ? share(sender.receiverLimitedUs() / 1e6, seconds) : Double.NaN, 4)
                .with("buffer_limited", tcp ? share(sender.bufferLimitedUs() / 1e6, seconds) : Double.NaN, 4)
                .with("backlog", receiver.calls() == 0 ? 0 : (double) receiver.fullCalls() / receiver.calls(), 4)
                .withKnown("sender_core", sender.place().core())
                .withKnown("core", receiver.place().core())
                .withKnown("incoming_core", receiver.place().incomingCore())
                .with("incoming_napi_id", receiver.place().incomingQueue());
    }

    /** Shares of each core's time. */
    public static List<JsonObject> cores(String side, List<CoreTimes> cores) {
        List<JsonObject> rows = new ArrayList<>();
        for (CoreTimes core : cores) {
            double total = core.totalMs();
            rows.add(new JsonObject()
                    .with("side", side)
                    .with("core", core.core())
                    .with("user", share((double) core.userMs(), total), 4)
                    .with("system", share((double) core.systemMs(), total), 4)
                    .with("softirq", share((double) core.softirqMs(), total), 4)
                    .with("other", share((double) core.otherMs(), total), 4)
                    .with("idle", total <= 0 ? 1 : share((double) core.idleMs(), total), 4));
        }
        return rows;
    }

    private static double share(double part, double whole) {
        return whole <= 0 ? 0 : Math.max(0, Math.min(1, part / whole));
    }
}
