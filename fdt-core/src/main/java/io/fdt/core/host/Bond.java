package io.fdt.core.host;

import java.util.List;

/**
 * Several NICs that act as one.
 *
 * @param mode {@code 802.3ad}, {@code balance-rr} …
 * @param hashPolicy what the bond hashes to choose the slave for a packet: {@code layer2}, {@code layer3+4} …; empty if
 *     the mode has none
 */
public record Bond(String name, String mode, String hashPolicy, List<Slave> slaves) {
    public Bond {
        slaves = List.copyOf(slaves);
    }

    /** One NIC of the bond, with its byte counters; -1 if the host does not show them. */
    public record Slave(String nic, boolean up, long linkFailures, long rxBytes, long txBytes) {}

    /** Whether two streams between the same two hosts can take different slaves. */
    public boolean spreadsStreams() {
        return switch (mode) {
            case "802.3ad", "balance-xor" -> hashPolicy.contains("3+4") || hashPolicy.equals("vlan+srcmac");
            case "balance-rr" -> true;
            default -> false;
        };
    }

    /** Whether the bond chooses a stream's slave only from its addresses and ports, by a known hash. */
    public boolean choosesByPorts() {
        return (mode.equals("802.3ad") || mode.equals("balance-xor")) && hashPolicy.equals("layer3+4");
    }
}
