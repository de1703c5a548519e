package io.fdt.core.nettest;

import io.fdt.core.objects.ObjectLog;
import io.fdt.core.transport.Carrier;
import io.fdt.core.wire.Capability;
import io.fdt.core.wire.NettestMessage.ObjectsPart;
import io.fdt.core.wire.NettestMessage.OpenNettest;
import io.fdt.core.wire.NettestMessage.Receive;
import io.fdt.core.wire.NettestMessage.Suite;
import java.util.List;

/**
 * A checked test of objects that the server holds. Immutable.
 *
 * @param writing random writes, otherwise random reads
 * @param sizes of values, rising
 * @param objects of each size; 0 for what fits well
 * @param concurrent lanes, each with one request under way
 * @param logged writes go to the server's log and are durable when they are answered
 * @param keep what the log holds from before
 * @param roundMs how long each size is measured
 * @param reads how a value is fetched
 */
public record ObjectsPlan(
        NettestPath path,
        boolean writing,
        int keyBytes,
        List<Integer> sizes,
        int objects,
        int concurrent,
        boolean logged,
        boolean keep,
        long roundMs,
        Reads reads)
        implements NettestPlan {

    /** How a value comes from the server. */
    public enum Reads {
        /** The server is asked for it and answers. */
        MESSAGE,
        /** The client's device reads it out of the server's memory: the server's processor does not hear of it. */
        RDMA
    }

    public static final int LEAST_KEY_BYTES = ObjectContent.LEAST_KEY_BYTES;
    public static final int MAX_KEY_BYTES = 255;
    public static final int MAX_SIZES = 32;
    public static final int MAX_VALUE_BYTES = ObjectLog.MAX_VALUE_BYTES;
    public static final int MAX_OBJECTS = 10_000_000;

    /** Of all sizes together: the client holds where each of them is. */
    public static final int MAX_OBJECTS_BY_RDMA = 1 << 22;

    /** Lanes end by themselves after the last round; this long after it, what is still under way is given up. */
    private static final long SLACK_MS = 30_000;

    private static final int USUAL_OBJECTS = 10_000;
    private static final int USUAL_BYTES = 16 << 20;

    public ObjectsPlan {
        sizes = List.copyOf(sizes);
    }

    /** By messages. */
    public ObjectsPlan(
            NettestPath path,
            boolean writing,
            int keyBytes,
            List<Integer> sizes,
            int objects,
            int concurrent,
            boolean logged,
            boolean keep,
            long roundMs) {
        this(path, writing, keyBytes, sizes, objects, concurrent, logged, keep, roundMs, Reads.MESSAGE);
    }

    @Override
    public long needed() {
        return reads == Reads.RDMA ? Capability.DEVICE_QUEUES : 0;
    }

    @Override
    public ObjectsPlan over(Carrier carrier) {
        return new ObjectsPlan(
                path.over(carrier), writing, keyBytes, sizes, objects, concurrent, logged, keep, roundMs, reads);
    }

    @Override
    public OpenNettest request() {
        return new OpenNettest(
                Suite.OBJECTS,
                concurrent,
                0,
                roundMs * sizes.size() + SLACK_MS,
                1,
                Receive.COPY,
                path.clear(),
                sizes.stream().mapToInt(Integer::intValue).toArray(),
                objects,
                keyBytes,
                false,
                false,
                path.timeoutMs(),
                new ObjectsPart(logged, keep),
                null);
    }

    /** How many objects of this size there are: what was asked for, or else 10,000 but not more than 16 MiB of them. */
    static int objectsOf(int sizeBytes, long asked) {
        return asked > 0 ? (int) asked : Math.max(4, Math.min(USUAL_OBJECTS, USUAL_BYTES / sizeBytes));
    }

    public int objectsOf(int sizeBytes) {
        return objectsOf(sizeBytes, objects);
    }
}
