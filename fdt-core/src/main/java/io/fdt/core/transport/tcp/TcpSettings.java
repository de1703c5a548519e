package io.fdt.core.transport.tcp;

import io.fdt.core.security.AddressRules;
import io.fdt.core.transport.LanePlaces;
import io.fdt.core.transport.SourcePorts;
import org.jspecify.annotations.Nullable;

/**
 * What a TCP transport is made with. Start from {@link #DEFAULTS} and change what differs.
 *
 * @param io how to talk to sockets
 * @param socketBufferBytes SO_SNDBUF and SO_RCVBUF; 0: the kernel sizes them itself, which is better on most paths
 * @param congestionControl the kernel's name of an algorithm, such as {@code bbr}; null: its default
 * @param laneBlockBytes the capacity of a lane's blocks
 * @param laneBlocks how many blocks a lane has for sending
 * @param laneGreetingBytes that a client sends first on its lanes: until they have come a lane costs a server nothing
 * @param maxMessageBytes the longest message on a link
 * @param maxUnadmitted connections at once of which the owner has not yet said that they are admitted
 * @param maxConnections connections at once
 * @param allowed from where connections are taken
 * @param handshakeTimeoutMs how long a connection may take until it is a link or a lane
 * @param places where the threads of lanes run
 * @param ports of lanes that are dialled from here
 */
public record TcpSettings(
        IoKind io,
        int socketBufferBytes,
        @Nullable String congestionControl,
        int laneBlockBytes,
        int laneBlocks,
        int laneGreetingBytes,
        int maxMessageBytes,
        int maxUnadmitted,
        int maxConnections,
        AddressRules allowed,
        long handshakeTimeoutMs,
        LanePlaces places,
        SourcePorts ports) {

    /** One leaf and room for the headers around it. */
    private static final int BLOCK_BYTES = 131_072 + 512;

    private static final long TLS_BYTES = 128 << 10;

    public static final TcpSettings DEFAULTS = new TcpSettings(
            IoKind.AUTO,
            0,
            null,
            BLOCK_BYTES,
            3,
            0,
            1 << 20,
            256,
            4096,
            AddressRules.ANY,
            10_000,
            LanePlaces.ANYWHERE,
            SourcePorts.SYSTEM);

    public TcpSettings {
        requireAtLeast("socketBufferBytes", socketBufferBytes, 0);
        requireAtLeast("laneBlockBytes", laneBlockBytes, 64);
        requireAtLeast("laneBlocks", laneBlocks, 1);
        requireAtLeast("maxMessageBytes", maxMessageBytes, 1);
        requireAtLeast("maxUnadmitted", maxUnadmitted, 1);
        requireAtLeast("maxConnections", maxConnections, 1);
        requireAtLeast("handshakeTimeoutMs", handshakeTimeoutMs, 1);
    }

    private static void requireAtLeast(String name, long value, long least) {
        if (value < least) {
            throw new IllegalArgumentException(name + " must be at least " + least + ", not " + value);
        }
    }

    public TcpSettings withIo(IoKind value) {
        return new TcpSettings(
                value,
                socketBufferBytes,
                congestionControl,
                laneBlockBytes,
                laneBlocks,
                laneGreetingBytes,
                maxMessageBytes,
                maxUnadmitted,
                maxConnections,
                allowed,
                handshakeTimeoutMs,
                places,
                ports);
    }

    public TcpSettings withSocketBufferBytes(int value) {
        return new TcpSettings(
                io,
                value,
                congestionControl,
                laneBlockBytes,
                laneBlocks,
                laneGreetingBytes,
                maxMessageBytes,
                maxUnadmitted,
                maxConnections,
                allowed,
                handshakeTimeoutMs,
                places,
                ports);
    }

    public TcpSettings withCongestionControl(@Nullable String value) {
        return new TcpSettings(
                io,
                socketBufferBytes,
                value,
                laneBlockBytes,
                laneBlocks,
                laneGreetingBytes,
                maxMessageBytes,
                maxUnadmitted,
                maxConnections,
                allowed,
                handshakeTimeoutMs,
                places,
                ports);
    }

    /** The blocks of a lane: their capacity and how many of them it has for sending. */
    public TcpSettings withLaneBlocks(int blockBytes, int blocks) {
        return new TcpSettings(
                io,
                socketBufferBytes,
                congestionControl,
                blockBytes,
                blocks,
                laneGreetingBytes,
                maxMessageBytes,
                maxUnadmitted,
                maxConnections,
                allowed,
                handshakeTimeoutMs,
                places,
                ports);
    }

    public TcpSettings withLaneGreetingBytes(int value) {
        return new TcpSettings(
                io,
                socketBufferBytes,
                congestionControl,
                laneBlockBytes,
                laneBlocks,
                value,
                maxMessageBytes,
                maxUnadmitted,
                maxConnections,
                allowed,
                handshakeTimeoutMs,
                places,
                ports);
    }

    public TcpSettings withMaxMessageBytes(int value) {
        return new TcpSettings(
                io,
                socketBufferBytes,
                congestionControl,
                laneBlockBytes,
                laneBlocks,
                laneGreetingBytes,
                value,
                maxUnadmitted,
                maxConnections,
                allowed,
                handshakeTimeoutMs,
                places,
                ports);
    }

    /** The limits of a listening port. */
    public TcpSettings withLimits(int unadmitted, int connections, long handshakeMs) {
        return new TcpSettings(
                io,
                socketBufferBytes,
                congestionControl,
                laneBlockBytes,
                laneBlocks,
                laneGreetingBytes,
                maxMessageBytes,
                unadmitted,
                connections,
                allowed,
                handshakeMs,
                places,
                ports);
    }

    public TcpSettings withAllowed(AddressRules value) {
        return new TcpSettings(
                io,
                socketBufferBytes,
                congestionControl,
                laneBlockBytes,
                laneBlocks,
                laneGreetingBytes,
                maxMessageBytes,
                maxUnadmitted,
                maxConnections,
                value,
                handshakeTimeoutMs,
                places,
                ports);
    }

    public TcpSettings withPlaces(LanePlaces value) {
        return new TcpSettings(
                io,
                socketBufferBytes,
                congestionControl,
                laneBlockBytes,
                laneBlocks,
                laneGreetingBytes,
                maxMessageBytes,
                maxUnadmitted,
                maxConnections,
                allowed,
                handshakeTimeoutMs,
                value,
                ports);
    }

    public TcpSettings withPorts(SourcePorts value) {
        return new TcpSettings(
                io,
                socketBufferBytes,
                congestionControl,
                laneBlockBytes,
                laneBlocks,
                laneGreetingBytes,
                maxMessageBytes,
                maxUnadmitted,
                maxConnections,
                allowed,
                handshakeTimeoutMs,
                places,
                value);
    }

    /** What one lane takes: its blocks for sending, what it receives into, and TLS's own. */
    public long laneMemoryBytes() {
        return (laneBlocks + 2L) * laneBlockBytes + TLS_BYTES;
    }
}
