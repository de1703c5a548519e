package io.fdt.core.host;

import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The hardware behind a figure, for the caption under it.
 *
 * @param allowedCores that this process may run on
 * @param nicBitsPerSecond its speed; 0 where it has none or does not tell
 * @param slot what the PCIe slots behind it carry, as arithmetic; empty when unknown
 * @param slotBitsPerSecond what they carry in practice, together; 0 when unknown
 */
public record Caption(
        String host,
        String cpu,
        int cores,
        int allowedCores,
        String kernel,
        String nic,
        long nicBitsPerSecond,
        String slot,
        long slotBitsPerSecond) {
    private static final long BITS_PER_MEGABIT = 1_000_000;

    /** Of this host, on its way to a peer. {@code root} is the root directory but for tests. */
    public static Caption of(Path root, InetAddress peer) {
        String nic = interfaceTo(peer);
        HostFiles files = new HostFiles(root);
        List<PciLink> slots = slots(files, nic);
        int cores = new CpuUse(root).cores().size();
        return new Caption(
                files.text("proc/sys/kernel/hostname"),
                cpu(files.lines("proc/cpuinfo")),
                cores,
                allowed(files.lines("proc/self/status"), cores),
                files.text("proc/sys/kernel/osrelease"),
                nic,
                speed(files.text("sys/class/net/" + nic + "/speed")),
                slots.stream().map(PciLink::arithmetic).collect(Collectors.joining("; ")),
                Math.round(slots.stream()
                        .mapToDouble(PciLink::practicalBitsPerSecond)
                        .sum()));
    }

    /** Of the interface, or of the slaves of a bond. The ports of one card share its slot. */
    static List<PciLink> slots(HostFiles files, String nic) {
        if (nic.isEmpty()) {
            return List.of();
        }
        List<String> slaves = files.words("sys/class/net/" + nic + "/bonding/slaves");
        NicReader nics = new NicReader(files);
        Map<String, PciLink> byCard = new LinkedHashMap<>();
        for (String name : slaves.isEmpty() ? List.of(nic) : slaves) {
            PciLink link = nics.pciOf(name);
            if (link != null) {
                byCard.putIfAbsent(link.address().replaceFirst("\\.\\d$", ""), link);
            }
        }
        return List.copyOf(byCard.values());
    }

    /** {@code Cpus_allowed: f,ffffffff}: one bit a core. */
    private static int allowed(List<String> status, int cores) {
        for (String line : status) {
            if (line.startsWith("Cpus_allowed:")) {
                long bits = line.substring(line.indexOf(':') + 1)
                        .chars()
                        .map(digit -> Integer.bitCount(Math.max(0, Character.digit(digit, 16))))
                        .sum();
                return (int) Math.min(bits, cores);
            }
        }
        return cores;
    }

    private static String cpu(List<String> cpuinfo) {
        String arm = "";
        for (String line : cpuinfo) {
            String value = line.substring(line.indexOf(':') + 1).strip();
            if (line.startsWith("model name")) {
                return value;
            }
            if (line.startsWith("CPU part") && arm.isEmpty()) {
                arm = "ARM part " + value;
            }
        }
        return arm;
    }

    /** The kernel is asked for the route; nothing is sent. */
    private static String interfaceTo(InetAddress peer) {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(new InetSocketAddress(peer, 9));
            NetworkInterface nic = NetworkInterface.getByInetAddress(socket.getLocalAddress());
            return nic == null ? "" : nic.getName();
        } catch (SocketException | RuntimeException noRoute) {
            return "";
        }
    }

    /** In megabits; -1 where the link is down or has no speed. */
    private static long speed(String megabits) {
        return megabits.matches("\\d{1,9}") ? Long.parseLong(megabits) * BITS_PER_MEGABIT : 0;
    }
}
