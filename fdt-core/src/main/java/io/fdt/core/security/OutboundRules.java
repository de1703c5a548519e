package io.fdt.core.security;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The addresses that a server may connect to on behalf of a client: only those in the networks that its operator
 * specified. Loopback and link-local addresses need a network within their own ranges, so {@code 0.0.0.0/0} does not
 * permit them. Addresses that never identify one peer, and the metadata services of clouds, are always refused. An IPv6
 * address that embeds an IPv4 address, to which a gateway would forward the connection, is checked as both.
 */
public record OutboundRules(List<Network> networks) {
    public static final OutboundRules NONE = new OutboundRules(List.of());

    /** Loopback, and addresses that are valid on one link only. */
    private static final List<Network> CLOSE =
            Network.parseAll(List.of("127.0.0.0/8", "169.254.0.0/16", "::1", "fe80::/10"));

    /** Refused whatever the operator specified. */
    private static final List<Network> NEVER = Network.parseAll(List.of(
            // This network, multicast, reserved.
            "0.0.0.0/8",
            "224.0.0.0/4",
            "240.0.0.0/4",
            "::/128",
            "ff00::/8",
            // Protocol assignments, including the metadata service of Oracle.
            "192.0.0.0/24",
            // Metadata and other services that clouds provide to their machines: AWS and most others, then the
            // containers of AWS, Alibaba, Azure, and over IPv6 AWS, Google and Scaleway.
            "169.254.169.0/24",
            "169.254.170.0/24",
            "100.100.100.200",
            "168.63.129.16",
            "fd00:ec2::/32",
            "fd20:ce::254",
            "fd00:42::42",
            // IPv4 behind a local NAT64, whose layout only its operator knows.
            "64:ff9b:1::/48"));

    /** ::a.b.c.d, which some stacks treat as the IPv4 address; it includes the loopback address ::1. */
    private static final Network COMPATIBLE = Network.parse("::/96");

    private static final Network TRANSLATED = Network.parse("::ffff:0:0:0/96");
    private static final Network NAT64 = Network.parse("64:ff9b::/96");
    private static final Network SIX_TO_FOUR = Network.parse("2002::/16");
    private static final Network TEREDO = Network.parse("2001::/32");

    /** Parses addresses and networks such as {@code 192.0.2.7} or {@code 10.1.0.0/16}; throws USAGE. */
    public static OutboundRules parse(List<String> texts) {
        return new OutboundRules(Network.parseAll(texts));
    }

    public boolean isNone() {
        return networks.isEmpty();
    }

    public boolean allow(InetAddress address) {
        byte[] bytes = Network.unmapped(address);
        return allow(bytes) && carried(bytes).stream().allMatch(this::allow);
    }

    private boolean allow(byte[] bytes) {
        Network close = containing(CLOSE, bytes);
        if (containing(NEVER, bytes) != null || (close == null && COMPATIBLE.contains(bytes))) {
            return false;
        }
        return networks.stream()
                .anyMatch(network -> network.contains(bytes) && (close == null || network.isWithin(close)));
    }

    /** The IPv4 addresses embedded in an IPv6 address that is translated or tunnelled. */
    private static List<byte[]> carried(byte[] bytes) {
        if (SIX_TO_FOUR.contains(bytes)) {
            return List.of(Arrays.copyOfRange(bytes, 2, 6));
        }
        if (NAT64.contains(bytes) || TRANSLATED.contains(bytes) || isIsatap(bytes)) {
            return List.of(Arrays.copyOfRange(bytes, 12, 16));
        }
        if (TEREDO.contains(bytes)) {
            // The server, and the client with all bits inverted.
            byte[] client = Arrays.copyOfRange(bytes, 12, 16);
            for (int i = 0; i < client.length; i++) {
                client[i] = (byte) ~client[i];
            }
            return List.of(Arrays.copyOfRange(bytes, 4, 8), client);
        }
        return List.of();
    }

    /** In any network: the interface identifiers 0000:5efe:a.b.c.d and 0200:5efe:a.b.c.d. */
    private static boolean isIsatap(byte[] bytes) {
        return bytes.length == 16
                && (bytes[8] & ~2) == 0
                && bytes[9] == 0
                && bytes[10] == 0x5e
                && bytes[11] == (byte) 0xfe;
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
    public String toString() {
        return networks.isEmpty()
                ? "none"
                : String.join(",", networks.stream().map(Network::text).toList());
    }
}
