package io.fdt.core.host;

import java.net.InetAddress;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the bonds below {@code /sys/class/net}, with the byte counters of their slaves. */
record BondReader(HostFiles files) {
    private static final String NET = "sys/class/net/";
    private static final String LOWER = "lower_";

    /** Whether this kernel has loaded its module for bonds: much cheaper than a look at each interface. */
    boolean mayExist() {
        return files.exists(NET + "bonding_masters");
    }

    List<Bond> read() {
        return files.names("sys/class/net").stream()
                .flatMap(name -> Stream.ofNullable(read(name)))
                .toList();
    }

    /** Returns the bond that has this local address, or that is below the device that has it; null if there is none. */
    @Nullable Bond at(InetAddress address) {
        String device = BondPorts.deviceOf(address);
        return device == null ? null : below(device);
    }

    /** Returns the device itself if it is a bond, or else the bond below it, as with a VLAN; null if there is none. */
    @Nullable Bond below(String device) {
        Bond itself = read(device);
        return itself != null
                ? itself
                : files.names(NET + device).stream()
                        .filter(name -> name.startsWith(LOWER))
                        .flatMap(name -> Stream.ofNullable(read(name.substring(LOWER.length()))))
                        .findFirst()
                        .orElse(null);
    }

    /** Returns the bond with this name; null if the device is not a bond. */
    @Nullable Bond read(String name) {
        String directory = NET + name + "/bonding";
        String mode = word(directory + "/mode");
        return mode.isEmpty() ? null : new Bond(name, mode, word(directory + "/xmit_hash_policy"), slaves(directory));
    }

    private List<Bond.Slave> slaves(String directory) {
        return files.words(directory + "/slaves").stream()
                .map(nic -> new Bond.Slave(
                        nic,
                        files.text(NET + nic + "/bonding_slave/mii_status").equals("up"),
                        files.number(NET + nic + "/bonding_slave/link_failure_count", -1),
                        files.number(NET + nic + "/statistics/rx_bytes", -1),
                        files.number(NET + nic + "/statistics/tx_bytes", -1)))
                .toList();
    }

    /** The files contain a word and its number: {@code layer3+4 1}. */
    private String word(String path) {
        return files.text(path).split("\\s+", 2)[0];
    }
}
