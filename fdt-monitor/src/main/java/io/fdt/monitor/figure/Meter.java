package io.fdt.monitor.figure;

import java.util.List;

/**
 * Every meter that {@code fdt} exports: its name, its labels and what it says. {@code docs/metrics.md} is made from
 * this table, and dashboards may name nothing else. Names are those of Prometheus; units are base units and stand in
 * the name.
 */
@SuppressWarnings("ImmutableEnumChecker") // its list of labels cannot be changed
public enum Meter {
    HOST_CPU_SECONDS(
            Kind.COUNTER,
            "fdt_host_cpu_seconds_total",
            "seconds",
            "what each core spent its time on, by the kernel's modes; a tick is 10 ms",
            "cpu",
            "mode",
            "numa_node"),
    HOST_SOFTIRQ(
            Kind.COUNTER,
            "fdt_host_softirq_total",
            "",
            "soft interrupts that bring packets, send them or end disk requests",
            "cpu",
            "type"),
    HOST_SOFTNET_PROCESSED(
            Kind.COUNTER, "fdt_host_softnet_processed_total", "", "packets that a core took from its queues", "cpu"),
    HOST_SOFTNET_DROPPED(
            Kind.COUNTER,
            "fdt_host_softnet_dropped_total",
            "",
            "packets dropped because a core's backlog was full",
            "cpu"),
    HOST_SOFTNET_SQUEEZED(
            Kind.COUNTER,
            "fdt_host_softnet_squeezed_total",
            "",
            "times that a core had packets left when its budget was used up",
            "cpu"),
    HOST_PRESSURE_SECONDS(
            Kind.COUNTER,
            "fdt_host_pressure_seconds_total",
            "seconds",
            "time in which some task waited for the resource: cpu, io or memory",
            "resource"),

    NIC_TRANSMIT_BYTES(Kind.COUNTER, "fdt_nic_transmit_bytes_total", "bytes", "bytes that left by a NIC", "device"),
    NIC_RECEIVE_BYTES(Kind.COUNTER, "fdt_nic_receive_bytes_total", "bytes", "bytes that came by a NIC", "device"),
    NIC_TRANSMIT_PACKETS(Kind.COUNTER, "fdt_nic_transmit_packets_total", "", "packets that left by a NIC", "device"),
    NIC_RECEIVE_PACKETS(Kind.COUNTER, "fdt_nic_receive_packets_total", "", "packets that came by a NIC", "device"),
    NIC_TRANSMIT_DROPS(
            Kind.COUNTER, "fdt_nic_transmit_drops_total", "", "packets dropped before they left by a NIC", "device"),
    NIC_RECEIVE_DROPS(
            Kind.COUNTER,
            "fdt_nic_receive_drops_total",
            "",
            "packets dropped after they came by a NIC, or missed by it",
            "device"),
    NIC_SPEED(
            Kind.GAUGE,
            "fdt_nic_speed_bytes_per_second",
            "bytes per second",
            "what the link of a NIC carries at most, each way",
            "device"),
    NIC_PCIE(
            Kind.GAUGE,
            "fdt_nic_pcie_bytes_per_second",
            "bytes per second",
            "what the PCIe link of a NIC carries after its line code: as trained now, and at most",
            "device",
            "kind"),
    NIC_QUEUE_INTERRUPTS(
            Kind.COUNTER,
            "fdt_nic_queue_interrupts_total",
            "",
            "interrupts of a queue of a NIC, by the core that took them; cores that never did are left out",
            "device",
            "queue",
            "cpu"),
    NIC_INFO(Kind.INFO, "fdt_nic_info", "", "what a NIC is; always 1", "device", "driver", "numa_node", "mtu", "bond"),

    RDMA_TRANSMIT_BYTES(
            Kind.COUNTER,
            "fdt_rdma_transmit_bytes_total",
            "bytes",
            "bytes that left by a port of an RDMA device",
            "device",
            "port"),
    RDMA_RECEIVE_BYTES(
            Kind.COUNTER,
            "fdt_rdma_receive_bytes_total",
            "bytes",
            "bytes that came by a port of an RDMA device",
            "device",
            "port"),
    RDMA_EVENTS(
            Kind.COUNTER,
            "fdt_rdma_events_total",
            "",
            "losses, congestion marks and timeouts that a port of an RDMA device counted",
            "device",
            "port",
            "event"),

    SESSION_BYTES(
            Kind.COUNTER,
            "fdt_session_bytes_total",
            "bytes",
            "payload that a session moved over its lanes, resent bytes included",
            "session",
            "direction"),
    SESSION_FILES(
            Kind.COUNTER,
            "fdt_session_files_total",
            "",
            "files of a session that are in place",
            "session",
            "direction"),
    SESSION_CHUNKS_RESENT(
            Kind.COUNTER,
            "fdt_session_chunks_resent_total",
            "",
            "chunks that a session moved again because they were damaged or their lane was lost",
            "session",
            "direction"),
    SESSION_SIZE(
            Kind.GAUGE,
            "fdt_session_size_bytes",
            "bytes",
            "bytes that a session found so far and that are to be in place at its end",
            "session",
            "direction"),
    SESSION_LANES(Kind.GAUGE, "fdt_session_lanes", "", "lanes of a session that live", "session", "direction"),
    SESSION_QUEUE_DEPTH(
            Kind.GAUGE,
            "fdt_session_queue_depth",
            "",
            "files of a sending session that wait for a lane or are on one",
            "session",
            "direction"),
    SESSION_STAGE_BUSY(
            Kind.COUNTER,
            "fdt_session_stage_busy_seconds_total",
            "seconds",
            "what the threads of a session's lanes spent their time on, summed over the lanes",
            "session",
            "direction",
            "stage"),
    SESSION_BOTTLENECK(
            Kind.GAUGE,
            "fdt_session_bottleneck",
            "",
            "1 for what held a session back in the last ten seconds, 0 for every other cause",
            "session",
            "cause"),
    SERVER_REFUSED(
            Kind.COUNTER,
            "fdt_server_refused_total",
            "",
            "connections and sessions that a server refused: no valid key, not allowed, full, or no fdt client"),
    SERVER_KEY_EXPIRY(
            Kind.GAUGE,
            "fdt_server_key_expiry_timestamp_seconds",
            "seconds",
            "when a key that admits clients expires, since 1970; left out are keys that never do, or did over a day ago",
            "key"),
    SERVER_PARTIALS(
            Kind.GAUGE,
            "fdt_server_partials",
            "",
            "partials below an exported root, counted every hour; absent with over a million entries",
            "root"),
    SERVER_PARTIAL_BYTES(
            Kind.GAUGE,
            "fdt_server_partial_bytes",
            "bytes",
            "sizes of the partials below an exported root, summed up every hour",
            "root"),
    PEER_CPU_RATIO(
            Kind.GAUGE,
            "fdt_peer_cpu_ratio",
            "",
            "share of the last second that a core of the host at the other end of a session spent in a mode, as it tells",
            "peer",
            "cpu",
            "mode"),
    SESSION_INFO(
            Kind.INFO,
            "fdt_session_info",
            "",
            "what a session is; always 1",
            "session",
            "direction",
            "service",
            "peer",
            "digest",
            "transport",
            "shard"),

    LANE_SENT_BYTES(
            Kind.COUNTER,
            "fdt_lane_sent_bytes_total",
            "bytes",
            "payload that a lane sent",
            "session",
            "lane",
            "direction"),
    LANE_RECEIVED_BYTES(
            Kind.COUNTER,
            "fdt_lane_received_bytes_total",
            "bytes",
            "payload that a lane received",
            "session",
            "lane",
            "direction"),
    LANE_RETRANSMITS(
            Kind.COUNTER,
            "fdt_lane_retransmits_total",
            "",
            "segments that TCP sent again on a lane",
            "session",
            "lane",
            "direction"),
    LANE_RTT(
            Kind.GAUGE,
            "fdt_lane_rtt_seconds",
            "seconds",
            "round-trip time of a lane, smoothed by TCP",
            "session",
            "lane",
            "direction"),
    LANE_CWND(
            Kind.GAUGE, "fdt_lane_cwnd_bytes", "bytes", "congestion window of a lane", "session", "lane", "direction"),
    LANE_WINDOW(
            Kind.GAUGE,
            "fdt_lane_window_bytes",
            "bytes",
            "window that the receiver of a lane offers",
            "session",
            "lane",
            "direction"),
    LANE_CORE(
            Kind.GAUGE,
            "fdt_lane_core",
            "",
            "core on which the thread of a lane ran last",
            "session",
            "lane",
            "direction"),

    NETTEST_BITS_PER_SECOND(
            Kind.GAUGE,
            "fdt_nettest_bits_per_second",
            "bits per second",
            "what the last network test of this kind measured; the size is that of a message, and empty for a stream",
            "suite",
            "source",
            "destination",
            "streams",
            "direction",
            "size"),
    NETTEST_OPERATIONS_PER_SECOND(
            Kind.GAUGE,
            "fdt_nettest_operations_per_second",
            "",
            "requests, reads or writes a second in the last network test of this kind",
            "suite",
            "source",
            "destination",
            "streams",
            "direction",
            "size"),
    NETTEST_LATENCY(
            Kind.GAUGE,
            "fdt_nettest_latency_seconds",
            "seconds",
            "quantiles of the round trips in the last network test of this kind",
            "suite",
            "source",
            "destination",
            "streams",
            "direction",
            "size",
            "quantile"),
    NETTEST_CPU_SECONDS_PER_BYTE(
            Kind.GAUGE,
            "fdt_nettest_cpu_seconds_per_byte",
            "seconds per byte",
            "processor time that a byte cost in the last network test of this kind",
            "suite",
            "source",
            "destination",
            "streams",
            "side"),
    NETTEST_TIMESTAMP(
            Kind.GAUGE,
            "fdt_nettest_timestamp_seconds",
            "seconds",
            "when the last network test of this kind ended, since 1970",
            "suite",
            "source",
            "destination",
            "streams"),

    COPY_EXIT_CODE(
            Kind.GAUGE,
            "fdt_copy_exit_code",
            "",
            "exit code of the last copy between these hosts; 0 when everything was copied",
            "source",
            "destination"),
    COPY_FILES(
            Kind.GAUGE,
            "fdt_copy_files",
            "",
            "files that the last copy left at the destination, those that were there before included",
            "source",
            "destination"),
    COPY_FILES_FAILED(
            Kind.GAUGE,
            "fdt_copy_files_failed",
            "",
            "files that the last copy could not copy",
            "source",
            "destination"),
    COPY_BYTES(
            Kind.GAUGE,
            "fdt_copy_bytes",
            "bytes",
            "bytes of the files that the last copy left at the destination",
            "source",
            "destination"),
    COPY_MOVED_BYTES(
            Kind.GAUGE,
            "fdt_copy_moved_bytes",
            "bytes",
            "bytes that the last copy moved and made durable",
            "source",
            "destination"),
    COPY_SECONDS(Kind.GAUGE, "fdt_copy_seconds", "seconds", "how long the last copy took", "source", "destination"),
    COPY_TIMESTAMP(
            Kind.GAUGE,
            "fdt_copy_timestamp_seconds",
            "seconds",
            "when the last copy ended, since 1970",
            "source",
            "destination"),

    PROCESS_CPU_SECONDS(
            Kind.COUNTER, "process_cpu_seconds_total", "seconds", "processor time of this process since its start"),
    MONITOR_SAMPLE_SECONDS(
            Kind.GAUGE, "fdt_monitor_sample_seconds", "seconds", "time that taking the last sample took"),
    MONITOR_SOURCE_UP(
            Kind.GAUGE,
            "fdt_monitor_source_up",
            "",
            "1 where a source of figures could be read, 0 where the host does not show it",
            "source");

    /** A label that every series has besides its own: the name of the host that it is about. */
    public static final String HOST_LABEL = "host";

    /** How Prometheus is to understand a meter. */
    public enum Kind {
        COUNTER,
        GAUGE,
        /** A gauge that is 1 and whose labels are what it says. */
        INFO
    }

    private final Kind kind;
    private final String exportedName;
    private final String unit;
    private final String help;

    private final List<String> labels;

    Meter(Kind kind, String exportedName, String unit, String help, String... labels) {
        this.kind = kind;
        this.exportedName = exportedName;
        this.unit = unit;
        this.help = help;
        this.labels = List.of(labels);
    }

    public Kind kind() {
        return kind;
    }

    /** Whether it tells how a copy or network test ended, and so stays true when the process is gone. */
    public boolean isResult() {
        return exportedName.startsWith("fdt_nettest_") || exportedName.startsWith("fdt_copy_");
    }

    /** As a scrape shows it. */
    public String exportedName() {
        return exportedName;
    }

    /** Without the ending that an exporter adds to counters. */
    public String baseName() {
        return kind == Kind.COUNTER
                ? exportedName.substring(0, exportedName.length() - "_total".length())
                : exportedName;
    }

    /** Empty for plain numbers. */
    public String unit() {
        return unit;
    }

    public String help() {
        return help;
    }

    public List<String> labels() {
        return labels;
    }
}
