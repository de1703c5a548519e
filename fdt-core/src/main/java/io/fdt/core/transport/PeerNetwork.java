package io.fdt.core.transport;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The addresses whose connections are counted together: one IPv4 address, or a /64 of IPv6, because one user has all
 * addresses of a /64.
 */
public record PeerNetwork(ByteBuffer prefix) {
    private static final int MAX_BYTES = 8;

    public static PeerNetwork of(InetAddress address) {
        byte[] bytes = address.getAddress();
        return new PeerNetwork(ByteBuffer.wrap(bytes, 0, Math.min(bytes.length, MAX_BYTES)));
    }

    // By hand, for a short start.

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PeerNetwork network && network.prefix.equals(prefix);
    }

    @Override
    public int hashCode() {
        return prefix.hashCode();
    }
}
