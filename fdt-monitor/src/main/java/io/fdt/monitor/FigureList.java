package io.fdt.monitor;

import io.fdt.core.basic.HostView;
import io.fdt.core.basic.Word;
import io.fdt.core.failure.Failure;
import io.fdt.core.host.Nic;
import io.fdt.core.host.PciLink;
import io.fdt.core.stats.LaneActivity;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.SessionActivity.Direction;
import io.fdt.core.stats.SessionActivity.LaneReason;
import io.fdt.core.stats.SessionState;
import io.fdt.core.stats.StreamFigures;
import io.fdt.core.stats.Summary;
import io.fdt.core.stats.TransferFigures;
import io.fdt.monitor.HostFigures.CoreTicks;
import io.fdt.monitor.HostFigures.DiskFigures;
import io.fdt.monitor.HostFigures.Mode;
import io.fdt.monitor.HostFigures.NicFigures;
import io.fdt.monitor.HostFigures.QueueFigures;
import io.fdt.monitor.HostFigures.RootFigures;
import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Meter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * All figures of one moment, as meters with their labels. Values that a host does not show have no figure.
 */
final class FigureList {
    /** The kernel's clock tick for programs is 10 ms on every 64-bit Linux. */
    static final double TICK_SECONDS = 0.01;

    private static final double MICROS = 1e6;
    private static final double MILLIS = 1e3;
    private static final double NANOS = 1e9;
    private static final int BITS = 8;

    /** Such as {@code epoll, TLSv1.3 TLS_AES_128_GCM_SHA256 (BoringSSL)} or {@code epoll, clear}. */
    private static final Pattern TRANSPORT = Pattern.compile("([^,]+)(?:, (?:(TLS\\S*) (\\S+))?.*)?");

    private static final Map<String, Counter> STAGES = Map.of(
            "read", Counter.READ_NANOS,
            "hash", Counter.HASH_NANOS,
            "send", Counter.SEND_NANOS,
            "write", Counter.WRITE_NANOS,
            "blocked", Counter.BLOCKED_NANOS,
            "idle", Counter.IDLE_NANOS,
            "limited", Counter.LIMITED_NANOS);

    private final List<Figure> figures = new ArrayList<>(512);

    List<Figure> figures() {
        return figures;
    }

    void add(Meter meter, double value, String... labels) {
        figures.add(new Figure(meter, List.of(labels), value));
    }

    /** Adds a whole number; exact up to 2^53, which no counter reaches in practice. */
    void add(Meter meter, long value, String... labels) {
        add(meter, (double) value, labels);
    }

    void addKnown(Meter meter, long value, String... labels) {
        if (value >= 0) {
            add(meter, value, labels);
        }
    }

    void addHost(HostFigures host) {
        host.cores().forEach(this::addCore);
        figures.addAll(host.exported());
        host.nics().forEach(this::addNic);
        host.queues().forEach(this::addQueue);
        addRoots(host.roots());
        host.sources().forEach((source, up) -> add(Meter.MONITOR_SOURCE_UP, up ? 1 : 0, source));
    }

    private void addCore(CoreTicks core) {
        String number = core(core.core());
        String node = String.valueOf(core.node());
        for (Mode mode : Mode.values()) {
            add(Meter.HOST_CPU_SECONDS, core.get(mode) * TICK_SECONDS, number, Word.of(mode), node);
        }
    }

    /** As node_exporter writes it, so that its series can be joined with these. */
    static String core(int core) {
        return String.valueOf(core);
    }

    private void addNic(NicFigures figures) {
        Nic nic = figures.nic();
        String name = nic.name();
        addKnown(Meter.NIC_RECEIVE_BYTES, figures.received().bytes(), name);
        addKnown(Meter.NIC_TRANSMIT_BYTES, figures.sent().bytes(), name);
        addKnown(Meter.NIC_RECEIVE_PACKETS, figures.received().packets(), name);
        addKnown(Meter.NIC_TRANSMIT_PACKETS, figures.sent().packets(), name);
        addKnown(Meter.NIC_RECEIVE_DROPS, figures.received().drops(), name);
        addKnown(Meter.NIC_TRANSMIT_DROPS, figures.sent().drops(), name);
        if (nic.link().bitsPerSecond() > 0) {
            add(Meter.NIC_SPEED, nic.link().bitsPerSecond() / (double) BITS, name);
        }
        PciLink pci = nic.device().pci();
        if (pci != null) {
            add(Meter.NIC_PCIE, pci.encodedBitsPerSecond() / BITS, name, "current");
            PciLink most = new PciLink(
                    pci.address(),
                    pci.maxGigatransfers(),
                    pci.maxWidth(),
                    pci.maxGigatransfers(),
                    pci.maxWidth(),
                    pci.readRequestBytes());
            if (most.isKnown()) {
                add(Meter.NIC_PCIE, most.encodedBitsPerSecond() / BITS, name, "max");
            }
        }
        add(
                Meter.NIC_INFO,
                1,
                name,
                nic.device().driver(),
                String.valueOf(nic.device().node()),
                String.valueOf(nic.link().mtuBytes()),
                figures.bond() == null ? "" : figures.bond());
    }

    private void addQueue(QueueFigures queue) {
        for (int i = 0; i < queue.cores().length; i++) {
            if (queue.counts()[i] > 0) {
                add(Meter.NIC_QUEUE_INTERRUPTS, queue.counts()[i], queue.nic(), queue.queue(), core(queue.cores()[i]));
            }
        }
    }

    /** Several roots may be on one disk. */
    private void addRoots(List<RootFigures> roots) {
        Set<String> devices = new HashSet<>();
        for (RootFigures each : roots) {
            ExportedRoot root = each.root();
            add(Meter.SERVER_ROOT_INFO, 1, root.path(), root.device());
            addKnown(Meter.SERVER_ROOT_FREE, root.freeBytes(), root.path());
            addKnown(Meter.SERVER_ROOT_SIZE, root.sizeBytes(), root.path());
            if (each.disk() != null && devices.add(root.device())) {
                addDisk(root.device(), each.disk());
            }
        }
    }

    private void addDisk(String device, DiskFigures disk) {
        add(Meter.DISK_READ_BYTES, disk.reads().bytes(), device);
        add(Meter.DISK_WRITTEN_BYTES, disk.writes().bytes(), device);
        add(Meter.DISK_READS, disk.reads().count(), device);
        add(Meter.DISK_WRITES, disk.writes().count(), device);
        add(Meter.DISK_READ_SECONDS, disk.reads().ms() / MILLIS, device);
        add(Meter.DISK_WRITE_SECONDS, disk.writes().ms() / MILLIS, device);
        add(Meter.DISK_BUSY_SECONDS, disk.busyMs() / MILLIS, device);
    }

    /** Adds the core load that remote ends report, once for each host even if it has several sessions. */
    void addPeers(Collection<HostView> peers) {
        Set<String> hosts = new HashSet<>();
        for (HostView peer : peers) {
            if (hosts.add(peer.host())) {
                peer.cores().forEach(core -> addPeerCore(peer.host(), core));
            }
        }
    }

    private void addPeerCore(String peer, HostView.Core core) {
        String number = core(core.core());
        add(Meter.PEER_CPU_RATIO, core.shares().user() + core.shares().nice(), peer, number, "user");
        add(Meter.PEER_CPU_RATIO, core.shares().system(), peer, number, "system");
        add(Meter.PEER_CPU_RATIO, core.shares().softirq() + core.shares().irq(), peer, number, "softirq");
        add(Meter.PEER_CPU_RATIO, core.shares().iowait(), peer, number, "iowait");
        add(Meter.PEER_CPU_RATIO, core.shares().steal(), peer, number, "steal");
    }

    void addProcess(ProcessFigures process, double cpuSeconds) {
        add(Meter.PROCESS_CPU_SECONDS, cpuSeconds);
        add(Meter.PROCESS_START, process.startSeconds());
        addKnown(Meter.PROCESS_MEMORY, process.residentBytes());
        addKnown(Meter.PROCESS_OPEN_FDS, process.openDescriptors());
        addKnown(Meter.PROCESS_MAX_FDS, process.maxDescriptors());
    }

    void addSessions(SessionTable sessions) {
        for (ObservedSession session : sessions.observed()) {
            boolean details = sessions.hasDetails(session);
            addSession(session, details);
            if (details) {
                session.activity().lanes().forEach(lane -> addLane(session.shortName(), lane));
            }
        }
        if (sessions.wasBeyond()) {
            for (Direction direction : Direction.values()) {
                add(Meter.SESSION_BYTES, sessions.bytesBeyond(direction), SessionTable.OTHERS, Word.of(direction));
            }
        }
    }

    private void addSession(ObservedSession session, boolean details) {
        SessionActivity activity = session.activity();
        SessionState known = activity.state();
        SessionActivity.Work work = known.work();
        addEnd(session, known);
        if (work == null) {
            return;
        }
        String name = session.shortName();
        String direction = Word.of(work.direction());
        for (Direction each : Direction.values()) {
            if (each == work.direction() || activity.hasLanes(each)) {
                add(Meter.SESSION_BYTES, activity.moved(each), name, Word.of(each));
            }
        }
        add(Meter.SESSION_CHUNKS_RESENT, activity.counters().sum(Counter.RESENT_CHUNKS), name, direction);
        add(
                Meter.SESSION_LANES,
                activity.lanes().stream().filter(LaneActivity::isOpen).count(),
                name,
                direction);
        add(Meter.SESSION_QUEUED_FILES, known.isEnded() ? 0 : work.queued().getAsInt(), name, direction);
        TransferFigures transfer = work.figures();
        if (transfer != null) {
            add(Meter.SESSION_FILES, transfer.filesPlaced.get(), name, direction);
            if (!transfer.endless) {
                add(Meter.SESSION_SIZE, transfer.bytesToMove(), name, direction);
            }
        }
        if (transfer != null && work.service() == SessionActivity.Service.COPY) {
            if (details) {
                addDetails(activity, known, name, direction);
                transfer.moved()
                        .figures()
                        .forEach((state, bytes) -> add(Meter.SESSION_MOVED, bytes, name, direction, state));
            }
            String limit = session.limit();
            for (String cause : Verdicts.CAUSES) {
                add(Meter.SESSION_BOTTLENECK, cause.equals(limit) ? 1 : 0, name, cause);
            }
        }
        Matcher transport = TRANSPORT.matcher(known.transport());
        boolean described = transport.matches();
        add(
                Meter.SESSION_INFO,
                1,
                name,
                direction,
                Word.of(work.service()),
                withoutPort(activity.peer()),
                activity.key(),
                work.digest(),
                described ? transport.group(1) : "",
                described ? Objects.requireNonNullElse(transport.group(2), "none") : "",
                described ? Objects.requireNonNullElse(transport.group(3), "") : "",
                activity.name(),
                known.shard());
    }

    private void addEnd(ObservedSession session, SessionState known) {
        SessionActivity activity = session.activity();
        SessionActivity.Kind kind = known.kind();
        Summary summary = known.summary();
        Long ended = known.ended();
        if (kind != null && summary != null && ended != null) {
            Failure failure = summary.failure();
            add(
                    Meter.SESSION_END,
                    session.endEpochMs(ended) / MILLIS,
                    session.shortName(),
                    Word.of(kind.service()),
                    Word.of(kind.direction()),
                    summary.outcome(),
                    failure == null ? "" : failure.cause().word(),
                    withoutPort(activity.peer()),
                    activity.key(),
                    activity.name());
        }
    }

    private void addDetails(SessionActivity activity, SessionState known, String name, String direction) {
        STAGES.forEach((stage, counter) ->
                add(Meter.SESSION_STAGE_SECONDS, activity.counters().sum(counter) / NANOS, name, direction, stage));
        for (LaneReason reason : LaneReason.values()) {
            add(Meter.SESSION_LANE_CHANGES, known.laneChanges(reason), name, direction, Word.of(reason));
        }
    }

    /** Each session has another port, and every value of a label makes new series. */
    static String withoutPort(String peer) {
        return peer.replaceFirst(":[0-9]+$", "");
    }

    private void addLane(String session, LaneActivity lane) {
        if (!lane.isOpen()) {
            return;
        }
        String index = String.valueOf(lane.index());
        String direction = Word.of(lane.direction());
        Meter bytes = lane.direction() == Direction.OUT ? Meter.LANE_SENT_BYTES : Meter.LANE_RECEIVED_BYTES;
        add(bytes, lane.bytes(), session, index, direction);
        StreamFigures seen = lane.figures();
        if (seen != null) {
            addKnown(Meter.LANE_CORE, seen.place().core(), session, index, direction);
            // The stack of the receiving end knows none of these: it sends next to nothing.
            if (lane.direction() == Direction.OUT) {
                addKnown(Meter.LANE_RETRANSMITS, seen.retransmits(), session, index, direction);
                addKnown(Meter.LANE_CWND, seen.windows().congestionBytes(), session, index, direction);
                addKnown(Meter.LANE_PEER_WINDOW, seen.windows().receiverBytes(), session, index, direction);
                if (seen.roundTrip().us() >= 0) {
                    add(Meter.LANE_RTT, seen.roundTrip().us() / MICROS, session, index, direction);
                }
            }
        }
    }
}
