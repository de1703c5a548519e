package io.fdt.core.control;

/**
 * What a server grants at most.
 *
 * @param sessions at once
 * @param lanesPerSession granted, whatever a client asks for
 * @param handshakeMs from a connection to an open session, and from a lane's first byte to its admission
 * @param clearLanes which sessions may have lanes without TLS
 */
public record ServerLimits(int sessions, int lanesPerSession, long handshakeMs, ClearLanes clearLanes) {
    public static final ServerLimits DEFAULT = new ServerLimits(64, 64, 10_000, ClearLanes.TESTS);
}
