package io.fdt.core.host;

import io.fdt.core.stats.CoreTimes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

record HostReader(HostFiles files) {
    /** The settings that affect the rate of bulk transfers, as files below {@code /proc/sys}. */
    static final List<String> SYSCTLS = List.of(
            "net.core.rmem_max",
            "net.core.wmem_max",
            "net.core.netdev_max_backlog",
            "net.core.netdev_budget",
            "net.core.default_qdisc",
            "net.core.optmem_max",
            "net.core.max_skb_frags",
            "net.core.rps_sock_flow_entries",
            "net.ipv4.tcp_rmem",
            "net.ipv4.tcp_wmem",
            "net.ipv4.tcp_mem",
            "net.ipv4.tcp_congestion_control",
            "net.ipv4.tcp_available_congestion_control",
            "net.ipv4.tcp_mtu_probing",
            "net.ipv4.tcp_adv_win_scale",
            "net.ipv4.tcp_window_scaling",
            "net.ipv4.tcp_timestamps",
            "net.ipv4.tcp_sack");

    private static final String CPUS = "sys/devices/system/cpu";
    private static final String NODES = "sys/devices/system/node";

    /** @param all false to leave out processes and settings */
    Host read(boolean all) {
        List<NumaNode> nodes = nodes();
        List<Nic> nics = new NicReader(files).read();
        return new Host(
                files.text("proc/sys/kernel/hostname"),
                new Host.Machine(
                        Caption.cpu(files),
                        files.text("proc/sys/kernel/osrelease"),
                        files.text("proc/sys/kernel/random/boot_id")),
                new Host.Topology(cores(nodes, lastCaches()), nodes),
                new Host.Network(nics, new BondReader(files).read(), new RdmaReader(files).read()),
                all ? sysctls() : new TreeMap<>(),
                new CpuUse(files.path("")).cores(),
                all ? processes() : Host.Processes.NONE);
    }

    private Host.Processes processes() {
        ProcessReader processes = new ProcessReader(files);
        return new Host.Processes(processes.irqbalance(), processes.lanes());
    }

    private List<NumaNode> nodes() {
        return files.numbers(NODES, "node").stream()
                .map(id -> new NumaNode(id, files.cores(NODES + "/node" + id + "/cpulist")))
                .toList();
    }

    private List<Core> cores(List<NumaNode> nodes, List<Cache> caches) {
        CoreSet online = files.cores(CPUS + "/online");
        if (online.isEmpty()) {
            online = CoreSet.of(new CpuUse(files.path("")).cores().stream().mapToInt(CoreTimes::core));
        }
        Map<Integer, Integer> nodeOf = new HashMap<>();
        nodes.forEach(node -> node.cores().toList().forEach(core -> nodeOf.put(core, node.id())));
        List<Core> cores = new ArrayList<>();
        for (int id : online.toList()) {
            String directory = CPUS + "/cpu" + id;
            CoreSet siblings = files.cores(directory + "/topology/thread_siblings_list");
            CoreSet sharing = caches.stream()
                    .map(Cache::cores)
                    .filter(set -> set.contains(id))
                    .findFirst()
                    .orElse(CoreSet.of(id));
            cores.add(new Core(
                    id,
                    nodeOf.getOrDefault(id, 0),
                    (int) files.number(directory + "/topology/physical_package_id", -1),
                    siblings.contains(id) ? siblings : CoreSet.of(id),
                    sharing,
                    files.text(directory + "/cpufreq/scaling_governor")));
        }
        return cores;
    }

    /** Returns each last-level cache once. */
    private List<Cache> lastCaches() {
        Set<Cache> caches = new LinkedHashSet<>();
        for (int core : files.numbers(CPUS, "cpu")) {
            Cache last = null;
            for (int index : files.numbers(CPUS + "/cpu" + core + "/cache", "index")) {
                Cache cache = cache(CPUS + "/cpu" + core + "/cache/index" + index);
                if (last == null || cache.level() > last.level()) {
                    last = cache;
                }
            }
            if (last != null && !last.cores().isEmpty()) {
                caches.add(last);
            }
        }
        return List.copyOf(caches);
    }

    private Cache cache(String directory) {
        return new Cache((int) files.number(directory + "/level", 0), files.cores(directory + "/shared_cpu_list"));
    }

    private SortedMap<String, String> sysctls() {
        SortedMap<String, String> values = new TreeMap<>();
        for (String name : SYSCTLS) {
            String value = files.exact("proc/sys/" + name.replace('.', '/'));
            if (value != null) {
                values.put(name, value);
            }
        }
        return values;
    }
}
