package io.fdt.core.security;

import io.fdt.core.TransferException;
import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * To which addresses a server connects because a client asked it to: those of the networks that its operator named, and no
 * others. Addresses that stand for the host itself or its own link are meant only by a network that names nothing else, so that
 * {@code 0.0.0.0/0} opens neither the loopback nor a cloud's metadata service. The wildcard, broadcast and multicast are nobody's
 * address.
 */
public final class OutboundRules {
    /** It connects to nobody. */
    public static final OutboundRules NONE = new OutboundRules(List.of());

    /** Loopback, and what is valid on one link only. */
    private static final List<Network> CLOSE = List.of(
            Network.parse("127.0.0.0/8"),
            Network.parse("169.254.0.0/16"),
            Network.parse("::1"),
            Network.parse("fe80::/10"));

    /** Never one peer: this network, IPv4 in IPv6 of old, multicast and what is reserved. */
    private static final List<Network> NEVER = List.of(
            Network.parse("0.0.0.0/8"),
            Network.parse("224.0.0.0/4"),
            Network.parse("240.0.0.0/4"),
            Network.parse("::/128"),
            Network.parse("ff00::/8"));

    /** ::a.b.c.d, which some stacks take for the IPv4 address; the loopback ::1 lies in it, too. */
    private static final Network COMPATIBLE = Network.parse("::/96");

    private final List<Network> networks;

    private OutboundRules(List<Network> networks) {
        this.networks = List.copyOf(networks);
    }

    /**
     * Rules out of addresses and networks such as {@code 192.0.2.7}, {@code 10.1.0.0/16} or {@code 2001:db8::/32}.
     *
     * @throws TransferException USAGE for the first that is none
     */
    public static OutboundRules parse(List<String> texts) {
        return new OutboundRules(
                texts.stream().map(text -> Network.parse(text.strip())).toList());
    }

    public boolean isNone() {
        return networks.isEmpty();
    }

    /** Whether a connection to there may be made. */
    public boolean allow(InetAddress address) {
        byte[] bytes = Network.unmapped(address);
        Network close = containing(CLOSE, bytes);
        if (containing(NEVER, bytes) != null || (close == null && COMPATIBLE.contains(bytes))) {
            return false;
        }
        return networks.stream()
                .anyMatch(network -> network.contains(bytes) && (close == null || network.isWithin(close)));
    }

    private static @Nullable Network containing(List<Network> networks, byte[] address) {
        for (Network network : networks) {
            if (network.contains(address)) {
                return network;
            }
        }
        return null;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof OutboundRules that && toString().equals(that.toString());
    }

    @Override
    public int hashCode() {
        return toString().hashCode();
    }

    @Override
    public String toString() {
        return networks.isEmpty()
                ? "none"
                : String.join(",", networks.stream().map(Network::text).toList());
    }
}
