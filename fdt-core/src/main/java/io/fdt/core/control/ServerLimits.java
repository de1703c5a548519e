package io.fdt.core.control;

import io.fdt.core.account.Accounts;
import io.fdt.core.account.Resource;
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

    public static final ServerLimits DEFAULT = new ServerLimits(
            64,
            new Lanes(64, LANE_BYTES, ClearLanes.TESTS),
            new Held(Runtime.getRuntime().maxMemory() / 2, Integer.MAX_VALUE, Integer.MAX_VALUE),
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
     * @param descriptors for lanes, files and directories
     * @param connections of clients with a key
     */
    public record Held(long memoryBytes, int descriptors, int connections) {}

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
                Accounts.heapBytes(),
                Resource.DIRECT_MEMORY,
                held.memoryBytes(),
                Resource.DESCRIPTORS,
                (long) held.descriptors(),
                Resource.CONNECTIONS,
                (long) held.connections(),
                Resource.DISK,
                Accounts.diskBytes(),
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
        private int lanesPerSession;
        private long laneBytes;
        private ClearLanes clearLanes;
        private long memoryBytes;
        private int descriptors;
        private int connections;
        private long handshakeMs;
        private long disconnectedMs;
        private long idleMs;
        private long rateBitsPerSecond;

        private Builder(ServerLimits from) {
            sessions = from.sessions;
            lanesPerSession = from.lanes.perSession();
            laneBytes = from.lanes.laneBytes();
            clearLanes = from.lanes.clear();
            memoryBytes = from.held.memoryBytes();
            descriptors = from.held.descriptors();
            connections = from.held.connections();
            handshakeMs = from.times.handshakeMs();
            disconnectedMs = from.times.disconnectedMs();
            idleMs = from.times.idleMs();
            rateBitsPerSecond = from.rateBitsPerSecond;
        }

        public Builder sessions(int value) {
            sessions = value;
            return this;
        }

        public Builder lanesPerSession(int value) {
            lanesPerSession = value;
            return this;
        }

        public Builder handshakeMs(long value) {
            handshakeMs = value;
            return this;
        }

        public Builder memory(long bytes, long bytesPerLane) {
            memoryBytes = bytes;
            laneBytes = bytesPerLane;
            return this;
        }

        public Builder descriptors(int value) {
            descriptors = value;
            return this;
        }

        public Builder connections(int value) {
            connections = value;
            return this;
        }

        public Builder disconnectedMs(long value) {
            disconnectedMs = value;
            return this;
        }

        public Builder idleMs(long value) {
            idleMs = value;
            return this;
        }

        public Builder rate(long bitsPerSecond) {
            rateBitsPerSecond = bitsPerSecond;
            return this;
        }

        public Builder clearLanes(ClearLanes value) {
            clearLanes = value;
            return this;
        }

        public ServerLimits build() {
            return new ServerLimits(
                    sessions,
                    new Lanes(lanesPerSession, laneBytes, clearLanes),
                    new Held(memoryBytes, descriptors, connections),
                    new Times(handshakeMs, disconnectedMs, idleMs),
                    rateBitsPerSecond);
        }
    }
}
