package io.fdt.core.nettest;

import io.fdt.core.wire.NettestMessage.OpenNettest;
import io.fdt.core.wire.NettestMessage.Receive;
import io.fdt.core.wire.NettestMessage.Suite;
import java.net.InetAddress;
import java.util.List;

/**
 * A checked throughput test. Immutable.
 *
 * @param streams each way
 * @param blockBytes handed to the network at once
 * @param receive what becomes of received bytes
 * @param clear lanes without TLS
 * @param localAddresses the lanes are spread over; empty for the system's choice
 */
public record NettestPlan(
        String host,
        int port,
        int streams,
        Direction direction,
        long durationMs,
        int blockBytes,
        Receive receive,
        boolean clear,
        List<InetAddress> localAddresses,
        long timeoutMs) {

    /** Which way the bytes go, seen from the client. */
    public enum Direction {
        OUT,
        IN,
        BOTH
    }

    public NettestPlan {
        localAddresses = List.copyOf(localAddresses);
    }

    int lanesOut() {
        return direction == Direction.IN ? 0 : streams;
    }

    int lanesIn() {
        return direction == Direction.OUT ? 0 : streams;
    }

    OpenNettest request() {
        return new OpenNettest(
                Suite.THROUGHPUT,
                lanesOut(),
                lanesIn(),
                durationMs,
                blockBytes,
                receive,
                clear,
                new int[0],
                0,
                0,
                false,
                false,
                timeoutMs);
    }
}
