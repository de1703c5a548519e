package io.fdt.core.nettest.service;

import io.fdt.core.host.Caption;
import io.fdt.core.stats.HostFacts;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;

/** The description of this host for results. */
final class Hosts {
    private Hosts() {}

    /** @param peer an address with its port, as in a session */
    static HostFacts facts(Path root, String peer, String software) {
        return Caption.of(root, addressOf(peer), software);
    }

    /** If the peer cannot be resolved, only the interface is unknown. */
    private static InetAddress addressOf(String peer) {
        String host = peer.substring(0, Math.max(0, peer.lastIndexOf(':')));
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            return InetAddress.getLoopbackAddress();
        }
    }
}
