package io.fdt.core.nettest;

import java.net.InetAddress;
import java.util.List;

/**
 * What a network test goes over, whatever it measures. Immutable.
 *
 * @param clear lanes without TLS
 * @param localAddresses the lanes are spread over; empty for the system's choice
 */
public record NettestPath(String host, int port, boolean clear, List<InetAddress> localAddresses, long timeoutMs) {
    public NettestPath {
        localAddresses = List.copyOf(localAddresses);
    }
}
