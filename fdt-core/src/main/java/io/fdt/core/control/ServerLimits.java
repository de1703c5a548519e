package io.fdt.core.control;

import io.fdt.core.budget.Budgets;
import io.fdt.core.budget.Resource;
import java.util.Map;

/**
 * The limits of a server.
 *
 * @param lanes of each session
 * @param held by all sessions together
 * @param rateBitsPerSecond of all copies together, in both directions; 0 for no limit
 */
public record ServerLimits(int sessions, Lanes lanes, Held held, Times times, long rateBitsPerSecond) {
    private static final long LANE_BYTES = 1 << 20;
    private static final long DISCONNECTED_MS = 600_000;
    /** A pipe may have nothing to send for hours. */
    private static final long IDLE_MS = 24 * 3_600_000L;
    /** Of the hosts of all clients. */
    private static final long MAX_PEER_SERIES = 1 << 15;

    private static final long MAX_THREADS = 512;

    public static final ServerLimits DEFAULT = new ServerLimits(
            64,
            new Lanes(64, LANE_BYTES, ClearLanes.TESTS),
            new Held(Runtime.getRuntime().maxMemory() / 2, Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE),
            new Times(10_000, DISCONNECTED_MS, IDLE_MS),
            0);

    /**
     * @param perSession granted, whatever a client requests
     * @param laneBytes the memory of one lane
     * @param clear which sessions may have unencrypted lanes
     */
    public record Lanes(int perSession, long laneBytes, ClearLanes clear) {}

    /**
     * @param memoryBytes for lanes and network tests
     * @param testBytes for network tests
     * @param descriptors a quarter of them for files that are being written, the rest for everything else
     * @param connections of clients with a key
     */
    public record Held(long memoryBytes, long testBytes, int descriptors, int connections) {}

    /**
     * @param handshakeMs from a connection to an open session, and from a lane's first byte to its admission
     * @param disconnectedMs how long a session waits for a client that is silent or disconnected, whatever it requested
     * @param idleMs after which a session that moves nothing ends, though its client is connected
     */
    public record Times(long handshakeMs, long disconnectedMs, long idleMs) {}

    /** What all clients together may hold. */
    Map<Resource, Long> totals() {
        return Map.of(
                Resource.HEAP,
                Budgets.heapBytes(),
                Resource.DIRECT_MEMORY,
                held.memoryBytes(),
                Resource.TEST_MEMORY,
                held.testBytes(),
                Resource.DESCRIPTORS,
                held.descriptors() - held.descriptors() / 4L,
                Resource.FILES,
                held.descriptors() / 4L,
                Resource.CONNECTIONS,
                (long) held.connections(),
                Resource.THREADS,
                MAX_THREADS,
                Resource.DISK,
                Budgets.diskBytes(),
                Resource.SERIES,
                MAX_PEER_SERIES);
    }

    public static Builder builder() {
        return DEFAULT.toBuilder();
    }

    public Builder toBuilder() {
        return new Builder(this);
    }

    public static final class Builder {
        private int sessions;
        private Lanes lanes;
        private Held held;
        private Times times;
        private long rateBitsPerSecond;

        private Builder(ServerLimits from) {
            sessions = from.sessions;
            lanes = from.lanes;
            held = from.held;
            times = from.times;
            rateBitsPerSecond = from.rateBitsPerSecond;
        }

        public Builder sessions(int value) {
            sessions = value;
            return this;
        }

        public Builder lanesPerSession(int value) {
            lanes = new Lanes(value, lanes.laneBytes, lanes.clear);
            return this;
        }

        public Builder handshakeMs(long value) {
            times = new Times(value, times.disconnectedMs, times.idleMs);
            return this;
        }

        public Builder memory(long bytes, long bytesPerLane) {
            held = new Held(bytes, held.testBytes, held.descriptors, held.connections);
            lanes = new Lanes(lanes.perSession, bytesPerLane, lanes.clear);
            return this;
        }

        public Builder testMemory(long bytes) {
            held = new Held(held.memoryBytes, bytes, held.descriptors, held.connections);
            return this;
        }

        public Builder descriptors(int value) {
            held = new Held(held.memoryBytes, held.testBytes, value, held.connections);
            return this;
        }

        public Builder connections(int value) {
            held = new Held(held.memoryBytes, held.testBytes, held.descriptors, value);
            return this;
        }

        public Builder disconnectedMs(long value) {
            times = new Times(times.handshakeMs, value, times.idleMs);
            return this;
        }

        public Builder idleMs(long value) {
            times = new Times(times.handshakeMs, times.disconnectedMs, value);
            return this;
        }

        public Builder rate(long bitsPerSecond) {
            rateBitsPerSecond = bitsPerSecond;
            return this;
        }

        public Builder clearLanes(ClearLanes value) {
            lanes = new Lanes(lanes.perSession, lanes.laneBytes, value);
            return this;
        }

        public ServerLimits build() {
            return new ServerLimits(sessions, lanes, held, times, rateBitsPerSecond);
        }
    }
}
