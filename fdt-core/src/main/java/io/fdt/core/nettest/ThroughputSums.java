package io.fdt.core.nettest;

import io.fdt.core.nettest.ThroughputResult.Core;
import io.fdt.core.nettest.ThroughputResult.Interval;
import io.fdt.core.nettest.ThroughputResult.Stream;
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
final class ThroughputSums {
    private static final LaneState NOTHING = new LaneState(0, 0, 0, false, 0, 0, 0, 0, 0, 0, 0, 0);

    private ThroughputSums() {}

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

    /** Of a test in which everything counts. */
    static ThroughputResult result(
            ThroughputPlan plan,
            String transport,
            HostFacts local,
            HostFacts remote,
            SideState here,
            @Nullable SideState there,
            List<Interval> intervals) {
        return result(plan, transport, local, remote, here, there, agree(here, there), intervals);
    }

    /**
     * The result.
     *
     * @param there the server's figures, which are older than the client's when the test did not come to its end
     * @param whole both sides agree on all that was sent, what does not count included
     */
    static ThroughputResult result(
            ThroughputPlan plan,
            String transport,
            HostFacts local,
            HostFacts remote,
            SideState here,
            @Nullable SideState there,
            boolean whole,
            List<Interval> intervals) {
        double seconds = here.elapsedNanos() / 1e9;
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
            LaneState sender = out ? own : far;
            LaneState receiver = out ? far : own;
            direct += receiver.direct() ? 1 : 0;
            long bytes = there == null ? own.bytes() : receiver.bytes();
            bytesOut += out ? bytes : 0;
            bytesIn += out ? 0 : bytes;
            Stream stream = stream(index, out, bytes, seconds, sender, receiver);
            streams.add(plan.path().carrier() == Carrier.TCP ? stream : stream.withoutTcp());
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
        return new ThroughputResult(
                transport, way, local, remote, plan, seconds, whole, bytesOut, bytesIn, cpuLocal, cpuRemote, streams,
                cores, intervals, verdict);
    }

    /** What the receiver did with the bytes where it took them by calls of its own. */
    private static Receive directWay(ThroughputPlan plan) {
        return plan.path().carrier().dropsInPlace() ? plan.receive() : Receive.COPY;
    }

    private static Stream stream(
            int index, boolean out, long bytes, double seconds, LaneState sender, LaneState receiver) {
        return new Stream(
                index,
                out,
                bytes,
                seconds <= 0 ? 0 : bytes * 8 / seconds,
                sender.retransmits(),
                sender.rttUs(),
                sender.cwndBytes(),
                sender.windowBytes(),
                sender.paceBytesPerSecond(),
                share(sender.busyUs() / 1e6, seconds),
                share(sender.receiverLimitedUs() / 1e6, seconds),
                share(sender.bufferLimitedUs() / 1e6, seconds),
                receiver.calls() == 0 ? 0 : (double) receiver.fullCalls() / receiver.calls());
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
