package io.fdt.core.nettest;

import io.fdt.core.transport.Carrier;
import java.net.InetAddress;
import java.util.List;

/**
 * The path of a network test, for all suites. Immutable.
 *
 * @param clear lanes without TLS
 * @param localAddresses to spread the lanes over; empty for the system's choice
 */
public record NettestPath(
        String host, int port, boolean clear, List<InetAddress> localAddresses, long timeoutMs, Carrier carrier) {
    public NettestPath {
        localAddresses = List.copyOf(localAddresses);
        if (!carrier.hasTls() && !clear) {
            throw new IllegalArgumentException("lanes over " + carrier.label() + " are clear");
        }
    }

    NettestPath over(Carrier other) {
        return new NettestPath(host, port, clear, localAddresses, timeoutMs, other);
    }

    /** Returns the path to another server in the same way. */
    public NettestPath to(String otherHost, int otherPort) {
        return new NettestPath(otherHost, otherPort, clear, localAddresses, timeoutMs, carrier);
    }

    /** A path over TCP. */
    public NettestPath(String host, int port, boolean clear, List<InetAddress> localAddresses, long timeoutMs) {
        this(host, port, clear, localAddresses, timeoutMs, Carrier.TCP);
    }
}
