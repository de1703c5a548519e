package io.fdt.core.host.tune;

import io.fdt.core.host.CoreMask;
import io.fdt.core.host.CoreSet;
import io.fdt.core.host.Host;
import io.fdt.core.host.Interrupt;
import io.fdt.core.host.Nic;
import io.fdt.core.host.NicQueue;
import io.fdt.core.host.PciLink;
import io.fdt.core.host.tune.Write.Format;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The changes that would tune a host for bulk transfers, as writes to kernel files. A pure function of the host and the
 * request; the plan for a host that is already tuned is empty.
 *
 * @param lanes where the lanes of a transfer should run, by lane index
 * @param notes problems that the plan does not solve, or leaves to the operator
 * @param irqbalancePid the process to stop first; 0 if none
 */
public record TunePlan(List<Write> writes, List<LanePlace> lanes, List<String> notes, int irqbalancePid) {
    private static final long DEFAULT_RTT_NANOS = 100_000_000;
    private static final long GIGABIT = 1_000_000_000;
    private static final int PLAIN_MTU = 1500;

    /** The maximum of PCI Express. */
    static final int READ_REQUEST_BYTES = 4096;

    /** Notices for some 1,000 sends of a lane. */
    static final long OPTMEM_BYTES = 1 << 20;

    public TunePlan {
        writes = List.copyOf(writes);
        lanes = List.copyOf(lanes);
        notes = List.copyOf(notes);
    }

    public boolean isEmpty() {
        return writes.isEmpty() && irqbalancePid == 0;
    }

    /** A lane and its core, which is beside one that handles a queue of the NIC. */
    public record LanePlace(int lane, int core, int node) {}

    public static TunePlan of(Host host, TuneRequest request) {
        return new Maker(host, request).plan();
    }

    /** Returns how many packets may wait for a core at this rate; 0 if the rate is unknown. */
    static long backlogFor(long rateBitsPerSecond) {
        return rateBitsPerSecond >= 40 * GIGABIT ? 250_000 : rateBitsPerSecond >= 10 * GIGABIT ? 30_000 : 0;
    }

    /** Whether the cost of a packet matters most. */
    static boolean isVeryFast(Nic nic) {
        return nic.link().bitsPerSecond() >= 100 * GIGABIT;
    }

    /** Whether the NIC is so fast that it should use larger read requests. */
    static boolean hasSmallReadRequest(Nic nic) {
        PciLink pci = nic.device().pci();
        return pci != null
                && nic.link().bitsPerSecond() >= 25 * GIGABIT
                && pci.readRequestBytes() > 0
                && pci.readRequestBytes() < READ_REQUEST_BYTES
                && pci.address().matches("[0-9a-f]{4,8}(:[0-9a-f]{2}){2}\\.[0-7]");
    }

    private static final class Maker {
        private final Host host;
        private final TuneRequest request;
        private final List<Nic> nics;
        private final List<Write> writes = new ArrayList<>();
        private final List<String> notes = new ArrayList<>();
        private final Set<Integer> placed = new HashSet<>();
        private boolean moved;

        Maker(Host host, TuneRequest request) {
            this.host = host;
            this.request = request;
            this.nics = request.nicsOf(host);
        }

        TunePlan plan() {
            Map<CoreSet, List<Nic>> groups = new LinkedHashMap<>();
            for (Nic nic : nics) {
                groups.computeIfAbsent(host.topology().near(nic), near -> new ArrayList<>())
                        .add(nic);
            }
            Map<Layout, Integer> layouts = new LinkedHashMap<>();
            groups.forEach((near, group) -> {
                Layout layout = new Layout(host, near);
                if (layout.pairs() > 0) {
                    layouts.put(layout, group.get(0).device().node());
                    place(layout, group);
                }
            });
            if (nics.isEmpty()) {
                notes.add("no NIC is up; choose one with --nic");
            }
            readRequests();
            sysctls();
            // Even interrupts that are already in place only stay there if nothing moves them.
            boolean balancer = host.processes().irqbalancePid() != 0 && moved;
            return new TunePlan(
                    writes, lanes(layouts), notes, balancer ? host.processes().irqbalancePid() : 0);
        }

        private List<LanePlace> lanes(Map<Layout, Integer> layouts) {
            List<LanePlace> lanes = new ArrayList<>();
            List<Map.Entry<Layout, Integer>> all = List.copyOf(layouts.entrySet());
            for (int lane = 0; lane < request.lanesOrDefault() && !all.isEmpty(); lane++) {
                Map.Entry<Layout, Integer> entry = all.get(lane % all.size());
                lanes.add(new LanePlace(lane, entry.getKey().laneCore(lane / all.size()), entry.getValue()));
            }
            return lanes;
        }

        /** NICs near the same cores share them in turn. */
        private void place(Layout layout, List<Nic> group) {
            int first = 0;
            for (Nic nic : group) {
                int queues = interrupts(layout, nic, first);
                rps(layout, nic, first);
                xps(layout, nic, first);
                if (queues > layout.queueSlots()) {
                    notes.add(nic.name() + " has " + queues + " queues for " + layout.queueSlots()
                            + " cores near it, so some share a core; ethtool -L " + nic.name() + " combined "
                            + layout.queueSlots() + " would give each its own core (this resets the link)");
                }
                first += queues;
            }
        }

        /** Returns the number of queues with interrupts. */
        private int interrupts(Layout layout, Nic nic, int first) {
            int queues = 0;
            for (Interrupt interrupt : nic.queues().queueInterrupts()) {
                queues = Math.max(queues, interrupt.queue() + 1);
                CoreMask affinity = interrupt.affinity();
                if (affinity == null || !placed.add(interrupt.number())) {
                    continue;
                }
                moved = true;
                int core = layout.queueCore(first + interrupt.queue());
                add(new Write(
                        "proc/irq/" + interrupt.number() + "/smp_affinity_list",
                        Format.LIST,
                        interrupt.name(),
                        affinity.text(),
                        core + "\n",
                        "interrupt of " + nic.name() + " queue " + interrupt.queue() + " to core " + core + near(nic)));
            }
            return queues;
        }

        private String near(Nic nic) {
            return nic.device().node() >= 0 && host.topology().nodes().size() > 1
                    ? " of the NIC's node " + nic.device().node()
                    : "";
        }

        /** If one queue serves several pairs, its packets are passed on to the cores of the other pairs. */
        private void rps(Layout layout, Nic nic, int first) {
            int queues = nic.queues().received().size();
            for (NicQueue queue : nic.queues().received()) {
                CoreMask present = queue.cores();
                if (present == null) {
                    continue;
                }
                CoreSet cores = handedTo(layout, queues, queue.index(), first);
                String reason = cores.isEmpty()
                        ? "the NIC itself spreads streams over enough queues"
                        : "packets of " + nic.name() + " queue " + queue.index() + ", one of " + queues
                                + ", are handed to core" + (cores.size() == 1 ? " " : "s ") + cores;
                add(new Write(
                        "sys/class/net/" + nic.name() + "/queues/rx-" + queue.index() + "/rps_cpus",
                        Format.MASK,
                        nic.name(),
                        present.text(),
                        cores.mask() + "\n",
                        reason));
            }
        }

        private static CoreSet handedTo(Layout layout, int queues, int queue, int first) {
            int own = (first + queue) % layout.pairs();
            CoreSet cores = CoreSet.NONE;
            if (layout.pairs() == 1 && queues == 1) {
                cores = CoreSet.of(layout.laneCoreOf(0));
            } else if (queues * 2 <= layout.pairs()) {
                for (int i = 0; i < layout.pairs(); i++) {
                    if (i % queues == queue % queues) {
                        cores = cores.or(CoreSet.of(layout.queueCoreOf((first + i) % layout.pairs())));
                    }
                }
            }
            return cores.without(CoreSet.of(layout.queueCoreOf(own)));
        }

        /** Packets of a lane leave through the queue whose interrupts the neighbouring core handles. */
        private void xps(Layout layout, Nic nic, int first) {
            int queues = nic.queues().sent().size();
            if (queues < 2) {
                return;
            }
            for (NicQueue queue : nic.queues().sent()) {
                CoreMask present = queue.cores();
                if (present == null) {
                    continue;
                }
                CoreSet cores = CoreSet.NONE;
                for (int i = 0; i < layout.pairs(); i++) {
                    if (queues >= layout.pairs() ? queue.index() % layout.pairs() == i : i % queues == queue.index()) {
                        cores = cores.or(layout.threads((first + i) % layout.pairs()));
                    }
                }
                add(new Write(
                        "sys/class/net/" + nic.name() + "/queues/tx-" + queue.index() + "/xps_cpus",
                        Format.MASK,
                        nic.name(),
                        present.text(),
                        cores.mask() + "\n",
                        "packets that cores " + cores + " send leave through " + nic.name() + " queue "
                                + queue.index()));
            }
        }

        /** A NIC reads the data to send from memory; larger requests keep more of it in flight. */
        private void readRequests() {
            Set<String> devices = new HashSet<>();
            for (Nic nic : nics) {
                PciLink pci = nic.device().pci();
                if (pci != null && hasSmallReadRequest(nic) && devices.add(pci.address())) {
                    add(new Write(
                            "sys/bus/pci/devices/" + pci.address() + "/config",
                            Format.WORDS,
                            nic.name(),
                            pci.readRequestBytes() + "\n",
                            READ_REQUEST_BYTES + "\n",
                            "PCIe MaxReadReq of " + nic.name() + ": the bytes it requests from memory at once"));
                }
            }
        }

        private void sysctls() {
            long rate = request.rate(nics);
            if (rate == 0) {
                notes.add("no NIC reports its speed, so no buffers are planned; give --rate");
            } else {
                long rtt = request.rttNanos() > 0 ? request.rttNanos() : DEFAULT_RTT_NANOS;
                Windows windows = new Windows(rate, rtt, request.lanesOrDefault());
                String reason = windows.arithmetic() + (request.rttNanos() > 0 ? "" : " (give --rtt for your path)");
                buffer("net.ipv4.tcp_rmem", windows.bufferBytes(), reason);
                buffer("net.ipv4.tcp_wmem", windows.bufferBytes(), reason);
                String fixed = "maximum for --socket-buffer, the same value";
                atLeast("net.core.rmem_max", windows.bufferBytes(), fixed);
                atLeast("net.core.wmem_max", windows.bufferBytes(), fixed);
                atLeast(
                        "net.core.netdev_max_backlog",
                        backlogFor(rate),
                        "packets that can wait for the core that handles them");
            }
            if (nics.stream().anyMatch(TunePlan::isVeryFast)) {
                atLeast("net.core.optmem_max", OPTMEM_BYTES, "notices about data that is sent without copying");
            }
            if (nics.stream().anyMatch(nic -> nic.link().mtuBytes() > PLAIN_MTU)) {
                atLeast("net.ipv4.tcp_mtu_probing", 1, "detect large packets that a router drops silently");
            }
        }

        /** Raises the last of three numbers; never lowers it. */
        private void buffer(String sysctl, long bytes, String reason) {
            String present = host.sysctls().get(sysctl);
            if (present != null
                    && present.strip().matches("\\d+\\s+\\d+\\s+\\d{1,18}")
                    && Windows.last(host, sysctl) < bytes) {
                String[] numbers = present.strip().split("\\s+", -1);
                add(sysctl, present, numbers[0] + "\t" + numbers[1] + "\t" + bytes, reason);
            }
        }

        private void atLeast(String sysctl, long least, String reason) {
            String present = host.sysctls().get(sysctl);
            if (present != null && present.strip().matches("\\d{1,18}") && Windows.last(host, sysctl) < least) {
                add(sysctl, present, String.valueOf(least), reason);
            }
        }

        private void add(String sysctl, String present, String value, String reason) {
            add(new Write("proc/sys/" + sysctl.replace('.', '/'), Format.WORDS, "", present, value + "\n", reason));
        }

        private void add(Write write) {
            if (!write.format().same(write.before(), write.value())) {
                writes.add(write);
            }
        }
    }
}
