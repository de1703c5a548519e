package io.fdt.core.host;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The number by which a bond of the policy {@code layer3+4} chooses the slave of a packet: the slave's place among
 * those that are usable is this, without a sign, modulo their count. As in the kernel's {@code bond_xmit_hash} since
 * 4.15; earlier ones do not drop the lowest bit.
 */
final class BondHash {
    private BondHash() {}

    /** Both addresses are of one family. */
    static int layer34(InetAddress source, int sourcePort, InetAddress target, int targetPort) {
        // The kernel takes the header's bytes as the machine's own numbers.
        ByteBuffer ports = ByteBuffer.allocate(4).putShort((short) sourcePort).putShort((short) targetPort);
        int hash = ports.order(ByteOrder.nativeOrder()).getInt(0) ^ folded(source) ^ folded(target);
        hash ^= hash >>> 16;
        hash ^= hash >>> 8;
        return hash >>> 1;
    }

    /** An address of four words as one. */
    private static int folded(InetAddress address) {
        ByteBuffer bytes = ByteBuffer.wrap(address.getAddress()).order(ByteOrder.nativeOrder());
        int folded = 0;
        while (bytes.hasRemaining()) {
            folded ^= bytes.getInt();
        }
        return folded;
    }
}
