package io.fdt.core.host.tune;

import io.fdt.core.basic.Figures;
import io.fdt.core.host.Bond;
import io.fdt.core.host.Core;
import io.fdt.core.host.CoreSet;
import io.fdt.core.host.Host;
import io.fdt.core.host.Interrupt;
import io.fdt.core.host.LaneThread;
import io.fdt.core.host.Nic;
import io.fdt.core.host.NicQueue;
import io.fdt.core.host.NicSettings;
import io.fdt.core.host.PciLink;
import io.fdt.core.host.tune.Finding.Severity;
import io.fdt.core.stats.CoreTimes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Finds the problems of a host for bulk transfers: a pure function of the host and the request. */
public final class Findings {
    /** A queue with less than this part of the mean of its NIC's queues since boot is not busy: 2 % of eight queues. */
    private static final double BUSY_PART = 0.16;

    private static final double HOT_SOFTIRQ = 0.8;
    private static final long JUMBO_RATE = 10_000_000_000L;
    private static final int SMALL_MTU = 1500;
    private static final int UNEVEN_SLAVES = 3;
    private static final long ENOUGH_BYTES = 1L << 30;
    private static final int MANY_FRAGMENTS = 45;
    private static final long PLAIN_PACKET_BYTES = 1 << 16;

    /** The settings of the kernel's stack, and ESnet's values for hosts of 100 Gbit/s. */
    private static final Map<String, Long> BIG_TCP_BYTES = bigTcpBytes();

    private static final String PLAN = "fdt tune plan shows a better core for each";

    private final Host host;
    private final TuneRequest request;
    private final List<Nic> nics;
    private final List<Finding> findings = new ArrayList<>();

    private Findings(Host host, TuneRequest request) {
        this.host = host;
        this.request = request;
        this.nics = request.nicsOf(host);
    }

    private static Map<String, Long> bigTcpBytes() {
        Map<String, Long> bytes = new LinkedHashMap<>();
        bytes.put("gso_max_size", 185_000L);
        bytes.put("gro_max_size", 185_000L);
        bytes.put("gso_ipv4_max_size", 150_000L);
        bytes.put("gro_ipv4_max_size", 150_000L);
        return bytes;
    }

    /** Returns all findings, warnings first. */
    public static List<Finding> of(Host host, TuneRequest request) {
        Findings found = new Findings(host, request);
        found.queues();
        found.lanes();
        found.slots();
        found.bonds();
        found.windows();
        found.nics.forEach(found::nic);
        found.veryFast();
        found.wholeHost();
        return found.findings.stream()
                .sorted(Comparator.comparing(Finding::severity))
                .toList();
    }

    private void warn(String code, String subject, String text, String remedy) {
        findings.add(new Finding(Severity.WARNING, code, subject, text, remedy));
    }

    private void note(String code, String subject, String text, String remedy) {
        findings.add(new Finding(Severity.NOTE, code, subject, text, remedy));
    }

    /** Returns the busy receive queues of all chosen NICs, by the core that handles their interrupts. */
    private Map<Integer, List<String>> busyQueues() {
        Map<Integer, List<String>> busy = new TreeMap<>();
        for (Nic nic : nics) {
            for (Interrupt interrupt : busyInterrupts(nic)) {
                if (interrupt.core() >= 0) {
                    busy.computeIfAbsent(interrupt.core(), core -> new ArrayList<>())
                            .add(nic.name() + " queue " + interrupt.queue());
                }
            }
        }
        return busy;
    }

    private static List<Interrupt> busyInterrupts(Nic nic) {
        List<Interrupt> receiving =
                nic.queues().interrupts().stream().filter(Interrupt::receives).toList();
        long all = receiving.stream().mapToLong(Interrupt::total).sum();
        return receiving.stream()
                .filter(one -> one.total() > 0 && one.total() >= all * BUSY_PART / receiving.size())
                .toList();
    }

    private void queues() {
        busyQueues().forEach((core, names) -> {
            if (names.size() > 1) {
                warn(
                        "queues-share-core",
                        "core " + core,
                        String.join(" and ", names) + " are both busy and interrupt the same core " + core,
                        PLAN);
            }
        });
        for (Nic nic : nics) {
            for (Interrupt interrupt : busyInterrupts(nic)) {
                Core core = host.topology().core(interrupt.core());
                if (core != null
                        && nic.device().node() >= 0
                        && host.topology().nodes().size() > 1
                        && core.node() != nic.device().node()) {
                    warn(
                            "queue-on-far-node",
                            nic.name(),
                            "queue " + interrupt.queue() + " interrupts core " + core.id() + " of node " + core.node()
                                    + ", but the NIC is on node " + nic.device().node(),
                            PLAN);
                }
            }
        }
    }

    private void lanes() {
        Map<Integer, List<String>> busy = busyQueues();
        for (LaneThread lane : host.processes().lanes()) {
            int core = lane.allowed().size() == 1 ? lane.allowed().first() : lane.core();
            List<String> queues = busy.get(core);
            if (queues != null) {
                boolean pinned = lane.allowed().size() == 1;
                String text = lane.name() + " of process " + lane.pid()
                        + (pinned ? " is pinned to core " : " last ran on core ") + core
                        + ", which takes the interrupts of "
                        + String.join(" and ", queues);
                if (pinned) {
                    warn("lane-fights-interrupt", lane.name(), text, "pin the lane to a core beside it");
                } else {
                    note("lane-fights-interrupt", lane.name(), text, "pin lanes beside the queues' cores");
                }
            }
        }
    }

    /** Checks the PCI links of slots, which the ports of one card share. */
    private void slots() {
        Map<String, List<Nic>> slots = new LinkedHashMap<>();
        for (Nic nic : nics) {
            PciLink pci = nic.device().pci();
            if (pci != null) {
                String address = pci.address();
                int function = address.lastIndexOf('.');
                slots.computeIfAbsent(
                                function < 0 ? nic.name() : address.substring(0, function), at -> new ArrayList<>())
                        .add(nic);
            }
        }
        slots.forEach((address, ports) -> slot(ports));
    }

    private void slot(List<Nic> ports) {
        PciLink pci = ports.get(0).device().pci();
        if (pci == null) {
            return;
        }
        String names = String.join(" and ", ports.stream().map(Nic::name).toList());
        double speed =
                ports.stream().mapToLong(nic -> nic.link().bitsPerSecond()).sum();
        if (speed > pci.practicalBitsPerSecond()) {
            warn(
                    "pcie-narrow",
                    names,
                    Figures.text("the slot is narrower than the NIC's %.0f Gb/s: %s", speed / 1e9, pci.arithmetic()),
                    "use a wider or newer slot; the card supports " + pci.maxLabel());
        }
        if (pci.isReduced()) {
            warn(
                    "pcie-reduced",
                    names,
                    "the link runs at " + pci.label() + ", but the card supports " + pci.maxLabel(),
                    "try another slot, reseat the card, check the BIOS");
        }
    }

    private void bonds() {
        for (Bond bond : host.network().bonds()) {
            if (bond.slaves().stream()
                    .noneMatch(slave -> nics.stream().anyMatch(nic -> nic.name().equals(slave.nic())))) {
                continue;
            }
            if (!bond.spreadsStreams() && bond.slaves().size() > 1) {
                warn(
                        "bond-one-slave",
                        bond.name(),
                        "mode " + bond.mode()
                                + (bond.hashPolicy().isEmpty() ? "" : " with hash policy " + bond.hashPolicy())
                                + " sends all streams between two hosts over one slave",
                        "use 802.3ad with xmit_hash_policy layer3+4, here and on the switch");
            }
            for (Bond.Slave slave : bond.slaves()) {
                if (!slave.up()) {
                    warn("bond-slave-down", bond.name(), slave.nic() + " is down", "check the cable and the switch");
                } else if (slave.linkFailures() > 0) {
                    note(
                            "bond-link-failures",
                            bond.name(),
                            slave.nic() + " lost its link " + slave.linkFailures() + " times",
                            "check the cable, the transceiver and the switch");
                }
            }
            uneven(bond);
        }
    }

    private void uneven(Bond bond) {
        long most = bond.slaves().stream().mapToLong(Bond.Slave::txBytes).max().orElse(0);
        long least = bond.slaves().stream().mapToLong(Bond.Slave::txBytes).min().orElse(0);
        if (least >= 0 && most > ENOUGH_BYTES && most / UNEVEN_SLAVES > least) {
            List<String> shares = bond.slaves().stream()
                    .map(slave -> slave.nic() + " " + Figures.text("%.1f GB", slave.txBytes() / 1e9))
                    .toList();
            note(
                    "bond-uneven",
                    bond.name(),
                    "its slaves sent unevenly since the start: " + String.join(", ", shares),
                    "spread streams by ports (layer3+4) and use more lanes");
        }
    }

    private void windows() {
        long rate = request.rate(nics);
        if (request.rttNanos() == 0 || rate == 0) {
            return;
        }
        Windows windows = new Windows(rate, request.rttNanos(), request.lanesOrDefault());
        for (String sysctl : List.of("net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem")) {
            long max = Windows.last(host, sysctl);
            if (max >= 0 && max < windows.bufferBytes()) {
                warn(
                        "small-window",
                        sysctl,
                        Figures.text(
                                "its maximum of %.1f MiB is too small for the path (%s) and limits it to about"
                                        + " %.1f Gb/s",
                                max / (double) (1 << 20),
                                windows.arithmetic(),
                                windows.reachableBitsPerSecond(max) / 1e9),
                        "fdt tune plan --rate and --rtt give the values");
            }
        }
    }

    private void nic(Nic nic) {
        boolean fast = nic.link().bitsPerSecond() >= JUMBO_RATE;
        if (fast && nic.link().mtuBytes() > 0 && nic.link().mtuBytes() <= SMALL_MTU) {
            note(
                    "small-mtu",
                    nic.name(),
                    "MTU " + nic.link().mtuBytes() + " at " + nic.link().bitsPerSecond() / 1_000_000_000
                            + " Gb/s: six times the packets of MTU 9000",
                    "use 9000 if every switch and host on the path does");
        }
        NicSettings settings = nic.device().settings();
        if (fast && settings != null && settings.rings().rx() < settings.rings().rxMax()) {
            note(
                    "small-ring",
                    nic.name(),
                    "receive ring of " + settings.rings().rx() + " of "
                            + settings.rings().rxMax() + " descriptors" + missed(nic),
                    "ethtool -G " + nic.name() + " rx " + settings.rings().rxMax() + " (resets the link)");
        }
        if (settings != null && Boolean.FALSE.equals(settings.offloads().get("generic-receive-offload"))) {
            warn(
                    "gro-off",
                    nic.name(),
                    "generic receive offload is off, so TCP handles each packet separately",
                    "ethtool -K " + nic.name() + " gro on");
        }
        PciLink pci = nic.device().pci();
        if (pci != null && TunePlan.hasSmallReadRequest(nic)) {
            note(
                    "small-read-request",
                    nic.name(),
                    "asks memory for at most " + pci.readRequestBytes() + " bytes at once (PCIe MaxReadReq), of "
                            + TunePlan.READ_REQUEST_BYTES + " possible",
                    "fdt tune plan raises it");
        }
        int near = host.topology().near(nic).size();
        boolean spread = nic.queues().received().stream().anyMatch(NicQueue::isSpread);
        if (!nic.queues().received().isEmpty() && nic.queues().received().size() < Math.min(4, near) && !spread) {
            note(
                    "few-queues",
                    nic.name(),
                    nic.queues().received().size() + " receiving queue"
                            + (nic.queues().received().size() == 1 ? "" : "s") + " for " + near
                            + " cores, and RPS is off",
                    "fdt tune plan spreads their packets over more cores (RPS)");
        }
    }

    /** What matters for a core that handles 100 Gbit/s and more. */
    private void veryFast() {
        nics.stream().filter(TunePlan::isVeryFast).forEach(nic -> {
            NicSettings settings = nic.device().settings();
            if (settings != null) {
                packets(nic, settings.packetBytes());
                if (Boolean.FALSE.equals(settings.offloads().get("ntuple-filters"))) {
                    note(
                            "ntuple-off",
                            nic.name(),
                            "rules that put a stream on a certain queue are off, so two lanes can meet on one core",
                            "ethtool -K " + nic.name() + " ntuple on, then a rule for each lane's port (ethtool -N)");
                }
            }
        });
        if (nics.stream().noneMatch(TunePlan::isVeryFast)) {
            return;
        }
        long optmem = Windows.last(host, "net.core.optmem_max");
        if (optmem >= 0 && optmem < TunePlan.OPTMEM_BYTES) {
            note(
                    "small-optmem",
                    "net.core.optmem_max",
                    optmem + " bytes hold few notices about data that is sent without copying (MSG_ZEROCOPY)",
                    "fdt tune plan raises it");
        }
        long fragments = Windows.last(host, "net.core.max_skb_frags");
        if (fragments >= 0 && fragments < MANY_FRAGMENTS) {
            note(
                    "few-fragments",
                    "net.core.max_skb_frags",
                    "a packet has at most " + fragments + " pieces, so one sent without copying is small",
                    "sysctl -w net.core.max_skb_frags=" + MANY_FRAGMENTS
                            + ", if the kernel was built with CONFIG_MAX_SKB_FRAGS=" + MANY_FRAGMENTS);
        }
    }

    /** BIG TCP: the stack handles several times as much at a time. */
    private void packets(Nic nic, Map<String, Long> packetBytes) {
        long sent = packetBytes.getOrDefault("tso_max_size", 0L);
        StringBuilder remedy = new StringBuilder();
        BIG_TCP_BYTES.forEach((name, bytes) -> {
            if (packetBytes.getOrDefault(name, bytes) <= PLAIN_PACKET_BYTES) {
                remedy.append(' ').append(name).append(' ').append(bytes);
            }
        });
        if (sent > PLAIN_PACKET_BYTES && !remedy.isEmpty()) {
            note(
                    "small-packets",
                    nic.name(),
                    "the kernel handles at most 64 KiB at a time although the NIC sends " + (sent >> 10)
                            + " KiB; larger packets (BIG TCP) take fewer cycles a byte",
                    "ip link set dev " + nic.name() + remedy);
        }
    }

    private static String missed(Nic nic) {
        long missed = nic.counters().getOrDefault("rx_missed_errors", 0L);
        return missed == 0 ? "" : ", and " + missed + " packets found none free";
    }

    private void wholeHost() {
        if (host.processes().irqbalancePid() != 0) {
            warn(
                    "irqbalance",
                    "irqbalance",
                    "irqbalance runs (process " + host.processes().irqbalancePid()
                            + ") and moves interrupts away from their cores",
                    "fdt tune apply stops it, and fdt tune undo starts it again");
        }
        CoreSet slow = CoreSet.of(host.topology().cores().stream()
                .filter(core -> !core.governor().isEmpty() && !core.governor().equals("performance"))
                .mapToInt(Core::id));
        if (!slow.isEmpty()) {
            Core first = host.topology().core(slow.first());
            note(
                    "governor",
                    "cores " + slow,
                    "frequency governor " + (first == null ? "" : first.governor())
                            + " lets cores slow down between bursts",
                    "cpupower frequency-set -g performance");
        }
        for (CoreTimes core : host.load()) {
            if (core.share(core.softirqMs()) >= HOT_SOFTIRQ) {
                warn(
                        "core-in-softirq",
                        "core " + core.core(),
                        Figures.text(
                                "spent %.0f %% of its time since boot in softirq, so packets of its queues wait",
                                100 * core.share(core.softirqMs())),
                        PLAN);
            }
        }
        long backlog = Windows.last(host, "net.core.netdev_max_backlog");
        boolean spreads =
                nics.stream().flatMap(nic -> nic.queues().received().stream()).anyMatch(NicQueue::isSpread);
        if (spreads && backlog >= 0 && backlog < TunePlan.backlogFor(request.rate(nics))) {
            note(
                    "small-backlog",
                    "net.core.netdev_max_backlog",
                    backlog + " packets at most can wait for a core that RPS chose",
                    PLAN);
        }
    }
}
