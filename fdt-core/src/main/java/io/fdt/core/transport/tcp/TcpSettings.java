package io.fdt.core.transport.tcp;

import io.fdt.core.security.AddressRules;
import io.fdt.core.transport.LanePlaces;
import io.fdt.core.transport.SourcePorts;
import io.fdt.core.transport.StreamLane;
import java.net.StandardProtocolFamily;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a TCP transport: {@link #DEFAULTS}, and what differs from them.
 *
 * @param socketBufferBytes SO_SNDBUF and SO_RCVBUF; 0: the kernel sizes them itself, which is better on most paths
 * @param congestionControl the kernel's name of an algorithm, such as {@code bbr}; null: its default
 * @param laneGreetingBytes that a client sends first on its lanes: before they have arrived, a lane costs a server
 *     nothing
 * @param listening of a server
 * @param places where the threads of lanes run
 * @param dialled which connections this end makes
 */
public record TcpSettings(
        int socketBufferBytes,
        @Nullable String congestionControl,
        int laneGreetingBytes,
        Listening listening,
        LanePlaces places,
        Dialled dialled) {

    /**
     * How this end makes connections.
     *
     * @param ports of lanes
     * @param flowLabels gives each connection over IPv6 its label of 20 bits; 0 is none
     * @param family of the addresses of a host to connect to; null: any
     */
    public record Dialled(
            SourcePorts ports,
            IntSupplier flowLabels,
            @Nullable StandardProtocolFamily family) {
        private static final Dialled PLAIN = new Dialled(SourcePorts.SYSTEM, () -> 0, null);
    }

    /**
     * Which connections a listening port accepts.
     *
     * @param allowed the addresses that they come from
     * @param maxUnadmitted concurrent ones that their owner has not admitted yet
     * @param maxConnections concurrent ones
     * @param handshakeTimeoutMs how long one may take to become a link or a lane
     */
    public record Listening(AddressRules allowed, int maxUnadmitted, int maxConnections, long handshakeTimeoutMs) {
        public Listening {
            requireAtLeast("maxUnadmitted", maxUnadmitted, 1);
            requireAtLeast("maxConnections", maxConnections, 1);
            requireAtLeast("handshakeTimeoutMs", handshakeTimeoutMs, 1);
        }
    }

    /** The memory for TLS records, besides the blocks that they are encrypted into and decrypted from. */
    private static final long RECORD_BYTES = 64 << 10;

    public static final TcpSettings DEFAULTS = new TcpSettings(
            0, null, 0, new Listening(AddressRules.ANY, 1024, 4096, 10_000), LanePlaces.ANYWHERE, Dialled.PLAIN);

    public SourcePorts ports() {
        return dialled.ports;
    }

    /**
     * The memory of one lane on this host: its blocks for sending, the one for receiving, and two for TLS, or those
     * that the kernel reads in place.
     */
    public static long laneMemoryBytes() {
        int more = new FastNics().hasSome() ? SendsInPlace.SPARE_BLOCKS : 2;
        return (StreamLane.SEND_BLOCKS + 1L + more) * StreamLane.BLOCK_BYTES + RECORD_BYTES;
    }

    public TcpSettings {
        requireAtLeast("socketBufferBytes", socketBufferBytes, 0);
    }

    private static void requireAtLeast(String name, long value, long least) {
        if (value < least) {
            throw new IllegalArgumentException(name + " must be at least " + least + ", not " + value);
        }
    }

    public TcpSettings withSocketBufferBytes(int other) {
        return new TcpSettings(other, congestionControl, laneGreetingBytes, listening, places, dialled);
    }

    public TcpSettings withCongestionControl(@Nullable String other) {
        return new TcpSettings(socketBufferBytes, other, laneGreetingBytes, listening, places, dialled);
    }

    public TcpSettings withLaneGreetingBytes(int other) {
        return new TcpSettings(socketBufferBytes, congestionControl, other, listening, places, dialled);
    }

    public TcpSettings withPlaces(LanePlaces other) {
        return new TcpSettings(socketBufferBytes, congestionControl, laneGreetingBytes, listening, other, dialled);
    }

    private TcpSettings with(Dialled other) {
        return new TcpSettings(socketBufferBytes, congestionControl, laneGreetingBytes, listening, places, other);
    }

    public TcpSettings withPorts(SourcePorts ports) {
        return with(new Dialled(ports, dialled.flowLabels, dialled.family));
    }

    public TcpSettings withFlowLabels(IntSupplier flowLabels) {
        return with(new Dialled(dialled.ports, flowLabels, dialled.family));
    }

    public TcpSettings withFamily(@Nullable StandardProtocolFamily family) {
        return with(new Dialled(dialled.ports, dialled.flowLabels, family));
    }

    private TcpSettings with(Listening other) {
        return new TcpSettings(socketBufferBytes, congestionControl, laneGreetingBytes, other, places, dialled);
    }

    public TcpSettings withAllowed(AddressRules allowed) {
        return with(new Listening(
                allowed, listening.maxUnadmitted, listening.maxConnections, listening.handshakeTimeoutMs));
    }

    /** Returns these settings with other limits of a listening port. */
    public TcpSettings withLimits(int unadmitted, int connections, long handshakeMs) {
        return with(new Listening(listening.allowed, unadmitted, connections, handshakeMs));
    }

    /** Returns these settings with limits of at most these. */
    public TcpSettings withFewerConnections(int unadmitted, int connections) {
        return withLimits(
                Math.min(listening.maxUnadmitted, unadmitted),
                Math.min(listening.maxConnections, connections),
                listening.handshakeTimeoutMs);
    }
}
