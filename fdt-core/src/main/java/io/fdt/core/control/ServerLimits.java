package io.fdt.core.control;

import io.fdt.core.account.Accounts;
import io.fdt.core.account.Resource;
import java.util.Map;

/**
 * The limits of a server.
 *
 * @param lanesPerSession granted, whatever a client requests
 * @param handshakeMs from a connection to an open session, and from a lane's first byte to its admission
 * @param memoryBytes for the lanes and network tests of all sessions
 * @param laneBytes of that memory for one lane
 * @param descriptors for the lanes, files and directories of all sessions
 * @param connections of clients with a key
 * @param disconnectedMs how long a session waits for a client that is silent or disconnected, whatever it requested
 * @param idleMs after which a session that moves nothing ends, though its client is connected
 * @param rateBitsPerSecond of all copies together, in both directions; 0 for no limit
 * @param clearLanes which sessions may have unencrypted lanes
 */
public record ServerLimits(
        int sessions,
        int lanesPerSession,
        long handshakeMs,
        long memoryBytes,
        long laneBytes,
        int descriptors,
        int connections,
        long disconnectedMs,
        long idleMs,
        long rateBitsPerSecond,
        ClearLanes clearLanes) {
    private static final long LANE_BYTES = 1 << 20;
    private static final long DISCONNECTED_MS = 600_000;
    /** A pipe may have nothing to send for hours. */
    private static final long IDLE_MS = 24 * 3_600_000L;
    /** Of the hosts of all clients. */
    private static final long MAX_PEER_SERIES = 1 << 15;

    public static final ServerLimits DEFAULT = new ServerLimits(
            64,
            64,
            10_000,
            Runtime.getRuntime().maxMemory() / 2,
            LANE_BYTES,
            Integer.MAX_VALUE,
            Integer.MAX_VALUE,
            DISCONNECTED_MS,
            IDLE_MS,
            0,
            ClearLanes.TESTS);

    /** What all clients together may hold. */
    Map<Resource, Long> totals() {
        return Map.of(
                Resource.HEAP,
                Accounts.heapBytes(),
                Resource.DIRECT_MEMORY,
                memoryBytes,
                Resource.DESCRIPTORS,
                (long) descriptors,
                Resource.CONNECTIONS,
                (long) connections,
                Resource.DISK,
                Accounts.diskBytes(),
                Resource.SERIES,
                MAX_PEER_SERIES);
    }

    /** A builder with the defaults. */
    public static Builder builder() {
        return DEFAULT.toBuilder();
    }

    public Builder toBuilder() {
        return new Builder(this);
    }

    public static final class Builder {
        private int sessions;
        private int lanesPerSession;
        private long handshakeMs;
        private long memoryBytes;
        private long laneBytes;
        private int descriptors;
        private int connections;
        private long disconnectedMs;
        private long idleMs;
        private long rateBitsPerSecond;
        private ClearLanes clearLanes;

        private Builder(ServerLimits from) {
            sessions = from.sessions;
            lanesPerSession = from.lanesPerSession;
            handshakeMs = from.handshakeMs;
            memoryBytes = from.memoryBytes;
            laneBytes = from.laneBytes;
            descriptors = from.descriptors;
            connections = from.connections;
            disconnectedMs = from.disconnectedMs;
            idleMs = from.idleMs;
            rateBitsPerSecond = from.rateBitsPerSecond;
            clearLanes = from.clearLanes;
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
                    lanesPerSession,
                    handshakeMs,
                    memoryBytes,
                    laneBytes,
                    descriptors,
                    connections,
                    disconnectedMs,
                    idleMs,
                    rateBitsPerSecond,
                    clearLanes);
        }
    }
}
