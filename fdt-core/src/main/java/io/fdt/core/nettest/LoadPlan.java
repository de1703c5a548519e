package io.fdt.core.nettest;

import io.fdt.core.transport.Carrier;
import io.fdt.core.wire.NettestMessage.OpenNettest;
import io.fdt.core.wire.NettestMessage.Receive;
import io.fdt.core.wire.NettestMessage.Suite;
import java.util.ArrayList;
import java.util.List;

/**
 * A checked test under rising load. Immutable.
 *
 * @param sizeBytes of every request and of every answer
 * @param offeredPerSecond requests a second, step after step; empty for steps around what the path can do
 * @param rxBuffers of each pool of receive buffers
 * @param txBuffers of each pool of send buffers; every pool of the one kind is measured with every one of the other
 * @param durationMs of all steps with all pools together, without what is measured to find the steps
 * @param polling the server asks for requests again and again instead of being woken for them; the client always does
 * so
 */
public record LoadPlan(
        NettestPath path,
        int sizeBytes,
        List<Integer> offeredPerSecond,
        List<Integer> rxBuffers,
        List<Integer> txBuffers,
        long durationMs,
        boolean polling)
        implements NettestPlan {

    public static final int LEAST_SIZE_BYTES = LoadFrame.LEAST_BYTES;
    public static final int MOST_SIZE_BYTES = 64 << 10;
    public static final int MOST_BUFFERS = LoadFrame.MOST_BUFFERS;
    public static final int MOST_POOL_BYTES = LoadFrame.MOST_POOL_BYTES;
    public static final int MOST_PER_SECOND = 100_000_000;

    /** In less time than this a step says little. */
    public static final int LEAST_STEP_MS = 100;

    public LoadPlan {
        offeredPerSecond = List.copyOf(offeredPerSecond);
        rxBuffers = List.copyOf(rxBuffers);
        txBuffers = List.copyOf(txBuffers);
    }

    /** Buffers of one measurement, as many on either side. */
    public record Pool(int rxBuffers, int txBuffers) {}

    /** Every pool in its turn. */
    public List<Pool> pools() {
        List<Pool> pools = new ArrayList<>();
        for (int rx : rxBuffers) {
            for (int tx : txBuffers) {
                pools.add(new Pool(rx, tx));
            }
        }
        return pools;
    }

    /** Steps of each pool. */
    public int stepsEach() {
        return offeredPerSecond.isEmpty() ? OfferedLoad.STEPS : offeredPerSecond.size();
    }

    public int steps() {
        return stepsEach() * rxBuffers.size() * txBuffers.size();
    }

    public double stepMs() {
        return (double) durationMs / steps();
    }

    @Override
    public LoadPlan over(Carrier carrier) {
        return new LoadPlan(path.over(carrier), sizeBytes, offeredPerSecond, rxBuffers, txBuffers, durationMs, polling);
    }

    @Override
    public OpenNettest request() {
        return new OpenNettest(
                Suite.LOAD,
                1,
                0,
                0,
                1,
                Receive.COPY,
                path.clear(),
                new int[0],
                0,
                sizeBytes,
                false,
                polling,
                path.timeoutMs());
    }
}
