package io.fdt.system;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;

/**
 * Serves the metrics of a host with 24 cores, a NIC with queues, a known PCIe link and RDMA, and of a session in each
 * direction. The machine that runs the tests may lack such hardware. Counters rise with time.
 */
final class RecordedMetrics implements AutoCloseable {
    static final int CORES = 24;
    /** More than ten, so that a test can see how their numbers are sorted. */
    static final int LANES = 12;

    private static final double TWO_DAYS = 2 * 86_400;

    private final HttpServer server;
    private final long startNanos = System.nanoTime();
    private final double startSeconds = System.currentTimeMillis() / 1e3;

    /** Serves the metrics of one host whose counters rise at normal speed. */
    RecordedMetrics() {
        this("dtn1", 1);
    }

    /**
     * @param speed the speed at which time passes for the counters. 0 for the counters of a process that has ended
     */
    RecordedMetrics(String host, double speed) {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/metrics", exchange -> {
            byte[] body = page(host, 1000 + speed * (System.nanoTime() - startNanos) / 1e9, startSeconds)
                    .getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
            exchange.sendResponseHeaders(200, body.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(body);
            }
        });
        server.start();
    }

    String target() {
        return "127.0.0.1:" + server.getAddress().getPort();
    }

    static Set<String> names() {
        Set<String> names = new TreeSet<>();
        page("dtn1", 1).lines().forEach(line -> names.add(line.split("[{ ]", 2)[0]));
        return names;
    }

    /** Returns the response to a scrape after this many seconds. */
    static String page(String host, double seconds) {
        return page(host, seconds, System.currentTimeMillis() / 1e3);
    }

    /** @param copiedSeconds the time since the epoch at which the only copy of a path ended */
    private static String page(String host, double seconds, double copiedSeconds) {
        Page page = new Page(host);
        host(page, seconds);
        card(page, seconds);
        session(page, seconds, "s1", "out");
        session(page, seconds, "s2", "in");
        results(page, seconds);
        reverse(page, copiedSeconds);
        stopped(page, copiedSeconds - TWO_DAYS);
        return page.text.toString();
    }

    private static void host(Page page, double seconds) {
        for (int core = 0; core < CORES; core++) {
            String cpu = "cpu=\"" + core + "\"";
            for (String mode : new String[] {"user", "nice", "system", "irq", "softirq", "iowait", "steal", "idle"}) {
                double share = mode.equals("idle") ? 0.8 : mode.equals("softirq") ? 0.1 : 0.02;
                page.add(
                        "fdt_host_cpu_seconds_total",
                        cpu + ",mode=\"" + mode + "\",numa_node=\"" + core / 12 + "\"",
                        share * seconds);
            }
            page.add("fdt_host_softirqs_total", cpu + ",type=\"NET_RX\"", 1000 * seconds);
            page.add("fdt_host_softirqs_total", cpu + ",type=\"NET_TX\"", 10 * seconds);
            page.add("fdt_host_softnet_processed_total", cpu, 9000 * seconds);
            page.add("fdt_host_softnet_dropped_total", cpu, 0);
            page.add("fdt_host_softnet_squeezed_total", cpu, seconds);
        }
        for (String resource : new String[] {"cpu", "io", "memory"}) {
            page.add("fdt_host_pressure_seconds_total", "resource=\"" + resource + "\"", 0.01 * seconds);
        }
        for (String reason : new String[] {"overflows", "drops"}) {
            page.add("fdt_host_listen_" + reason + "_total", "", seconds);
        }
        page.add("fdt_host_tcp_memory_bytes", "", 1e8);
        page.add("fdt_host_tcp_memory_limit_bytes", "", 2e9);
        for (String figure : new String[] {
            "read_bytes", "written_bytes", "reads", "writes", "read_seconds", "write_seconds", "busy_seconds"
        }) {
            page.add(
                    "fdt_disk_" + figure + "_total",
                    "device=\"nvme0n1\"",
                    (figure.endsWith("bytes") ? 2e9 : figure.endsWith("seconds") ? 0.5 : 900) * seconds);
        }
        page.add("fdt_monitor_source_up", "source=\"proc_stat\"", 1);
        page.add("fdt_monitor_sample_seconds", "", 0.0005);
        page.add("fdt_build_info", "version=\"1\",java=\"17\",role=\"server\"", 1);
        for (String direction : new String[] {"out", "in"}) {
            String way = "direction=\"" + direction + "\"";
            page.add("fdt_bytes_total", way, 4e9 * seconds);
            page.add("fdt_chunks_resent_total", way, 0);
            page.add("fdt_retransmits_total", way, seconds);
            for (String service : new String[] {"copy", "other"}) {
                for (String outcome : new String[] {"ok", "failed", "partial", "interrupted"}) {
                    page.add(
                            "fdt_sessions_total",
                            way + ",service=\"" + service + "\",outcome=\"" + outcome + "\"",
                            outcome.equals("ok") ? seconds : outcome.equals("failed") ? seconds / 9 : 0);
                }
            }
        }
        page.add("fdt_sessions_peer_gone", "", 0);
        page.add("fdt_sessions_without_details", "", 0);
        page.add("fdt_key_sessions_total", "key=\"ann\",peer=\"dtn2\",outcome=\"ok\"", seconds);
        page.add("fdt_key_sessions_total", "key=\"ann\",peer=\"dtn2\",outcome=\"failed\"", seconds / 9);
        for (String direction : new String[] {"out", "in"}) {
            String way = "direction=\"" + direction + "\"";
            page.add("fdt_key_bytes_total", "key=\"ann\",peer=\"dtn2\"," + way, 4e9 * seconds);
            page.add("fdt_key_files_total", "key=\"ann\",peer=\"dtn2\"," + way, seconds);
            for (String figure : new String[] {"duration_seconds", "moved_bytes", "rate_bytes_per_second"}) {
                String name = "fdt_copies_" + figure;
                page.add(name + "_bucket", way + ",le=\"10.0\"", seconds / 2);
                page.add(name + "_bucket", way + ",le=\"60.0\"", seconds);
                page.add(name + "_bucket", way + ",le=\"+Inf\"", seconds);
                page.add(name + "_sum", way, 20 * seconds);
                page.add(name + "_count", way, seconds);
            }
        }
        page.add("fdt_server_refused_total", "cause=\"unknown-key\"", seconds);
        page.add("fdt_server_key_expiry_timestamp_seconds", "key=\"ann\"", 4e9);
        page.add("fdt_server_root_free_bytes", "root=\"/data\"", 4e12);
        page.add("fdt_server_root_size_bytes", "root=\"/data\"", 9e12);
        page.add("fdt_server_root_info", "root=\"/data\",device=\"nvme0n1\"", 1);
        page.add("fdt_server_partials", "root=\"/data\"", 2);
        page.add("fdt_server_partial_bytes", "root=\"/data\"", 1e9);
        for (String mode : new String[] {"user", "system", "softirq", "iowait", "steal"}) {
            page.add("fdt_peer_cpu_ratio", "peer=\"dtn9\",cpu=\"0\",mode=\"" + mode + "\"", 0.1);
        }
    }

    private static void card(Page page, double seconds) {
        String device = "device=\"eth0\"";
        for (String kind : new String[] {"transmit", "receive"}) {
            page.add("fdt_nic_" + kind + "_bytes_total", device, 5e9 * seconds);
            page.add("fdt_nic_" + kind + "_packets_total", device, 6e5 * seconds);
            page.add("fdt_nic_" + kind + "_drops_total", device, 0);
            page.add("fdt_rdma_" + kind + "_bytes_total", "device=\"mlx5_0\",port=\"1\"", 5e9 * seconds);
        }
        page.add("fdt_rdma_events_total", "device=\"mlx5_0\",port=\"1\",event=\"out_of_sequence\"", 0);
        page.add("fdt_nic_speed_bytes_per_second", device, 1.25e10);
        page.add("fdt_nic_pcie_bytes_per_second", device + ",kind=\"current\"", 1.57e10);
        page.add("fdt_nic_pcie_bytes_per_second", device + ",kind=\"max\"", 3.15e10);
        page.add("fdt_nic_info", device + ",driver=\"mlx5_core\",numa_node=\"0\",mtu=\"9000\",bond=\"bond0\"", 1);
        for (int queue = 0; queue < 8; queue++) {
            page.add(
                    "fdt_nic_queue_interrupts_total",
                    device + ",queue=\"" + queue + "\",cpu=\"" + queue + "\"",
                    20000 * seconds);
        }
    }

    private static void session(Page page, double seconds, String id, String direction) {
        String own = "session=\"" + id + "\",direction=\"" + direction + "\"";
        page.add("fdt_session_bytes_total", own, 4e9 * seconds);
        for (String state : new String[] {"sent", "arrived", "verified", "durable", "final"}) {
            page.add("fdt_session_moved_bytes", own + ",state=\"" + state + "\"", 4e9 * seconds);
        }
        page.add("fdt_session_files_total", own, seconds);
        page.add("fdt_session_chunks_resent_total", own, 0);
        page.add("fdt_session_size_bytes", own, 1e15);
        page.add("fdt_session_lanes", own, LANES);
        page.add("fdt_session_lane_changes_total", own + ",reason=\"network\"", 1);
        page.add("fdt_session_queued_files", own, 100);
        for (String stage : new String[] {"read", "hash", "send", "write", "blocked", "idle", "limited"}) {
            page.add("fdt_session_stage_seconds_total", own + ",stage=\"" + stage + "\"", 0.5 * seconds);
        }
        for (String cause : new String[] {
            "source-disk",
            "sender-cpu",
            "sender-foreign-load",
            "rate-limit",
            "network",
            "receiver-cpu",
            "receiver-foreign-load",
            "target-disk",
            "idle",
            "peer-gone"
        }) {
            page.add(
                    "fdt_session_bottleneck",
                    "session=\"" + id + "\",cause=\"" + cause + "\"",
                    cause.equals("target-disk") ? 1 : 0);
        }
        for (String outcome : new String[] {"ok", "failed"}) {
            page.add(
                    "fdt_session_end_timestamp_seconds",
                    own
                            + ",service=\"copy\",peer=\"dtn2\",key=\"ann\",id=\"fedcba9876543210\",outcome=\"" + outcome
                            + "\",cause=\"" + (outcome.equals("ok") ? "" : "no-space") + "\"",
                    1.79e9);
        }
        page.add(
                "fdt_session_info",
                own
                        + ",service=\"copy\",peer=\"dtn2\",key=\"ann\",digest=\"xxh3-128\",transport=\"epoll\""
                        + ",tls=\"TLSv1.3\",cipher=\"TLS_AES_128_GCM_SHA256\",id=\"0123456789abcdef\",shard=\"job/7\"",
                1);
        for (int lane = 0; lane < LANES; lane++) {
            String one = "session=\"" + id + "\",lane=\"" + lane + "\",direction=\"" + direction + "\"";
            page.add("fdt_lane_sent_bytes_total", one, direction.equals("out") ? 1e9 * seconds : 0);
            page.add("fdt_lane_received_bytes_total", one, direction.equals("in") ? 1e9 * seconds : 0);
            page.add("fdt_lane_retransmits_total", one, 0);
            page.add("fdt_lane_rtt_seconds", one, 0.014);
            page.add("fdt_lane_cwnd_bytes", one, 4e7);
            page.add("fdt_lane_peer_window_bytes", one, 6e7);
            page.add("fdt_lane_core", one, lane);
        }
    }

    private static void results(Page page, double seconds) {
        String path = "source=\"dtn1\",destination=\"dtn2\"";
        String test = "suite=\"throughput\",variant=\"\",streams=\"8\"," + path;
        for (String direction : new String[] {"out", "in"}) {
            page.add("fdt_nettest_bytes_per_second", test + ",direction=\"" + direction + "\"", 1.2e10);
        }
        for (String side : new String[] {"local", "remote"}) {
            page.add("fdt_nettest_cpu_seconds_per_byte", test + ",side=\"" + side + "\"", 1e-10);
        }
        page.add("fdt_nettest_loss_ratio", test + ",direction=\"out\"", 2e-4);
        page.add("fdt_nettest_timestamp_seconds", test, System.currentTimeMillis() / 1e3);
        page.add(
                "fdt_nettest_timestamp_seconds",
                "suite=\"rpc\",variant=\"\",streams=\"1\"," + path,
                System.currentTimeMillis() / 1e3);
        String sized = "suite=\"rpc\",variant=\"\",streams=\"1\",direction=\"in\",size=\"128\"," + path;
        page.add("fdt_nettest_operations_per_second", sized, 40_000);
        page.add("fdt_nettest_bytes_per_second", sized.replace("\"in\"", "\"out\""), 9e10);
        page.add("fdt_nettest_exit_code", test, 8);
        page.add("fdt_nettest_latency_seconds", sized + ",quantile=\"0.99\"", 2e-5);
        for (String figure :
                new String[] {"files", "size_bytes", "duration_seconds", "last_success_timestamp_seconds"}) {
            page.add("fdt_copy_" + figure, path, 9);
        }
        // One copy after the other, which fail from here to there, and succeed on the way back.
        page.add("fdt_copy_exit_code", path, 9);
        page.add("fdt_copy_timestamp_seconds", path, seconds);
        page.add("fdt_copy_exit_code", "source=\"dtn2\",destination=\"dtn1\"", 0);
        page.add("fdt_copy_timestamp_seconds", "source=\"dtn2\",destination=\"dtn1\"", seconds);
    }

    /** A host that only receives in its tests, and from which there was one copy. */
    private static void reverse(Page page, double copiedSeconds) {
        String path = "source=\"dtn3\",destination=\"dtn4\"";
        String received = "suite=\"throughput\",variant=\"reverse\",streams=\"8\"," + path;
        page.add("fdt_nettest_bytes_per_second", received + ",direction=\"in\"", 5e9);
        page.add("fdt_nettest_loss_ratio", received + ",direction=\"in\"", 3e-4);
        page.add("fdt_nettest_timestamp_seconds", received, copiedSeconds);
        page.add("fdt_copy_exit_code", path, 0);
        page.add("fdt_copy_timestamp_seconds", path, copiedSeconds);
    }

    /** A test that does not run any more, whose result the gateway keeps. */
    private static void stopped(Page page, double lastSeconds) {
        String test = "suite=\"throughput\",variant=\"\",streams=\"8\",source=\"dtn5\",destination=\"dtn6\"";
        page.add("fdt_nettest_bytes_per_second", test + ",direction=\"out\"", 7e9);
        page.add("fdt_nettest_timestamp_seconds", test, lastSeconds);
    }

    /** The process is down. */
    void stop() {
        server.stop(0);
    }

    @Override
    public void close() {
        stop();
    }

    /** Builds lines of the text format. */
    private static final class Page {
        private final StringBuilder text = new StringBuilder();
        private final String host;

        Page(String host) {
            this.host = host;
        }

        void add(String name, String labels, double value) {
            text.append(name)
                    .append("{host=\"")
                    .append(host)
                    .append(labels.isEmpty() ? "\"" : "\",")
                    .append(labels)
                    .append("} ")
                    .append(value)
                    .append('\n');
        }
    }
}
