package io.fdt.core.security;

import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The addresses from which a server accepts connections, in addition to keys. They are numeric and never looked up, so
 * they do not depend on a name service. With rules, an address that matches none is refused.
 */
public final class AddressRules {
    public static final AddressRules ANY = new AddressRules(List.of());

    private final List<Network> networks;

    private AddressRules(List<Network> networks) {
        this.networks = List.copyOf(networks);
    }

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
    public boolean equals(@Nullable Object other) {
        return other instanceof AddressRules that && toString().equals(that.toString());
    }

    @Override
    public int hashCode() {
        return toString().hashCode();
    }

    @Override
    public String toString() {
        return networks.isEmpty()
                ? "any"
                : String.join(",", networks.stream().map(Network::text).toList());
    }
}
