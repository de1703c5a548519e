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
                .with(NettestValue.STREAMS, streams)
                .with(NettestValue.DIRECTION, direction)
                .with(NettestValue.DURATION, durationMs)
                .with(NettestValue.BLOCK_BYTES, blockBytes)
                .with(NettestValue.RECEIVE, receive);
    }

    public static NettestPlan sweep(
            NettestPath path, List<Integer> sizes, int messages, List<Mode> modes, int durationMs) {
        return NettestPlan.of(SweepSuite.SWEEP, path)
                .with(NettestValue.SIZES, sizes)
                .with(NettestValue.MESSAGES, messages)
                .with(NettestValue.MODES, modes)
                .with(NettestValue.DURATION, durationMs);
    }

    public static NettestPlan latency(NettestPath path, List<Integer> sizes, int iterations, boolean polling) {
        return NettestPlan.of(LatencySuite.LATENCY, path)
                .with(NettestValue.SIZES, sizes)
                .with(NettestValue.ITERATIONS, iterations)
                .with(NettestValue.BUSY_POLL, polling);
    }

    public static NettestPlan latency(
            NettestPath path, List<Integer> sizes, int iterations, boolean polling, QueueUse queues) {
        return latency(path, sizes, iterations, polling).with(NettestValue.QUEUES, queues);
    }

    public static NettestPlan rpc(
            NettestPath path, int requestBytes, List<Integer> sizes, int concurrent, int durationMs, boolean polling) {
        return NettestPlan.of(RpcSuite.RPC, path)
                .with(NettestValue.REQUEST_BYTES, requestBytes)
                .with(NettestValue.SIZES, sizes)
                .with(NettestValue.CONCURRENT, concurrent)
                .with(NettestValue.DURATION, durationMs)
                .with(NettestValue.BUSY_POLL, polling);
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
                .with(NettestValue.OP, op)
                .with(NettestValue.KEY_BYTES, keyBytes)
                .with(NettestValue.SIZES, sizes)
                .with(NettestValue.OBJECTS, objects)
                .with(NettestValue.CONCURRENT, concurrent)
                .with(NettestValue.DURABLE, durable)
                .with(NettestValue.KEEP, keep)
                .with(NettestValue.DURATION, roundMs);
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
                .with(NettestValue.SIZE_BYTES, sizeBytes)
                .with(NettestValue.OFFERED, offered)
                .with(NettestValue.RX_BUFFERS, rxBuffers)
                .with(NettestValue.TX_BUFFERS, txBuffers)
                .with(NettestValue.DURATION, durationMs)
                .with(NettestValue.BUSY_POLL, polling);
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
