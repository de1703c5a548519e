package io.fdt.core.transport.tcp;

import io.fdt.core.security.AddressRules;
import io.fdt.core.transport.LanePlaces;
import io.fdt.core.transport.SourcePorts;
import io.fdt.core.transport.StreamLane;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a TCP transport. Use {@link #builder} and change what differs from the defaults.
 *
 * @param socketBufferBytes SO_SNDBUF and SO_RCVBUF; 0: the kernel sizes them itself, which is better on most paths
 * @param congestionControl the kernel's name of an algorithm, such as {@code bbr}; null: its default
 * @param laneGreetingBytes that a client sends first on its lanes: before they have arrived, a lane costs a server
 *     nothing
 * @param maxMessageBytes the longest message on a link
 * @param listening of a server
 * @param places where the threads of lanes run
 * @param dialled which connections this end makes
 */
public record TcpSettings(
        int socketBufferBytes,
        @Nullable String congestionControl,
        int laneGreetingBytes,
        int maxMessageBytes,
        Listening listening,
        LanePlaces places,
        Dialled dialled) {

    /**
     * How this end makes connections.
     *
     * @param ports of lanes
     * @param flowLabels gives each connection over IPv6 its label of 20 bits; 0 is none
     */
    public record Dialled(SourcePorts ports, IntSupplier flowLabels) {
        private static final Dialled PLAIN = new Dialled(SourcePorts.SYSTEM, () -> 0);
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
            0,
            null,
            0,
            1 << 20,
            new Listening(AddressRules.ANY, 1024, 4096, 10_000),
            LanePlaces.ANYWHERE,
            Dialled.PLAIN);

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
        requireAtLeast("maxMessageBytes", maxMessageBytes, 1);
    }

    private static void requireAtLeast(String name, long value, long least) {
        if (value < least) {
            throw new IllegalArgumentException(name + " must be at least " + least + ", not " + value);
        }
    }

    public static Builder builder() {
        return DEFAULTS.toBuilder();
    }

    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Builds settings. For one thread. */
    public static final class Builder {
        private int socketBufferBytes;
        private @Nullable String congestionControl;
        private int laneGreetingBytes;
        private int maxMessageBytes;
        private Listening listening;
        private LanePlaces places;
        private Dialled dialled;

        private Builder(TcpSettings from) {
            socketBufferBytes = from.socketBufferBytes;
            congestionControl = from.congestionControl;
            laneGreetingBytes = from.laneGreetingBytes;
            maxMessageBytes = from.maxMessageBytes;
            listening = from.listening;
            places = from.places;
            dialled = from.dialled;
        }

        public Builder socketBufferBytes(int value) {
            socketBufferBytes = value;
            return this;
        }

        public Builder congestionControl(@Nullable String value) {
            congestionControl = value;
            return this;
        }

        public Builder laneGreetingBytes(int value) {
            laneGreetingBytes = value;
            return this;
        }

        public Builder maxMessageBytes(int value) {
            maxMessageBytes = value;
            return this;
        }

        /** Sets the limits of a listening port. */
        public Builder limits(int unadmitted, int connections, long handshakeMs) {
            listening = new Listening(listening.allowed, unadmitted, connections, handshakeMs);
            return this;
        }

        /** Lowers the limits to at most these. */
        public Builder fewerConnections(int unadmitted, int connections) {
            return limits(
                    Math.min(listening.maxUnadmitted, unadmitted),
                    Math.min(listening.maxConnections, connections),
                    listening.handshakeTimeoutMs);
        }

        public Builder allowed(AddressRules value) {
            listening = new Listening(
                    value, listening.maxUnadmitted, listening.maxConnections, listening.handshakeTimeoutMs);
            return this;
        }

        public Builder places(LanePlaces value) {
            places = value;
            return this;
        }

        public Builder ports(SourcePorts value) {
            dialled = new Dialled(value, dialled.flowLabels);
            return this;
        }

        public Builder flowLabels(IntSupplier value) {
            dialled = new Dialled(dialled.ports, value);
            return this;
        }

        public TcpSettings build() {
            return new TcpSettings(
                    socketBufferBytes,
                    congestionControl,
                    laneGreetingBytes,
                    maxMessageBytes,
                    listening,
                    places,
                    dialled);
        }
    }
}
