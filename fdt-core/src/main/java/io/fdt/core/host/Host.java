package io.fdt.core.host;

import io.fdt.core.stats.CoreTimes;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The state of a host at one moment. What {@code /proc} and {@code /sys} do not show is absent or marked as unknown,
 * never zero by accident. Immutable, so that every conclusion can also be drawn from a recorded host.
 *
 * @param sysctls those that matter for bulk transfers, by dotted name, with their exact text
 * @param load the activity of each core since boot
 */
public record Host(
        String name,
        Machine machine,
        Topology topology,
        Network network,
        SortedMap<String, String> sysctls,
        List<CoreTimes> load,
        Processes processes) {
    public Host {
        sysctls = new TreeMap<>(sysctls);
        load = List.copyOf(load);
    }

    /** @param bootId changes with every boot; empty if unknown */
    public record Machine(String cpu, String kernel, String bootId) {}

    public record Topology(List<Core> cores, List<NumaNode> nodes) {
        public Topology {
            cores = List.copyOf(cores);
            nodes = List.copyOf(nodes);
        }

        public @Nullable Core core(int id) {
            return cores.stream().filter(core -> core.id() == id).findFirst().orElse(null);
        }

        public CoreSet online() {
            return CoreSet.of(cores.stream().mapToInt(Core::id));
        }

        /** Returns the cores near a NIC; all cores if the NIC has no node or the node has no cores. */
        public CoreSet near(Nic nic) {
            CoreSet near = CoreSet.of(cores.stream()
                    .filter(core -> core.node() == nic.device().node())
                    .mapToInt(Core::id));
            return near.isEmpty() ? online() : near;
        }
    }

    public record Network(List<Nic> nics, List<Bond> bonds, List<RdmaDevice> rdma) {
        public Network {
            nics = List.copyOf(nics);
            bonds = List.copyOf(bonds);
            rdma = List.copyOf(rdma);
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
    }

    /**
     * The processes that matter for bulk transfers.
     *
     * @param irqbalancePid 0 if irqbalance does not run
     * @param lanes the running lanes of fdt processes
     */
    public record Processes(int irqbalancePid, List<LaneThread> lanes) {
        static final Processes NONE = new Processes(0, List.of());

        public Processes {
            lanes = List.copyOf(lanes);
        }
    }

    /** Reads the host with this root directory: {@code /}, or the directory of an unpacked recording. */
    public static Host read(Path root) {
        return new HostReader(new HostFiles(root)).read(true);
    }

    /** Reads the host without its processes and settings: to find a few among all processes takes long. */
    public static Host readHardware(Path root) {
        return new HostReader(new HostFiles(root)).read(false);
    }

    /** Whether the host shows nothing that could be tuned. */
    public boolean isOpaque() {
        return topology.cores.isEmpty() && network.nics.isEmpty();
    }
}
