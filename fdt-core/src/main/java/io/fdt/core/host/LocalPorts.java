package io.fdt.core.host;

import java.util.BitSet;
import java.util.List;

/** The ports from which the kernel, too, would choose one for an outgoing connection. Immutable. */
record LocalPorts(int first, int last, BitSet reserved) {
    private static final int FIRST = 32_768;
    private static final int LAST = 60_999;
    private static final int PORTS = 1 << 16;

    static LocalPorts read(HostFiles files) {
        List<String> range = files.words("proc/sys/net/ipv4/ip_local_port_range");
        boolean known = range.size() == 2 && range.stream().allMatch(word -> word.matches("\\d{1,5}"));
        int first = known ? Integer.parseInt(range.get(0)) : FIRST;
        int last = known ? Integer.parseInt(range.get(1)) : LAST;
        boolean sound = first > 0 && first <= last && last < PORTS;
        // What an operator keeps for others: 8080,9000-9100.
        BitSet reserved = CoreSet.numbersOf(files.text("proc/sys/net/ipv4/ip_local_reserved_ports"));
        return new LocalPorts(sound ? first : FIRST, sound ? last : LAST, reserved == null ? new BitSet() : reserved);
    }

    int count() {
        return last - first + 1;
    }

    /** The port at a place, counted around; 0 when it is reserved. */
    int at(int index) {
        int port = first + Math.floorMod(index, count());
        return reserved.get(port) ? 0 : port;
    }
}
