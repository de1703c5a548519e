package io.fdt.core.host;

import java.util.List;

/**
 * Several NICs as one.
 *
 * @param mode {@code 802.3ad}, {@code balance-rr} …
 * @param hashPolicy what decides about the slave of a packet: {@code layer2}, {@code layer3+4} …; empty when the mode
 *     has none
 */
public record Bond(String name, String mode, String hashPolicy, List<Slave> slaves) {
    public Bond {
        slaves = List.copyOf(slaves);
    }

    /** One of its NICs with what went over it; -1 where the host does not say. */
    public record Slave(String nic, boolean up, long linkFailures, long rxBytes, long txBytes) {}

    /** Whether two streams between the same two hosts can take different slaves. */
    public boolean spreadsStreams() {
        return switch (mode) {
            case "802.3ad", "balance-xor" -> hashPolicy.contains("3+4") || hashPolicy.equals("vlan+srcmac");
            case "balance-rr" -> true;
            default -> false;
        };
    }
}
