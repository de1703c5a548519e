package io.fdt.core.host;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads the devices below {@code /sys/class/infiniband}. */
record RdmaReader(HostFiles files) {
    private static final String DEVICES = "sys/class/infiniband/";

    /** The header bytes of a RoCE v2 packet in Ethernet's payload: IPv6, UDP and the transport. */
    private static final int ROCE_OVERHEAD_BYTES = 40 + 8 + 28 + 4;

    /** These two count 4-byte words. */
    private static final List<String> WORD_COUNTERS = List.of("port_xmit_data", "port_rcv_data");

    List<RdmaDevice> read() {
        return files.names("sys/class/infiniband").stream().map(this::device).toList();
    }

    private RdmaDevice device(String name) {
        List<RdmaDevice.Port> ports = files.numbers(DEVICES + name + "/ports", "").stream()
                .map(number -> port(DEVICES + name + "/ports/" + number, number))
                .toList();
        return new RdmaDevice(name, (int) files.number(DEVICES + name + "/device/numa_node", -1), ports);
    }

    private RdmaDevice.Port port(String directory, int number) {
        String state = files.text(directory + "/state");
        String layer = files.text(directory + "/link_layer");
        String nic = files.words(directory + "/gid_attrs/ndevs/0").stream()
                .findFirst()
                .orElse("");
        SortedMap<String, Long> counters = new TreeMap<>();
        for (String kind : List.of("/counters", "/hw_counters")) {
            for (String name : files.names(directory + kind)) {
                long value = files.number(directory + kind + "/" + name, 0);
                if (value != 0) {
                    counters.put(name, WORD_COUNTERS.contains(name) ? value * 4 : value);
                }
            }
        }
        return new RdmaDevice.Port(
                number,
                state.substring(state.indexOf(':') + 1).strip(),
                layer,
                files.text(directory + "/rate"),
                nic,
                layer.equals("Ethernet") ? roceMtu(files.number("sys/class/net/" + nic + "/mtu", 0)) : 0,
                counters);
    }

    private static int roceMtu(long nicMtuBytes) {
        for (int mtu = 4096; mtu >= 256; mtu /= 2) {
            if (mtu + ROCE_OVERHEAD_BYTES <= nicMtuBytes) {
                return mtu;
            }
        }
        return 0;
    }
}
