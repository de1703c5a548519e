package io.fdt.core.nettest;

import io.fdt.core.nettest.NettestPlan.Direction;
import io.fdt.core.nettest.NettestPlan.Durable;
import io.fdt.core.nettest.NettestPlan.Mode;
import io.fdt.core.nettest.NettestPlan.Op;
import io.fdt.core.nettest.NettestPlan.Receive;
import io.fdt.core.nettest.load.LoadSuite;
import io.fdt.core.nettest.objects.ObjectsSuite;
import io.fdt.core.nettest.stream.LatencySuite;
import io.fdt.core.nettest.stream.RpcSuite;
import io.fdt.core.nettest.stream.SweepSuite;
import io.fdt.core.nettest.stream.ThroughputSuite;
import java.util.List;

/** Plans of each suite with all values that tests choose, and the parts of their results. */
public final class Plans {
    private Plans() {}

    public static NettestPlan throughput(
            NettestPath path, int streams, Direction direction, int durationMs, int blockBytes, Receive receive) {
        return NettestPlan.of(ThroughputSuite.THROUGHPUT, path)
                .with(PlanValue.STREAMS, streams)
                .with(PlanValue.DIRECTION, direction)
                .with(PlanValue.DURATION, durationMs)
                .with(PlanValue.BLOCK_BYTES, blockBytes)
                .with(PlanValue.RECEIVE, receive);
    }

    public static NettestPlan sweep(
            NettestPath path, List<Integer> sizes, int messages, List<Mode> modes, int durationMs) {
        return NettestPlan.of(SweepSuite.SWEEP, path)
                .with(PlanValue.SIZES, sizes)
                .with(PlanValue.MESSAGES, messages)
                .with(PlanValue.MODES, modes)
                .with(PlanValue.DURATION, durationMs);
    }

    public static NettestPlan latency(NettestPath path, List<Integer> sizes, int iterations, boolean polling) {
        return NettestPlan.of(LatencySuite.LATENCY, path)
                .with(PlanValue.SIZES, sizes)
                .with(PlanValue.ITERATIONS, iterations)
                .with(PlanValue.BUSY_POLL, polling);
    }

    public static NettestPlan latency(
            NettestPath path, List<Integer> sizes, int iterations, boolean polling, QueueUse queues) {
        return latency(path, sizes, iterations, polling).with(PlanValue.QUEUES, queues);
    }

    public static NettestPlan rpc(
            NettestPath path, int requestBytes, List<Integer> sizes, int concurrent, int durationMs, boolean polling) {
        return NettestPlan.of(RpcSuite.RPC, path)
                .with(PlanValue.REQUEST_BYTES, requestBytes)
                .with(PlanValue.SIZES, sizes)
                .with(PlanValue.CONCURRENT, concurrent)
                .with(PlanValue.DURATION, durationMs)
                .with(PlanValue.BUSY_POLL, polling);
    }

    public static NettestPlan objects(
            NettestPath path,
            Op op,
            int keyBytes,
            List<Integer> sizes,
            int objects,
            int concurrent,
            Durable durable,
            boolean keep,
            int roundMs) {
        return NettestPlan.of(ObjectsSuite.OBJECTS, path)
                .with(PlanValue.OP, op)
                .with(PlanValue.KEY_BYTES, keyBytes)
                .with(PlanValue.SIZES, sizes)
                .with(PlanValue.OBJECTS, objects)
                .with(PlanValue.CONCURRENT, concurrent)
                .with(PlanValue.DURABLE, durable)
                .with(PlanValue.KEEP, keep)
                .with(PlanValue.DURATION, roundMs);
    }

    /** Reads from memory, with messages. */
    public static NettestPlan objects(
            NettestPath path, int keyBytes, List<Integer> sizes, int objects, int concurrent, int roundMs) {
        return objects(path, Op.READ, keyBytes, sizes, objects, concurrent, Durable.MEMORY, false, roundMs);
    }

    public static NettestPlan load(
            NettestPath path,
            int sizeBytes,
            List<Integer> offered,
            List<Integer> rxBuffers,
            List<Integer> txBuffers,
            int durationMs,
            boolean polling) {
        return NettestPlan.of(LoadSuite.LOAD, path)
                .with(PlanValue.SIZE_BYTES, sizeBytes)
                .with(PlanValue.OFFERED, offered)
                .with(PlanValue.RX_BUFFERS, rxBuffers)
                .with(PlanValue.TX_BUFFERS, txBuffers)
                .with(PlanValue.DURATION, durationMs)
                .with(PlanValue.BUSY_POLL, polling);
    }

    /** Returns the latencies of exchanges that took these nanoseconds. */
    public static Latencies latencies(long... nanos) {
        Latencies latencies = new Latencies();
        for (long each : nanos) {
            latencies.record(each);
        }
        return latencies;
    }
}
