package io.fdt.core.control;

/**
 * What a server grants at most.
 *
 * @param sessions at once
 * @param lanesPerSession granted, whatever a client asks for
 * @param handshakeMs from a connection to an open session, and from a lane's first byte to its admission
 * @param memoryBytes for the lanes of all sessions, and for the lists of names that clients send ahead
 * @param laneBytes what one lane takes of it
 * @param clearLanes which sessions may have lanes without TLS
 */
public record ServerLimits(
        int sessions, int lanesPerSession, long handshakeMs, long memoryBytes, long laneBytes, ClearLanes clearLanes) {
    private static final long LANE_BYTES = 1 << 20;

    public static final ServerLimits DEFAULT =
            new ServerLimits(32, 64, 10_000, Runtime.getRuntime().maxMemory() / 2, LANE_BYTES, ClearLanes.TESTS);

    public ServerLimits withSessions(int value) {
        return new ServerLimits(value, lanesPerSession, handshakeMs, memoryBytes, laneBytes, clearLanes);
    }

    public ServerLimits withLanesPerSession(int value) {
        return new ServerLimits(sessions, value, handshakeMs, memoryBytes, laneBytes, clearLanes);
    }

    public ServerLimits withHandshakeMs(long value) {
        return new ServerLimits(sessions, lanesPerSession, value, memoryBytes, laneBytes, clearLanes);
    }

    public ServerLimits withMemory(long bytes, long bytesPerLane) {
        return new ServerLimits(sessions, lanesPerSession, handshakeMs, bytes, bytesPerLane, clearLanes);
    }

    public ServerLimits withClearLanes(ClearLanes value) {
        return new ServerLimits(sessions, lanesPerSession, handshakeMs, memoryBytes, laneBytes, value);
    }
}
