package io.fdt.core.transport;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Whose connections are counted together: those of one IPv4 address, or of the first 64 bits of an IPv6 address, since
 * one user has as many addresses as there are in a /64.
 */
public record PeerNetwork(ByteBuffer prefix) {
    private static final int MAX_BYTES = 8;

    public static PeerNetwork of(InetAddress address) {
        byte[] bytes = address.getAddress();
        return new PeerNetwork(ByteBuffer.wrap(bytes, 0, Math.min(bytes.length, MAX_BYTES)));
    }

    // A record's own are made when they are first needed, which takes twenty milliseconds.

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PeerNetwork network && network.prefix.equals(prefix);
    }

    @Override
    public int hashCode() {
        return prefix.hashCode();
    }
}
