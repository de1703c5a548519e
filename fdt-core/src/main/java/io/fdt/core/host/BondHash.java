package io.fdt.core.host;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The hash by which a bond with the policy {@code layer3+4} chooses the slave for a packet: the unsigned hash modulo
 * the number of usable slaves is the slave's index among them. Matches the kernel's {@code bond_xmit_hash} since 4.15;
 * earlier kernels do not drop the lowest bit.
 */
final class BondHash {
    private BondHash() {}

    /** Both addresses must be of one family. */
    static int layer34(InetAddress source, int sourcePort, InetAddress target, int targetPort) {
        // The kernel reads the header's bytes as numbers in native byte order.
        ByteBuffer ports = ByteBuffer.allocate(4).putShort((short) sourcePort).putShort((short) targetPort);
        int hash = ports.order(ByteOrder.nativeOrder()).getInt(0) ^ folded(source) ^ folded(target);
        hash ^= hash >>> 16;
        hash ^= hash >>> 8;
        return hash >>> 1;
    }

    /** Returns the address as one word; the four words of an IPv6 address are combined. */
    private static int folded(InetAddress address) {
        ByteBuffer bytes = ByteBuffer.wrap(address.getAddress()).order(ByteOrder.nativeOrder());
        int folded = 0;
        while (bytes.hasRemaining()) {
            folded ^= bytes.getInt();
        }
        return folded;
    }
}
