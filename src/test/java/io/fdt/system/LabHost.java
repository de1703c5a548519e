package io.fdt.system;

import java.util.ArrayList;
import java.util.List;

/**
 * A network namespace of a guest of {@code scripts/lab}, standing for a host: with interfaces of its own, and with the files
 * of the guest. It goes with what is in it when it is closed. Nothing is made outside of the lab.
 */
final class LabHost implements AutoCloseable {
    private final String name;

    private LabHost(String name) {
        this.name = name;
    }

    /** Makes an empty host; the name is its name in the kernel, too. */
    static LabHost named(String name) {
        if (System.getenv("FDT_LAB") == null) {
            throw new AssertionError(
                    "this changes the network of the machine it runs on: scripts/lab test runs it elsewhere");
        }
        Shell.ok("ip", "netns", "add", name);
        LabHost host = new LabHost(name);
        host.ok("ip", "link", "set", "lo", "up");
        return host;
    }

    /** Joins two hosts by a pair of interfaces that have this name on both sides and are down. */
    static void join(LabHost one, LabHost other, String wire) {
        Shell.ok("ip", "-n", one.name, "link", "add", wire, "type", "veth", "peer", "name", wire, "netns", other.name);
        // Else a packet would be up to 64 KiB here, and its loss that of forty real ones.
        one.ok("ethtool", "-K", wire, "tso", "off", "gso", "off", "gro", "off");
        other.ok("ethtool", "-K", wire, "tso", "off", "gso", "off", "gro", "off");
    }

    /** Gives an interface an address and brings it up. */
    void up(String wire, String address) {
        ok("ip", "address", "add", address, "dev", wire);
        ok("ip", "link", "set", wire, "up");
    }

    /** What a command printed that must succeed on this host. */
    String ok(Object... command) {
        return Shell.ok(inside(Shell.words(command)).toArray());
    }

    /** The same process, but on this host. */
    FdtProcess.Setup inside(FdtProcess.Setup setup) {
        return new FdtProcess.Setup(setup.name(), inside(setup.command()), setup.environment(), setup.directory());
    }

    private List<String> inside(List<String> command) {
        // It becomes the command and does not stay its parent, so that a signal reaches that.
        List<String> words = new ArrayList<>(List.of("ip", "netns", "exec", name));
        words.addAll(command);
        return words;
    }

    /** A counter of an interface, as {@code tx_bytes}. */
    long counter(String wire, String counter) {
        return Long.parseLong(
                ok("cat", "/sys/class/net/" + wire + "/statistics/" + counter).strip());
    }

    /** A counter of TCP on this host, as {@code InCsumErrors}. */
    long tcp(String counter) {
        List<String> lines = ok("cat", "/proc/net/snmp")
                .lines()
                .filter(line -> line.startsWith("Tcp:"))
                .toList();
        int column = List.of(lines.get(0).split(" ", -1)).indexOf(counter);
        return Long.parseLong(lines.get(1).split(" ", -1)[column]);
    }

    @Override
    public void close() {
        Shell.ok("ip", "netns", "delete", name);
    }
}
