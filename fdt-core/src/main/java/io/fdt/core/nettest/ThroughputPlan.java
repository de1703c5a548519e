package io.fdt.core.nettest;

import io.fdt.core.transport.Carrier;
import io.fdt.core.wire.NettestMessage.OpenNettest;
import io.fdt.core.wire.NettestMessage.Receive;
import io.fdt.core.wire.NettestMessage.Suite;
import java.time.Duration;
import java.util.List;

/**
 * A checked throughput test. Immutable.
 *
 * @param streams each way
 * @param blockBytes handed to the network at once
 * @param receive what becomes of received bytes
 * @param warmUpMs before that, which is not counted
 */
public record ThroughputPlan(
        NettestPath path,
        int streams,
        Direction direction,
        long durationMs,
        int blockBytes,
        Receive receive,
        long warmUpMs)
        implements NettestPlan {

    /** Without time to warm up. */
    public ThroughputPlan(
            NettestPath path, int streams, Direction direction, long durationMs, int blockBytes, Receive receive) {
        this(path, streams, direction, durationMs, blockBytes, receive, 0);
    }

    private static final int USUAL_BLOCK_BYTES = 128 << 10;
    private static final long USUAL_TIMEOUT_MS = 30_000;

    /** So many streams over TCP without encryption, and what arrives is dropped. */
    public static ThroughputPlan of(String host, int port, int streams, Direction direction, Duration duration) {
        return new ThroughputPlan(
                new NettestPath(host, port, true, List.of(), USUAL_TIMEOUT_MS),
                streams,
                direction,
                duration.toMillis(),
                USUAL_BLOCK_BYTES,
                Receive.DISCARD);
    }

    /** Which way the bytes go, seen from the client. */
    public enum Direction {
        OUT,
        IN,
        BOTH
    }

    int lanesOut() {
        return direction == Direction.IN ? 0 : streams;
    }

    int lanesIn() {
        return direction == Direction.OUT ? 0 : streams;
    }

    @Override
    public ThroughputPlan over(Carrier carrier) {
        return new ThroughputPlan(path.over(carrier), streams, direction, durationMs, blockBytes, receive, warmUpMs);
    }

    @Override
    public OpenNettest request() {
        return new OpenNettest(
                Suite.THROUGHPUT,
                lanesOut(),
                lanesIn(),
                warmUpMs + durationMs,
                blockBytes,
                receive,
                path.clear(),
                new int[0],
                0,
                0,
                false,
                false,
                path.timeoutMs());
    }
}
