package io.fdt.core.nettest;

import io.fdt.core.wire.NettestMessage.OpenNettest;
import io.fdt.core.wire.NettestMessage.Receive;
import io.fdt.core.wire.NettestMessage.Suite;

/**
 * A checked throughput test. Immutable.
 *
 * @param streams each way
 * @param blockBytes handed to the network at once
 * @param receive what becomes of received bytes
 */
public record ThroughputPlan(
        NettestPath path, int streams, Direction direction, long durationMs, int blockBytes, Receive receive)
        implements NettestPlan {

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
    public OpenNettest request() {
        return new OpenNettest(
                Suite.THROUGHPUT,
                lanesOut(),
                lanesIn(),
                durationMs,
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
