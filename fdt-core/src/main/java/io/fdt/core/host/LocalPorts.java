package io.fdt.core.host;

import java.util.BitSet;
import java.util.List;

/** The range from which the kernel also chooses ports for outgoing connections. Immutable. */
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
        // Ports that the operator reserves for others: 8080,9000-9100.
        BitSet reserved = CoreSet.numbersOf(files.text("proc/sys/net/ipv4/ip_local_reserved_ports"));
        return new LocalPorts(sound ? first : FIRST, sound ? last : LAST, reserved == null ? new BitSet() : reserved);
    }

    int count() {
        return last - first + 1;
    }

    /** Returns the port at an index modulo the size of the range; 0 if it is reserved. */
    int at(int index) {
        int port = first + Math.floorMod(index, count());
        return reserved.get(port) ? 0 : port;
    }
}
