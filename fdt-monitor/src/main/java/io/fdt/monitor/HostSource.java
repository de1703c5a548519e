package io.fdt.monitor;

import io.fdt.core.host.Bond;
import io.fdt.core.host.BondPorts;
import io.fdt.core.host.Core;
import io.fdt.core.host.Host;
import io.fdt.core.host.Interrupt;
import io.fdt.core.host.Nic;
import io.fdt.core.host.RdmaDevice;
import io.fdt.monitor.HostFigures.CoreTicks;
import io.fdt.monitor.HostFigures.DiskFigures;
import io.fdt.monitor.HostFigures.Mode;
import io.fdt.monitor.HostFigures.NicFigures;
import io.fdt.monitor.HostFigures.QueueFigures;
import io.fdt.monitor.HostFigures.Requests;
import io.fdt.monitor.HostFigures.RootFigures;
import io.fdt.monitor.HostFigures.Traffic;
import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Meter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Reads the counters of a host, every time and from files that stay open. NICs, queues and interrupts are looked up
 * once a minute, or every five minutes in an idle process. For the sampler's thread.
 */
final class HostSource implements AutoCloseable {
    static final int FACTS_EVERY = 60;
    /** Some figures are read less often, by this factor, in a process without sessions that nobody watches. */
    static final int IDLE_FACTOR = 5;

    private static final Set<String> SOFT_IRQS = Set.of("NET_TX", "NET_RX", "BLOCK");
    private static final List<String> RESOURCES = List.of("cpu", "io", "memory");
    /** The counters of an RDMA port: its bytes, and the hardware counters that show loss and congestion. */
    private static final List<String> RDMA_COUNTERS = List.of(
            "counters/port_xmit_data",
            "counters/port_rcv_data",
            "hw_counters/out_of_sequence",
            "hw_counters/packet_seq_err",
            "hw_counters/local_ack_timeout_err",
            "hw_counters/rnr_nak_retry_err",
            "hw_counters/out_of_buffer",
            "hw_counters/np_cnp_sent",
            "hw_counters/rp_cnp_handled",
            "hw_counters/np_ecn_marked_roce_packets");

    private static final double MICROS = 1e6;
    /** RDMA ports count 4-byte words. */
    private static final int RDMA_WORD_BYTES = 4;
    /** The unit of {@code /proc/diskstats}, whatever the disk's own blocks are. */
    private static final int SECTOR_BYTES = 512;
    /** The entry of the auxiliary vector with the size of a page: pairs of a key and a value. */
    private static final long AT_PAGESZ = 6;

    private static final int DEFAULT_PAGE_BYTES = 4096;

    /** The column with the core's number in softnet_stat; older kernels lack it. */
    private static final int SOFTNET_CORE_COLUMN = 12;

    private static final Nic LOOPBACK = new Nic(
            "lo",
            new Nic.Device("", false, -1, null, null),
            new Nic.Link(true, 0, 0),
            new Nic.Queues(List.of(), List.of(), List.of()),
            new TreeMap<>());

    private final Path root;
    /** The unit in which the kernel counts the memory of TCP. */
    private final long pageBytes;
    /** Files by path below the root. */
    private final Map<String, ByteFile> files = new HashMap<>();

    private final Map<Integer, Integer> nodeOfCore = new HashMap<>();
    private final Map<Integer, QueueOf> queueOfIrq = new HashMap<>();
    private final Map<String, String> bondOfNic = new HashMap<>();
    private final LaneNics laneNics;
    private volatile List<ExportedRoot> roots = List.of();
    private Host host;
    private int readings;
    private int factsRead;
    private List<Figure> tcp = List.of();
    private boolean usesLoopback;

    private record QueueOf(String nic, String queue, int core) {}

    /** @param root contains {@code proc} and {@code sys}; the root directory except in tests */
    HostSource(Path root) {
        this.root = root;
        this.pageBytes = pageBytes(root);
        this.laneNics = new LaneNics(root, BondPorts::deviceOf);
        this.host = Host.readHardware(root);
        learn();
    }

    /** Returns the host as of the last lookup. */
    Host host() {
        return host;
    }

    /** Determines by which NICs connections of this host arrive. */
    LaneNics laneNics() {
        return laneNics;
    }

    /** Reads the disks of these roots from now on. Any thread. */
    void watch(List<ExportedRoot> exported) {
        roots = List.copyOf(exported);
    }

    /** Reads the loopback interface from now on, too. */
    void useLoopback() {
        usesLoopback = true;
    }

    private void learn() {
        // Hosts with containers may create and remove thousands of NICs.
        close();
        files.clear();
        nodeOfCore.clear();
        queueOfIrq.clear();
        bondOfNic.clear();
        laneNics.forget();
        for (Core core : host.topology().cores()) {
            nodeOfCore.put(core.id(), core.node());
        }
        for (Nic nic : host.network().nics()) {
            for (Interrupt interrupt : nic.queues().queueInterrupts()) {
                queueOfIrq.put(interrupt.number(), new QueueOf(nic.name(), queueName(interrupt), interrupt.core()));
            }
        }
        for (Bond bond : host.network().bonds()) {
            bond.slaves().forEach(slave -> bondOfNic.put(slave.nic(), bond.name()));
        }
    }

    static String queueName(Interrupt interrupt) {
        return switch (interrupt.serves()) {
            case RX -> "rx-" + interrupt.queue();
            case TX -> "tx-" + interrupt.queue();
            default -> String.valueOf(interrupt.queue());
        };
    }

    HostFigures read() {
        return read(false);
    }

    /** @param idle whether nobody watches and no session runs, so that some figures may be a few readings old */
    HostFigures read(boolean idle) {
        readings++;
        if (readings - factsRead >= (idle ? IDLE_FACTOR * FACTS_EVERY : FACTS_EVERY)) {
            factsRead = readings;
            host = Host.readHardware(root);
            learn();
        }
        if (!idle || tcp.isEmpty() || readings % IDLE_FACTOR == 0) {
            tcp = tcp();
        }
        List<NicFigures> nics = new ArrayList<>();
        host.network().nics().forEach(nic -> nics.add(nic(nic)));
        if (usesLoopback) {
            nics.add(nic(LOOPBACK));
        }
        FigureList exported = new FigureList();
        addSoftIrqs(exported);
        addPressure(exported);
        addSoftNet(exported);
        addRdma(exported);
        exported.figures().addAll(tcp);
        return new HostFigures(cores(), exported.figures(), nics, queues(), roots());
    }

    private List<CoreTicks> cores() {
        List<CoreTicks> cores = new ArrayList<>();
        ByteFile stat = file("proc/stat");
        if (!stat.read()) {
            return cores;
        }
        while (stat.skip("cpu")) {
            if (stat.skip(" ")) {
                stat.skipLine();
                continue;
            }
            int core = (int) stat.nextNumber();
            long[] ticks = new long[Mode.values().length];
            for (int mode = 0; mode < ticks.length; mode++) {
                ticks[mode] = Math.max(0, stat.nextNumber());
            }
            stat.skipLine();
            cores.add(new CoreTicks(core, nodeOfCore.getOrDefault(core, 0), ticks));
        }
        return cores;
    }

    private void addSoftIrqs(FigureList list) {
        ByteFile softirqs = file("proc/softirqs");
        if (!softirqs.read()) {
            return;
        }
        int[] cores = coreColumns(softirqs);
        while (!softirqs.atEnd()) {
            String word = softirqs.nextWord();
            String type = word.endsWith(":") ? word.substring(0, word.length() - 1) : word;
            if (SOFT_IRQS.contains(type)) {
                long[] counts = counts(softirqs, cores.length);
                for (int i = 0; i < cores.length; i++) {
                    list.add(Meter.HOST_SOFTIRQS, counts[i], FigureList.core(cores[i]), type);
                }
            }
            softirqs.skipLine();
        }
    }

    /** The first line names the cores of the columns: {@code CPU0 CPU1 …}. */
    private static int[] coreColumns(ByteFile table) {
        int[] cores = new int[16];
        int count = 0;
        table.skipBlanks();
        while (table.skip("CPU")) {
            if (count == cores.length) {
                cores = Arrays.copyOf(cores, 2 * count);
            }
            cores[count++] = (int) table.nextNumber();
            table.skipBlanks();
        }
        table.skipLine();
        return Arrays.copyOf(cores, count);
    }

    private static long[] counts(ByteFile table, int columns) {
        long[] counts = new long[columns];
        for (int i = 0; i < columns; i++) {
            counts[i] = Math.max(0, table.nextNumber());
        }
        return counts;
    }

    private void addSoftNet(FigureList list) {
        ByteFile softnet = file("proc/net/softnet_stat");
        if (!softnet.read()) {
            return;
        }
        int row = 0;
        while (!softnet.atEnd()) {
            long processed = softnet.nextHex();
            long dropped = softnet.nextHex();
            long squeezed = softnet.nextHex();
            long core = row;
            for (int column = 3; column <= SOFTNET_CORE_COLUMN; column++) {
                long value = softnet.nextHex();
                if (column == SOFTNET_CORE_COLUMN && value >= 0) {
                    core = value;
                }
            }
            softnet.skipLine();
            row++;
            if (processed >= 0) {
                String number = FigureList.core((int) core);
                list.add(Meter.HOST_SOFTNET_PROCESSED, processed, number);
                list.add(Meter.HOST_SOFTNET_DROPPED, Math.max(0, dropped), number);
                list.add(Meter.HOST_SOFTNET_SQUEEZED, Math.max(0, squeezed), number);
            }
        }
    }

    private List<QueueFigures> queues() {
        List<QueueFigures> queues = new ArrayList<>();
        ByteFile interrupts = file("proc/interrupts");
        if (queueOfIrq.isEmpty() || !interrupts.read()) {
            return queues;
        }
        int[] cores = coreColumns(interrupts);
        while (!interrupts.atEnd()) {
            int irq = (int) interrupts.nextNumber();
            QueueOf queue = queueOfIrq.get(irq);
            if (queue != null && interrupts.skip(":")) {
                queues.add(new QueueFigures(
                        queue.nic(), queue.queue(), irq, cores, counts(interrupts, cores.length), queue.core()));
            }
            interrupts.skipLine();
        }
        return queues;
    }

    private void addPressure(FigureList list) {
        for (String resource : RESOURCES) {
            ByteFile file = file("proc/pressure/" + resource);
            if (file.read() && file.skipBehind("total=")) {
                long us = file.nextNumber();
                if (us >= 0) {
                    list.add(Meter.HOST_PRESSURE_SECONDS, us / MICROS, resource);
                }
            }
        }
    }

    /** Counters of this network namespace, and the memory of all. */
    private List<Figure> tcp() {
        FigureList list = new FigureList();
        ByteFile netstat = file("proc/net/netstat");
        if (netstat.read()) {
            while (!netstat.atEnd() && !netstat.skip("TcpExt:")) {
                netstat.skipLine();
            }
            int[] columns = netstat.columnsOf("ListenOverflows", "ListenDrops");
            netstat.skipLine();
            if (netstat.skip("TcpExt:")) {
                long value = netstat.nextNumber();
                for (int column = 0; value >= 0; column++) {
                    if (column == columns[0]) {
                        list.add(Meter.HOST_LISTEN_OVERFLOWS, value);
                    } else if (column == columns[1]) {
                        list.add(Meter.HOST_LISTEN_DROPS, value);
                    }
                    value = netstat.nextNumber();
                }
            }
        }
        ByteFile sockstat = file("proc/net/sockstat");
        if (sockstat.read()) {
            while (!sockstat.atEnd()) {
                if (sockstat.skip("TCP:") && sockstat.skipBehind(" mem ")) {
                    list.addKnown(Meter.HOST_TCP_MEMORY, pages(sockstat.nextNumber()));
                }
                sockstat.skipLine();
            }
        }
        ByteFile limits = file("proc/sys/net/ipv4/tcp_mem");
        if (limits.read() && limits.nextNumber() >= 0 && limits.nextNumber() >= 0) {
            list.addKnown(Meter.HOST_TCP_MEMORY_LIMIT, pages(limits.nextNumber()));
        }
        return list.figures();
    }

    private long pages(long count) {
        return count < 0 ? -1 : count * pageBytes;
    }

    /** Returns the unit in which the kernel counts memory. */
    static long pageBytes(Path root) {
        try {
            LongBuffer vector = ByteBuffer.wrap(Files.readAllBytes(root.resolve("proc/self/auxv")))
                    .order(ByteOrder.nativeOrder())
                    .asLongBuffer();
            while (vector.remaining() >= 2) {
                long key = vector.get();
                long value = vector.get();
                if (key == AT_PAGESZ && value > 0) {
                    return value;
                }
            }
        } catch (IOException absent) {
            // Most kernels have pages of this size.
        }
        return DEFAULT_PAGE_BYTES;
    }

    private List<RootFigures> roots() {
        List<ExportedRoot> watched = roots;
        Map<String, DiskFigures> disks = watched.isEmpty() ? Map.of() : disks(watched);
        return watched.stream()
                .map(root -> new RootFigures(root, disks.get(root.device())))
                .toList();
    }

    private Map<String, DiskFigures> disks(List<ExportedRoot> watched) {
        Map<String, DiskFigures> disks = new HashMap<>();
        ByteFile diskstats = file("proc/diskstats");
        if (!diskstats.read()) {
            return disks;
        }
        while (!diskstats.atEnd()) {
            diskstats.nextNumber();
            diskstats.nextNumber();
            String device = diskstats.nextWord();
            if (watched.stream().anyMatch(root -> root.device().equals(device))) {
                Requests reads = requests(diskstats);
                Requests writes = requests(diskstats);
                diskstats.nextNumber();
                disks.put(device, new DiskFigures(reads, writes, diskstats.nextNumber()));
            }
            diskstats.skipLine();
        }
        return disks;
    }

    private static Requests requests(ByteFile diskstats) {
        long count = diskstats.nextNumber();
        diskstats.nextNumber();
        long sectors = diskstats.nextNumber();
        return new Requests(count, sectors < 0 ? -1 : sectors * SECTOR_BYTES, diskstats.nextNumber());
    }

    private NicFigures nic(Nic nic) {
        String statistics = "sys/class/net/" + nic.name() + "/statistics/";
        return new NicFigures(
                nic,
                bondOfNic.get(nic.name()),
                new Traffic(
                        counter(statistics + "rx_bytes"),
                        counter(statistics + "rx_packets"),
                        sum(counter(statistics + "rx_dropped"), counter(statistics + "rx_missed_errors"))),
                new Traffic(
                        counter(statistics + "tx_bytes"),
                        counter(statistics + "tx_packets"),
                        counter(statistics + "tx_dropped")));
    }

    private static long sum(long one, long other) {
        return one < 0 ? other : other < 0 ? one : one + other;
    }

    private void addRdma(FigureList list) {
        for (RdmaDevice device : host.network().rdma()) {
            for (RdmaDevice.Port port : device.ports()) {
                String number = String.valueOf(port.number());
                String directory = "sys/class/infiniband/" + device.name() + "/ports/" + number + "/";
                for (String path : RDMA_COUNTERS) {
                    long value = counter(directory + path);
                    switch (path) {
                        case "counters/port_xmit_data" ->
                            list.addKnown(Meter.RDMA_TRANSMIT_BYTES, value * RDMA_WORD_BYTES, device.name(), number);
                        case "counters/port_rcv_data" ->
                            list.addKnown(Meter.RDMA_RECEIVE_BYTES, value * RDMA_WORD_BYTES, device.name(), number);
                        default -> {
                            String event = path.substring(path.indexOf('/') + 1);
                            list.addKnown(Meter.RDMA_EVENTS, value, device.name(), number, event);
                        }
                    }
                }
            }
        }
    }

    private long counter(String path) {
        return file(path).number();
    }

    private ByteFile file(String path) {
        return files.computeIfAbsent(path, each -> new ByteFile(root.resolve(each)));
    }

    @Override
    public void close() {
        files.values().forEach(ByteFile::close);
    }
}
