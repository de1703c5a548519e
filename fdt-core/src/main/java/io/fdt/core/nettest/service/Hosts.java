package io.fdt.core.nettest.service;

import io.fdt.core.host.Caption;
import io.fdt.core.wire.NettestMessage.HostFacts;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;

/** The captions of this side's host. */
final class Hosts {
    private Hosts() {}

    /** @param peer an address with its port, as a session names it */
    static HostFacts facts(Path root, String peer, String software) {
        Caption caption = Caption.of(root, addressOf(peer));
        return new HostFacts(
                software,
                caption.host(),
                caption.cpu(),
                caption.cores(),
                caption.allowedCores(),
                caption.kernel(),
                caption.nic(),
                caption.nicBitsPerSecond(),
                caption.slot(),
                caption.slotBitsPerSecond());
    }

    /** Of a peer that cannot be resolved only the interface stays unknown. */
    private static InetAddress addressOf(String peer) {
        String host = peer.substring(0, Math.max(0, peer.lastIndexOf(':')));
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            return InetAddress.getLoopbackAddress();
        }
    }
}
