package io.fdt.core.host;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The bonds below {@code /sys/class/net}, with what went over each of their slaves. */
record BondReader(HostFiles files) {
    private static final String NET = "sys/class/net/";

    List<Bond> read() {
        List<Bond> bonds = new ArrayList<>();
        for (String name : files.names("sys/class/net")) {
            Bond bond = read(name);
            if (bond != null) {
                bonds.add(bond);
            }
        }
        return bonds;
    }

    /** One of them; null when that is none. */
    @Nullable Bond read(String name) {
        String directory = NET + name + "/bonding";
        String mode = word(directory + "/mode");
        return mode.isEmpty() ? null : new Bond(name, mode, word(directory + "/xmit_hash_policy"), slaves(directory));
    }

    private List<Bond.Slave> slaves(String directory) {
        List<Bond.Slave> slaves = new ArrayList<>();
        for (String nic : files.words(directory + "/slaves")) {
            slaves.add(new Bond.Slave(
                    nic,
                    files.text(NET + nic + "/bonding_slave/mii_status").equals("up"),
                    files.number(NET + nic + "/bonding_slave/link_failure_count", -1),
                    files.number(NET + nic + "/statistics/rx_bytes", -1),
                    files.number(NET + nic + "/statistics/tx_bytes", -1)));
        }
        return slaves;
    }

    /** The files hold a word and its number: {@code layer3+4 1}. */
    private String word(String path) {
        return files.text(path).split("\\s+", 2)[0];
    }
}
