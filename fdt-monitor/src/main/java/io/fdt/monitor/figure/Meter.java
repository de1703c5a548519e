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
            "Time that a core spent in each mode of the kernel, in ticks of 10 ms."),
    HOST_SOFTIRQS(
            "fdt_host_softirqs_total{cpu, type}",
            "Soft interrupts that a core handled for received packets, sent packets and finished disk requests."),
    HOST_SOFTNET_PROCESSED(
            "fdt_host_softnet_processed_total{cpu}", "Packets that a core took from its receive queues."),
    HOST_SOFTNET_DROPPED(
            "fdt_host_softnet_dropped_total{cpu}", "Packets dropped because the backlog of a core was full."),
    HOST_SOFTNET_SQUEEZED(
            "fdt_host_softnet_squeezed_total{cpu}", "Times that a core used up its budget with packets left."),
    HOST_PRESSURE_SECONDS(
            "fdt_host_pressure_seconds_total{resource}", "Time in which at least one task waited for the resource."),
    HOST_LISTEN_OVERFLOWS(
            "fdt_host_listen_overflows_total",
            "Connections that the host did not accept because the queue of a listening socket was full."),
    HOST_LISTEN_DROPS(
            "fdt_host_listen_drops_total",
            "Connections that listening sockets of the host dropped for any reason, including full queues."),
    HOST_TCP_MEMORY("fdt_host_tcp_memory_bytes", "Memory that the buffers of all TCP sockets of the host take."),
    HOST_TCP_MEMORY_LIMIT(
            "fdt_host_tcp_memory_limit_bytes",
            "Memory from which on the kernel refuses more to the buffers of TCP sockets (net.ipv4.tcp_mem)."),

    DISK_READ_BYTES("fdt_disk_read_bytes_total{device}", "Bytes read from the disk below an exported root."),
    DISK_WRITTEN_BYTES("fdt_disk_written_bytes_total{device}", "Bytes written to the disk below an exported root."),
    DISK_READS("fdt_disk_reads_total{device}", "Reads that the disk below an exported root completed."),
    DISK_WRITES("fdt_disk_writes_total{device}", "Writes that the disk below an exported root completed."),
    DISK_READ_SECONDS(
            "fdt_disk_read_seconds_total{device}",
            "Time that all reads of the disk below an exported root took, from request to completion."),
    DISK_WRITE_SECONDS(
            "fdt_disk_write_seconds_total{device}",
            "Time that all writes of the disk below an exported root took, from request to completion."),
    DISK_BUSY_SECONDS(
            "fdt_disk_busy_seconds_total{device}",
            "Time in which the disk below an exported root had at least one request."),

    NIC_TRANSMIT_BYTES("fdt_nic_transmit_bytes_total{device}", "Bytes transmitted by the interface."),
    NIC_RECEIVE_BYTES("fdt_nic_receive_bytes_total{device}", "Bytes received by the interface."),
    NIC_TRANSMIT_PACKETS("fdt_nic_transmit_packets_total{device}", "Packets transmitted by the interface."),
    NIC_RECEIVE_PACKETS("fdt_nic_receive_packets_total{device}", "Packets received by the interface."),
    NIC_TRANSMIT_DROPS("fdt_nic_transmit_drops_total{device}", "Packets dropped before the interface sent them."),
    NIC_RECEIVE_DROPS(
            "fdt_nic_receive_drops_total{device}", "Received packets dropped by the interface or its driver."),
    NIC_SPEED("fdt_nic_speed_bytes_per_second{device}", "Speed of the link of the interface, in each direction."),
    NIC_PCIE(
            "fdt_nic_pcie_bytes_per_second{device, kind}",
            "Capacity of the PCIe link of the interface after its line code, as negotiated now and as the maximum."),
    NIC_QUEUE_INTERRUPTS(
            "fdt_nic_queue_interrupts_total{device, queue, cpu}",
            "Interrupts of a queue of the interface that a core handled, without cores that never did."),
    NIC_INFO("fdt_nic_info{device, driver, numa_node, mtu, bond}", "Driver, NUMA node, MTU and bond of the interface."),

    RDMA_TRANSMIT_BYTES(
            "fdt_rdma_transmit_bytes_total{device, port}", "Bytes transmitted by the port of an RDMA device."),
    RDMA_RECEIVE_BYTES("fdt_rdma_receive_bytes_total{device, port}", "Bytes received by the port of an RDMA device."),
    RDMA_EVENTS(
            "fdt_rdma_events_total{device, port, event}",
            "Losses, congestion notifications and timeouts counted by the port of an RDMA device."),

    BYTES(
            "fdt_bytes_total{direction}",
            "Payload moved by all sessions of the process since its start, including resent data."),
    FILES("fdt_files_total{direction}", "Files that all sessions of the process put in place since its start."),
    FILES_FAILED(
            "fdt_files_failed_total{direction}", "Files that sessions of the process failed to copy since its start."),
    SESSIONS(
            "fdt_sessions_total{service, direction, outcome}",
            "Sessions of the process that have ended since its start."),
    SESSIONS_FAILED(
            "fdt_sessions_failed_total{service, cause}",
            "Sessions of the process that have ended since its start without all that was requested, by the cause of"
                    + " each."),
    KEY_SESSIONS(
            "fdt_key_sessions_total{key, peer, outcome}",
            "Sessions of the server that have ended since its start, by key and host of the client; further ones than"
                    + " the first 64 of these pairs are others."),
    KEY_BYTES(
            "fdt_key_bytes_total{key, peer, direction}",
            "Payload that sessions of the server have moved since its start, including resent data, by the same pairs"
                    + " of a key and a host."),
    KEY_FILES(
            "fdt_key_files_total{key, peer, direction}",
            "Files that sessions of the server have put in place since its start, by the same pairs of a key and a"
                    + " host."),
    COPIES_SECONDS(
            "fdt_copies_duration_seconds{direction, le}",
            "Durations of the copies that have ended since the start of the process with everything in place."),
    COPIES_BYTES("fdt_copies_moved_bytes{direction, le}", "Data that each of these copies moved and made durable."),
    COPIES_RATE(
            "fdt_copies_rate_bytes_per_second{direction, le}",
            "Data that each of these copies moved, divided by its duration, without copies that moved nothing."),
    CHUNKS_RESENT(
            "fdt_chunks_resent_total{direction}",
            "Chunks that all sessions of the process moved again since its start, because they were damaged or their"
                    + " lane was lost."),
    RETRANSMITS(
            "fdt_retransmits_total{direction}",
            "Segments that TCP sent again on all lanes of the process since its start."),
    SESSIONS_PEER_GONE(
            "fdt_sessions_peer_gone",
            "Sessions whose other end has gone, by a crash or a broken network, and which wait for it to connect again."),
    SESSIONS_WITHOUT_DETAILS(
            "fdt_sessions_without_details",
            "Sessions with open lanes whose metrics do not include these lanes and what they do: only those of up to"
                    + " 32 sessions with 256 lanes do, which are the ones that last and moved the most."),
    BUILD_INFO("fdt_build_info{version, java, role}", "Version of fdt and of Java, and role of the process."),

    SESSION_BYTES(
            "fdt_session_bytes_total{session, direction}",
            "Payload that a session moved over its lanes, including resent data."),
    SESSION_MOVED(
            "fdt_session_moved_bytes{session, direction, state}",
            "How far the bytes of a copy are, as in its summary, each a part of the one before: sent, arrived, verified,"
                    + " durable, final."),
    SESSION_FILES("fdt_session_files_total{session, direction}", "Files that a session put in place."),
    SESSION_CHUNKS_RESENT(
            "fdt_session_chunks_resent_total{session, direction}",
            "Chunks that a session moved again, because they were damaged or their lane was lost."),
    SESSION_SIZE(
            "fdt_session_size_bytes{session, direction}",
            "Size of what a session has found to copy so far, without what it skips or resumes."),
    SESSION_LANES("fdt_session_lanes{session, direction}", "Open lanes of a session."),
    SESSION_LANE_CHANGES(
            "fdt_session_lane_changes_total{session, direction, reason}",
            "Changes of the number of lanes by -P auto: there is work for more (work),"
                    + " the network is the bottleneck (network), fewer may suffice"
                    + " (fewer), more may be faster although the network is not the bottleneck (more), BBR is tried"
                    + " because packets are lost (loss), or a change had too little effect (undone)."),
    SESSION_QUEUED_FILES(
            "fdt_session_queued_files{session, direction}", "Files of a session that wait for a lane or are on one."),
    SESSION_STAGE_SECONDS(
            "fdt_session_stage_seconds_total{session, direction, stage}",
            "Time that the lanes of a session spent in each stage, summed over the lanes."),
    SESSION_BOTTLENECK(
            "fdt_session_bottleneck{session, cause}",
            "Bottleneck of a session in the last ten seconds, the same at both ends, or that its other end has gone"
                    + " (peer-gone): 1 for the cause that applies, 0 for the others."),
    SESSION_INFO(
            "fdt_session_info{session, direction, service, peer, key, digest, transport, tls, cipher, id, shard}",
            "Service, remote end, key, hash, transport, version and cipher of TLS, name in logs and receipts (id), and"
                    + " shard of a session."),
    SESSION_END(
            "fdt_session_end_timestamp_seconds{session, service, direction, outcome, cause, peer, key, id}",
            "Time at which a session ended, with its outcome and the cause of its failure; exported for as long as the"
                    + " other figures of an ended session."),

    SERVER_REFUSED(
            "fdt_server_refused_total{cause}",
            "Connections, requests and lanes that the server refused, by the cause of each."),
    SERVER_KEY_EXPIRY(
            "fdt_server_key_expiry_timestamp_seconds{key}",
            "Time at which a key that admits clients expires, without keys that never do or did so over a day ago."),
    SERVER_ROOT_FREE(
            "fdt_server_root_free_bytes{root}",
            "Room for users on the file system of an exported root, measured every minute."),
    SERVER_ROOT_SIZE(
            "fdt_server_root_size_bytes{root}", "Size of the file system of an exported root, measured every minute."),
    SERVER_ROOT_INFO(
            "fdt_server_root_info{root, device}",
            "Disk below an exported root; empty for a file system without a disk of its own."),
    SERVER_PARTIALS(
            "fdt_server_partials{root}",
            "Partials of unfinished copies below an exported root, counted every hour, without roots of over a million"
                    + " entries."),
    SERVER_PARTIAL_BYTES(
            "fdt_server_partial_bytes{root}",
            "Room that the partials below an exported root occupy, measured every hour."),
    PEER_CPU_RATIO(
            "fdt_peer_cpu_ratio{peer, cpu, mode}",
            "Share of the last second that a core of a remote end spent in a mode, as reported by it."),

    LANE_SENT_BYTES("fdt_lane_sent_bytes_total{session, lane, direction}", "Payload sent by a lane."),
    LANE_RECEIVED_BYTES("fdt_lane_received_bytes_total{session, lane, direction}", "Payload received by a lane."),
    LANE_RETRANSMITS("fdt_lane_retransmits_total{session, lane, direction}", "Segments that TCP sent again on a lane."),
    LANE_RTT("fdt_lane_rtt_seconds{session, lane, direction}", "Round-trip time of a sending lane, smoothed by TCP."),
    LANE_CWND("fdt_lane_cwnd_bytes{session, lane, direction}", "Congestion window of a sending lane."),
    LANE_PEER_WINDOW(
            "fdt_lane_peer_window_bytes{session, lane, direction}",
            "Window that the remote end of a sending lane offers."),
    LANE_CORE("fdt_lane_core{session, lane, direction}", "Core on which the thread of a lane last ran."),

    NETTEST_BYTES_PER_SECOND(
            "fdt_nettest_bytes_per_second{suite, variant, source, destination, streams, direction, size}",
            "Throughput of the last network test of this kind; the size of its messages is empty for a stream."),
    NETTEST_OPERATIONS_PER_SECOND(
            "fdt_nettest_operations_per_second{suite, variant, source, destination, streams, direction, size}",
            "Requests, reads or writes in each second of the last network test of this kind."),
    NETTEST_LATENCY(
            "fdt_nettest_latency_seconds{suite, variant, source, destination, streams, direction, size, quantile}",
            "Quantiles of the round trips of the last network test of this kind."),
    NETTEST_LOSS(
            "fdt_nettest_loss_ratio{suite, variant, source, destination, streams, direction}",
            "About the share of its segments that TCP sent again in the last network test of this kind."),
    NETTEST_CPU_SECONDS_PER_BYTE(
            "fdt_nettest_cpu_seconds_per_byte{suite, variant, source, destination, streams, side}",
            "CPU time for each byte in the last network test of this kind."),
    NETTEST_TIMESTAMP(
            "fdt_nettest_timestamp_seconds{suite, variant, source, destination, streams}",
            "Time at which the last network test of this kind that had a result ended."),
    NETTEST_EXIT_CODE(
            "fdt_nettest_exit_code{suite, variant, source, destination, streams}",
            "Exit code of the last network test of this kind, 0 if it was completed; of one that did not begin, the"
                    + " destination is as it was typed."),

    COPY_EXIT_CODE(
            "fdt_copy_exit_code{source, destination}",
            "Exit code of the last copy between these hosts, 0 if everything was copied."),
    COPY_FILES(
            "fdt_copy_files{source, destination}",
            "Files of the last copy that are at the destination, including those that were there before."),
    COPY_FILES_FAILED("fdt_copy_files_failed{source, destination}", "Files that the last copy failed to copy."),
    COPY_SIZE(
            "fdt_copy_size_bytes{source, destination}",
            "Size of the files of the last copy that are at the destination."),
    COPY_TRANSFERRED(
            "fdt_copy_transferred_bytes{source, destination}", "Data that the last copy moved and made durable."),
    COPY_DURATION("fdt_copy_duration_seconds{source, destination}", "Duration of the last copy."),
    COPY_TIMESTAMP("fdt_copy_timestamp_seconds{source, destination}", "Time at which the last copy ended."),
    COPY_LAST_SUCCESS(
            "fdt_copy_last_success_timestamp_seconds{source, destination}",
            "Time at which the last copy with exit code 0 ended."),

    PROCESS_CPU_SECONDS("process_cpu_seconds_total", "CPU time of the process."),
    PROCESS_START("process_start_time_seconds", "Time at which the process started."),
    PROCESS_MEMORY("process_resident_memory_bytes", "Physical memory of the process."),
    PROCESS_OPEN_FDS("process_open_fds", "Open file descriptors of the process."),
    PROCESS_MAX_FDS("process_max_fds", "Limit of open file descriptors of the process."),
    JVM_MEMORY_USED("jvm_memory_used_bytes{area, id}", "Memory in use of each pool of the JVM."),
    JVM_MEMORY_COMMITTED(
            "jvm_memory_committed_bytes{area, id}", "Memory that each pool of the JVM has from the kernel."),
    JVM_MEMORY_MAX("jvm_memory_max_bytes{area, id}", "Limit of each pool of the JVM, without pools that have none."),
    JVM_BUFFERS("jvm_buffer_count_buffers{id}", "Direct and mapped buffers of the JVM."),
    JVM_BUFFER_USED("jvm_buffer_memory_used_bytes{id}", "Memory of the direct and mapped buffers of the JVM."),
    JVM_BUFFER_CAPACITY("jvm_buffer_total_capacity_bytes{id}", "Capacity of the direct and mapped buffers of the JVM."),
    JVM_GC_COLLECTIONS("jvm_gc_collections_total{gc}", "Collections of each garbage collector of the JVM."),
    JVM_GC_SECONDS("jvm_gc_collection_seconds_total{gc}", "Time that each garbage collector of the JVM took in total."),
    MONITOR_SAMPLE_SECONDS("fdt_monitor_sample_seconds", "Time that the last sample took."),
    MONITOR_SOURCE_UP(
            "fdt_monitor_source_up{source}", "Whether a source of figures of the host could be read: 1 if so, else 0.");

    /** A label that every series has in addition to its own: the name of the host concerned. */
    public static final String HOST_LABEL = "host";

    private static final String TOTAL = "_total";

    public enum MeterKind {
        COUNTER,
        GAUGE,
        /** A gauge with the value 1 whose labels carry the information. */
        INFO,
        /**
         * Cumulative counts: a figure for each limit, which its last label has. Two more figures have {@link #SUM} and
         * {@link #COUNT} there.
         */
        HISTOGRAM
    }

    /** In the place of a limit: the sum of all values, and their number. */
    public static final String SUM = "sum";

    public static final String COUNT = "count";
    private static final String LIMIT_LABEL = "le";

    private static final Pattern UNIT = Pattern.compile("(?:bits|bytes|seconds)(?:_per_(?:second|byte))?$");

    private final String exportedName;
    private final String baseName;
    private final MeterKind kind;
    private final String help;
    private final List<String> labels;

    /** @param series the name, followed by the labels in braces if there are any */
    Meter(String series, String help) {
        int brace = series.indexOf('{');
        this.exportedName = brace < 0 ? series : series.substring(0, brace);
        boolean counter = exportedName.endsWith(TOTAL);
        this.baseName = counter ? exportedName.substring(0, exportedName.length() - TOTAL.length()) : exportedName;
        this.help = help;
        this.labels = brace < 0
                ? List.of()
                : List.of(series.substring(brace + 1, series.length() - 1).split(", "));
        this.kind = counter
                ? MeterKind.COUNTER
                : exportedName.endsWith("_info")
                        ? MeterKind.INFO
                        : labels.contains(LIMIT_LABEL) ? MeterKind.HISTOGRAM : MeterKind.GAUGE;
    }

    /** Returns the kind shown by the suffix of the name or by its labels, as is the convention of Prometheus. */
    public MeterKind kind() {
        return kind;
    }

    /** Whether it is a result of a copy or network test, which stays valid after the process has ended. */
    public boolean isResult() {
        return exportedName.startsWith("fdt_nettest_") || exportedName.startsWith("fdt_copy_");
    }

    /** Returns the name as scraped. */
    public String exportedName() {
        return exportedName;
    }

    /** Returns the name of the series with these labels: those of a histogram have three names. */
    public String seriesName(List<String> values) {
        return kind == MeterKind.HISTOGRAM
                ? exportedName + (isLimit(values) ? "_bucket" : "_" + values.get(values.size() - 1))
                : exportedName;
    }

    /** Returns the names of the labels that the series with these labels has. */
    public List<String> seriesLabels(List<String> values) {
        return kind == MeterKind.HISTOGRAM && !isLimit(values) ? labels.subList(0, labels.size() - 1) : labels;
    }

    private static boolean isLimit(List<String> values) {
        String last = values.get(values.size() - 1);
        return !last.equals(SUM) && !last.equals(COUNT);
    }

    /** Returns the name without the suffix that an exporter adds to counters. */
    public String baseName() {
        return baseName;
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
