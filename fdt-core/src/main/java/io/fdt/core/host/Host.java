package io.fdt.core.host;

import io.fdt.core.stats.CoreTimes;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A host at one moment, as far as it shows itself: what is missing in {@code /proc} and {@code /sys} is missing here
 * and never zero by accident. Immutable, so that all that is concluded from it can be concluded from a recorded host.
 *
 * @param bootId changes with every start of the kernel; empty when unknown
 * @param lastCaches one entry for each last cache
 * @param sysctls those that matter for bulk transfers, by their dotted names, to the byte
 * @param irqbalancePid 0 when no irqbalance runs
 * @param load what each core did since the start
 * @param lanes of fdt processes that run now
 */
public record Host(
        String name,
        String kernel,
        String cpu,
        String bootId,
        List<Core> cores,
        List<NumaNode> nodes,
        List<Cache> lastCaches,
        List<Nic> nics,
        List<Bond> bonds,
        List<RdmaDevice> rdma,
        SortedMap<String, String> sysctls,
        int irqbalancePid,
        List<CoreTimes> load,
        List<LaneThread> lanes) {
    public Host {
        cores = List.copyOf(cores);
        nodes = List.copyOf(nodes);
        lastCaches = List.copyOf(lastCaches);
        nics = List.copyOf(nics);
        bonds = List.copyOf(bonds);
        rdma = List.copyOf(rdma);
        sysctls = new TreeMap<>(sysctls);
        load = List.copyOf(load);
        lanes = List.copyOf(lanes);
    }

    /** Reads the host whose root directory this is: {@code /}, or where a recorded one was unpacked. */
    public static Host read(Path root) {
        return new HostReader(new HostFiles(root)).read();
    }

    /** Whether it shows nothing that could be steered. */
    public boolean isOpaque() {
        return cores.isEmpty() && nics.isEmpty();
    }

    public @Nullable Nic nic(String wanted) {
        return nics.stream()
                .filter(nic -> nic.name().equals(wanted))
                .findFirst()
                .orElse(null);
    }

    public @Nullable Bond bond(String wanted) {
        return bonds.stream()
                .filter(bond -> bond.name().equals(wanted))
                .findFirst()
                .orElse(null);
    }

    public @Nullable Core core(int id) {
        return cores.stream().filter(core -> core.id() == id).findFirst().orElse(null);
    }

    /** All that are online. */
    public CoreSet online() {
        return CoreSet.of(cores.stream().mapToInt(Core::id));
    }

    /** Those near a NIC; all where it has no node or the node no cores. */
    public CoreSet coresNear(Nic nic) {
        CoreSet near = CoreSet.of(
                cores.stream().filter(core -> core.node() == nic.node()).mapToInt(Core::id));
        return near.isEmpty() ? online() : near;
    }
}
