package io.fdt.core.host;

import io.fdt.core.stats.HostFacts;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads the facts about a host for the caption of a report. */
public final class Caption {
    private static final long BITS_PER_MEGABIT = 1_000_000;

    private Caption() {}

    /**
     * Returns the facts about this host.
     *
     * @param root the root directory except in tests
     * @param peer determines the NIC; null for none
     */
    public static HostFacts of(Path root, @Nullable InetAddress peer, String software) {
        String nic = peer == null ? "" : interfaceTo(peer);
        HostFiles files = new HostFiles(root);
        List<PciLink> slots = slots(files, nic);
        int cores = new CpuUse(root).cores().size();
        return new HostFacts(
                software,
                files.text("proc/sys/kernel/hostname"),
                files.text("proc/sys/kernel/osrelease"),
                new HostFacts.Cpu(cpu(files), cores, allowed(files, cores)),
                new HostFacts.Nic(
                        nic,
                        Math.max(0, files.number("sys/class/net/" + nic + "/speed", 0)) * BITS_PER_MEGABIT,
                        slots.stream().map(PciLink::arithmetic).collect(Collectors.joining("; ")),
                        Math.round(slots.stream()
                                .mapToDouble(PciLink::practicalBitsPerSecond)
                                .sum())));
    }

    /**
     * Returns the links of the interface, or of the slaves if it is a bond: one for each card, because its ports share
     * a slot.
     */
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

    /**
     * Counts the bits of {@code Cpus_allowed: f,ffffffff}, one for each core. Of this host, Java also knows the share
     * that a container may use.
     */
    private static int allowed(HostFiles files, int cores) {
        String mask = files.value("proc/self/status", "Cpus_allowed:", ':');
        int bits = mask.chars()
                .map(digit -> Integer.bitCount(Math.max(0, Character.digit(digit, 16))))
                .sum();
        int most = files.path("").equals(Path.of("/")) ? Runtime.getRuntime().availableProcessors() : cores;
        return Math.min(most, mask.isEmpty() ? cores : Math.min(bits, cores));
    }

    static String cpu(HostFiles files) {
        String model = files.value("proc/cpuinfo", "model name", ':');
        String arm = model.isEmpty() ? files.value("proc/cpuinfo", "CPU part", ':') : "";
        return arm.isEmpty() ? model : "ARM part " + arm;
    }

    private static String interfaceTo(InetAddress peer) {
        InetAddress source = BondPorts.routeTo(new InetSocketAddress(peer, 9));
        String device = source == null ? null : BondPorts.deviceOf(source);
        return device == null ? "" : device;
    }
}
