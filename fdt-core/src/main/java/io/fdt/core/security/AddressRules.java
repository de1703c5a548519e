package io.fdt.core.security;

import java.net.InetAddress;
import java.util.List;

/**
 * The addresses from which a server accepts connections, in addition to keys. They are numeric and never looked up, so
 * they do not depend on a name service. With rules, an address that matches none is refused.
 */
public record AddressRules(List<Network> networks) {
    public static final AddressRules ANY = new AddressRules(List.of());

    /** Parses addresses and networks such as {@code 192.0.2.7} or {@code 10.1.0.0/16}; throws USAGE. */
    public static AddressRules parse(List<String> texts) {
        return new AddressRules(Network.parseAll(texts));
    }

    public boolean allow(InetAddress address) {
        if (networks.isEmpty()) {
            return true;
        }
        byte[] bytes = Network.unmapped(address);
        return networks.stream().anyMatch(network -> network.contains(bytes));
    }

    @Override
    public String toString() {
        return networks.isEmpty()
                ? "any"
                : String.join(",", networks.stream().map(Network::text).toList());
    }
}
