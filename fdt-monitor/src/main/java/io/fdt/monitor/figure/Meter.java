package io.fdt.monitor.figure;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * All meters that {@code fdt} exports: each with its name, labels and description. {@code docs/metrics.md} is generated
 * from this table, and dashboards may only use its names. Names follow Prometheus, whose suffixes show the unit and the
 * kind of a meter.
 */
@SuppressWarnings("ImmutableEnumChecker") // its list of labels is immutable
public enum Meter {
    HOST_CPU_SECONDS(
            "fdt_host_cpu_seconds_total{cpu, mode, numa_node}",
            "what each core spent its time on, by the kernel's modes; a tick is 10 ms"),
    HOST_SOFTIRQ(
            "fdt_host_softirq_total{cpu, type}", "soft interrupts that bring packets, send them or end disk requests"),
    HOST_SOFTNET_PROCESSED("fdt_host_softnet_processed_total{cpu}", "packets that a core took from its queues"),
    HOST_SOFTNET_DROPPED("fdt_host_softnet_dropped_total{cpu}", "packets dropped because a core's backlog was full"),
    HOST_SOFTNET_SQUEEZED(
            "fdt_host_softnet_squeezed_total{cpu}", "times that a core had packets left when its budget was used up"),
    HOST_PRESSURE_SECONDS(
            "fdt_host_pressure_seconds_total{resource}",
            "time in which some task waited for the resource: cpu, io or memory"),

    NIC_TRANSMIT_BYTES("fdt_nic_transmit_bytes_total{device}", "bytes that left by a NIC"),
    NIC_RECEIVE_BYTES("fdt_nic_receive_bytes_total{device}", "bytes that came by a NIC"),
    NIC_TRANSMIT_PACKETS("fdt_nic_transmit_packets_total{device}", "packets that left by a NIC"),
    NIC_RECEIVE_PACKETS("fdt_nic_receive_packets_total{device}", "packets that came by a NIC"),
    NIC_TRANSMIT_DROPS("fdt_nic_transmit_drops_total{device}", "packets dropped before they left by a NIC"),
    NIC_RECEIVE_DROPS(
            "fdt_nic_receive_drops_total{device}", "packets dropped after they came by a NIC, or missed by it"),
    NIC_SPEED("fdt_nic_speed_bytes_per_second{device}", "what the link of a NIC carries at most, each way"),
    NIC_PCIE(
            "fdt_nic_pcie_bytes_per_second{device, kind}",
            "what the PCIe link of a NIC carries after its line code: as trained now, and at most"),
    NIC_QUEUE_INTERRUPTS(
            "fdt_nic_queue_interrupts_total{device, queue, cpu}",
            "interrupts of a queue of a NIC, by the core that took them; cores that never did are left out"),
    NIC_INFO("fdt_nic_info{device, driver, numa_node, mtu, bond}", "what a NIC is; always 1"),

    RDMA_TRANSMIT_BYTES("fdt_rdma_transmit_bytes_total{device, port}", "bytes that left by a port of an RDMA device"),
    RDMA_RECEIVE_BYTES("fdt_rdma_receive_bytes_total{device, port}", "bytes that came by a port of an RDMA device"),
    RDMA_EVENTS(
            "fdt_rdma_events_total{device, port, event}",
            "losses, congestion marks and timeouts that a port of an RDMA device counted"),

    SESSION_BYTES(
            "fdt_session_bytes_total{session, direction}",
            "payload that a session moved over its lanes, resent bytes included"),
    SESSION_FILES("fdt_session_files_total{session, direction}", "files of a session that are in place"),
    SESSION_CHUNKS_RESENT(
            "fdt_session_chunks_resent_total{session, direction}",
            "chunks that a session moved again because they were damaged or their lane was lost"),
    SESSION_SIZE(
            "fdt_session_size_bytes{session, direction}",
            "bytes that a session found so far and that are to be in place at its end"),
    SESSION_LANES("fdt_session_lanes{session, direction}", "lanes of a session that live"),
    SESSION_LANE_CHANGES(
            "fdt_session_lane_changes_total{session, direction, reason}",
            "how often -P auto changed the lanes of a copy, and why: the network limits them (network), fewer may be"
                    + " enough (fewer), BBR is tried because packets are lost (loss), or a trial brought too little"
                    + " (undone)"),
    SESSION_QUEUE_DEPTH(
            "fdt_session_queue_depth{session, direction}",
            "files of a sending session that wait for a lane or are on one"),
    SESSION_STAGE_BUSY(
            "fdt_session_stage_busy_seconds_total{session, direction, stage}",
            "what the threads of a session's lanes spent their time on, summed over the lanes"),
    SESSION_BOTTLENECK(
            "fdt_session_bottleneck{session, cause}",
            "1 for what held a session back in the last ten seconds, 0 for every other cause"),
    SERVER_REFUSED(
            "fdt_server_refused_total",
            "connections and sessions that a server refused: no valid key, not allowed, full, or no fdt client"),
    SERVER_KEY_EXPIRY(
            "fdt_server_key_expiry_timestamp_seconds{key}",
            "when a key that admits clients expires, since 1970; left out are keys that never do, or did over a day"
                    + " ago"),
    SERVER_PARTIALS(
            "fdt_server_partials{root}",
            "partials below an exported root, counted every hour; absent with over a million entries"),
    SERVER_PARTIAL_BYTES(
            "fdt_server_partial_bytes{root}", "sizes of the partials below an exported root, summed up every hour"),
    PEER_CPU_RATIO(
            "fdt_peer_cpu_ratio{peer, cpu, mode}",
            "share of the last second that a core of the host at the other end of a session spent in a mode, as it"
                    + " tells"),
    SESSION_INFO(
            "fdt_session_info{session, direction, service, peer, digest, transport, shard}",
            "what a session is; always 1"),

    LANE_SENT_BYTES("fdt_lane_sent_bytes_total{session, lane, direction}", "payload that a lane sent"),
    LANE_RECEIVED_BYTES("fdt_lane_received_bytes_total{session, lane, direction}", "payload that a lane received"),
    LANE_RETRANSMITS("fdt_lane_retransmits_total{session, lane, direction}", "segments that TCP sent again on a lane"),
    LANE_RTT("fdt_lane_rtt_seconds{session, lane, direction}", "round-trip time of a lane, smoothed by TCP"),
    LANE_CWND("fdt_lane_cwnd_bytes{session, lane, direction}", "congestion window of a lane"),
    LANE_WINDOW("fdt_lane_window_bytes{session, lane, direction}", "window that the receiver of a lane offers"),
    LANE_CORE("fdt_lane_core{session, lane, direction}", "core on which the thread of a lane ran last"),

    NETTEST_BITS_PER_SECOND(
            "fdt_nettest_bits_per_second{suite, source, destination, streams, direction, size}",
            "what the last network test of this kind measured; the size is that of a message, and empty for a stream"),
    NETTEST_OPERATIONS_PER_SECOND(
            "fdt_nettest_operations_per_second{suite, source, destination, streams, direction, size}",
            "requests, reads or writes a second in the last network test of this kind"),
    NETTEST_LATENCY(
            "fdt_nettest_latency_seconds{suite, source, destination, streams, direction, size, quantile}",
            "quantiles of the round trips in the last network test of this kind"),
    NETTEST_CPU_SECONDS_PER_BYTE(
            "fdt_nettest_cpu_seconds_per_byte{suite, source, destination, streams, side}",
            "processor time that a byte cost in the last network test of this kind"),
    NETTEST_TIMESTAMP(
            "fdt_nettest_timestamp_seconds{suite, source, destination, streams}",
            "when the last network test of this kind ended, since 1970"),

    COPY_EXIT_CODE(
            "fdt_copy_exit_code{source, destination}",
            "exit code of the last copy between these hosts; 0 when everything was copied"),
    COPY_FILES(
            "fdt_copy_files{source, destination}",
            "files that the last copy left at the destination, those that were there before included"),
    COPY_FILES_FAILED("fdt_copy_files_failed{source, destination}", "files that the last copy could not copy"),
    COPY_BYTES("fdt_copy_bytes{source, destination}", "bytes of the files that the last copy left at the destination"),
    COPY_MOVED_BYTES("fdt_copy_moved_bytes{source, destination}", "bytes that the last copy moved and made durable"),
    COPY_SECONDS("fdt_copy_seconds{source, destination}", "how long the last copy took"),
    COPY_TIMESTAMP("fdt_copy_timestamp_seconds{source, destination}", "when the last copy ended, since 1970"),

    PROCESS_CPU_SECONDS("process_cpu_seconds_total", "processor time of this process since its start"),
    MONITOR_SAMPLE_SECONDS("fdt_monitor_sample_seconds", "time that taking the last sample took"),
    MONITOR_SOURCE_UP(
            "fdt_monitor_source_up{source}",
            "1 where a source of figures could be read, 0 where the host does not show it");

    /** A label that every series has in addition to its own: the name of the host concerned. */
    public static final String HOST_LABEL = "host";

    private static final String TOTAL = "_total";

    /** The Prometheus type of a meter. */
    public enum Kind {
        COUNTER,
        GAUGE,
        /** A gauge with the value 1 whose labels carry the information. */
        INFO
    }

    private static final Pattern UNIT = Pattern.compile("(?:bits|bytes|seconds)(?:_per_(?:second|byte))?$");

    private final String exportedName;
    private final String help;
    private final List<String> labels;

    /** @param series the name, followed by the labels in braces if there are any */
    Meter(String series, String help) {
        int brace = series.indexOf('{');
        this.exportedName = brace < 0 ? series : series.substring(0, brace);
        this.help = help;
        this.labels = brace < 0
                ? List.of()
                : List.of(series.substring(brace + 1, series.length() - 1).split(", "));
    }

    /** Returns the kind shown by the suffix of the name, as is the convention of Prometheus. */
    public Kind kind() {
        return exportedName.endsWith(TOTAL) ? Kind.COUNTER : exportedName.endsWith("_info") ? Kind.INFO : Kind.GAUGE;
    }

    /** Whether it is a result of a copy or network test, which stays valid after the process has ended. */
    public boolean isResult() {
        return exportedName.startsWith("fdt_nettest_") || exportedName.startsWith("fdt_copy_");
    }

    /** Returns the name as scraped. */
    public String exportedName() {
        return exportedName;
    }

    /** Returns the name without the suffix that an exporter adds to counters. */
    public String baseName() {
        return exportedName.endsWith(TOTAL)
                ? exportedName.substring(0, exportedName.length() - TOTAL.length())
                : exportedName;
    }

    /** Returns the unit at the end of the name, such as {@code bytes per second}; empty for plain numbers. */
    public String unit() {
        Matcher unit = UNIT.matcher(baseName());
        return unit.find() ? unit.group().replace('_', ' ') : "";
    }

    public String help() {
        return help;
    }

    public List<String> labels() {
        return labels;
    }
}
