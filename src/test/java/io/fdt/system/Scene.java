package io.fdt.system;

import io.fdt.core.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The samples of a host for the live page: 24 cores on two nodes, core 3 busy with the program, core 11 with the
 * network, one session with several lanes, and the remote end. Each sample is one second after the last.
 */
final class Scene {
    static final int CORES = 24;
    /** As long as a real one. */
    static final String REASON = "/in/run7: too little space: the files found so far need 300 MiB more, and 60 MiB are"
            + " free; free at least 240 MiB, then run it again to resume";

    private final long startMs;
    private final long bytesPerSecond;
    private long seconds;
    private int lanes;
    private int sessions = 1;
    private int sessionsEver = 1;

    private boolean silent;

    Scene(long startMs, int lanes, long bytesPerSecond) {
        this.startMs = startMs;
        this.lanes = lanes;
        this.bytesPerSecond = bytesPerSecond;
    }

    /** The remote end reports its host no more from the next sample on. */
    void silencePeer() {
        silent = true;
    }

    /** Removes the last lane from the next sample on. */
    void cutLane() {
        lanes--;
    }

    /** Runs this many sessions with equal traffic from the next sample on. The others have ended. */
    void sessions(int count) {
        sessions = count;
        sessionsEver = Math.max(sessionsEver, count);
    }

    /** The number of bytes that a session has moved up to the last sample. */
    long movedBytes() {
        return seconds * bytesPerSecond;
    }

    Map<String, Object> next() {
        seconds++;
        Map<String, Object> sample = new LinkedHashMap<>();
        sample.put("t", startMs + 1000 * seconds);
        sample.put("role", "client");
        sample.put("host", "here.example.org");
        sample.put("cores", cores(0));
        sample.put("nics", List.of(nic("eth0")));
        sample.put(
                "queues",
                List.of(Map.of("nic", "eth0", "queue", "rx-0", "irq", 120, "core", 11, "interrupts_s", 21000)));
        sample.put(
                "sessions",
                IntStream.rangeClosed(1, sessionsEver).mapToObj(this::session).toList());
        sample.put("lanes", IntStream.range(0, lanes).mapToObj(this::lane).toList());
        Map<String, Object> there =
                Map.of("host", "there.example.org", "cores", cores(2), "nics", List.of(nic("ens1")));
        sample.put("peers", silent ? Map.of() : Map.of("s1", there));
        return sample;
    }

    private Map<String, Object> session(int number) {
        Map<String, Object> session = new LinkedHashMap<>();
        session.put("session", "s" + number);
        session.put("service", "copy");
        session.put("direction", "out");
        session.put("peer", "<b>there</b>.example.org");
        session.put("files", seconds);
        session.put("files_total", 4096);
        session.put("bytes", movedBytes());
        session.put("bytes_total", 1_000_000 * bytesPerSecond);
        session.put("bytes_s", bytesPerSecond);
        session.put("chunks_resent", 0);
        boolean ended = number > sessions;
        session.put("limit", "target-disk");
        session.put("verdict", ended ? "the target disk was the bottleneck" : "The target's disk holds it back.");
        session.put("lanes", ended ? Json.NULL : "12 lanes: the network limits 8 lanes to 940 Mbit/s");
        session.put("file", "run" + number + "/<i>" + "events-".repeat(20) + ".dat");
        session.put("ended", ended);
        boolean failed = ended && number % 2 == 0;
        session.put("key", "alice");
        session.put("purpose", "push to /<b>in</b>");
        session.put("files_failed", 0);
        for (String state : new String[] {"sent", "arrived", "verified", "durable", "final"}) {
            session.put("bytes_" + state, movedBytes());
        }
        session.put("start", startMs - 60_000);
        session.put("end", ended ? startMs + 2000 : Json.NULL);
        session.put("outcome", !ended ? Json.NULL : failed ? "failed" : "ok");
        session.put("exit_code", !ended ? Json.NULL : (Object) (failed ? 5 : 0));
        session.put("reason", failed ? REASON : Json.NULL);
        return session;
    }

    private Map<String, Object> lane(int lane) {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("session", "s1");
        figures.put("lane", lane);
        figures.put("direction", "out");
        figures.put("bytes", movedBytes() / lanes);
        figures.put("bytes_s", bytesPerSecond / lanes);
        figures.put("rtt_us", lane == 0 ? Json.NULL : (Object) 14250);
        figures.put("retransmits", 0);
        figures.put("cwnd_bytes", Json.NULL);
        figures.put("core", lane);
        figures.put("incoming_core", 11);
        figures.put("queue", "eth0 rx-0");
        return figures;
    }

    private static Map<String, Object> nic(String name) {
        Map<String, Object> nic = new LinkedHashMap<>();
        nic.put("nic", name);
        nic.put("speed_bits", 100_000_000_000L);
        nic.put("bond", Json.NULL);
        nic.put("rx_bytes_s", 1000);
        nic.put("tx_bytes_s", 5_000_000_000L);
        nic.put("rx_drops_s", 0);
        nic.put("tx_drops_s", Json.NULL);
        return nic;
    }

    private static List<Map<String, Object>> cores(int shift) {
        List<Map<String, Object>> cores = new ArrayList<>();
        for (int core = 0; core < CORES; core++) {
            double user = core == 3 + shift ? 0.8 : 0.01;
            double softirq = core == 11 + shift ? 0.95 : 0;
            Map<String, Object> figures = new LinkedHashMap<>();
            figures.put("core", core);
            figures.put("node", core < CORES / 2 ? 0 : 1);
            figures.put("user", user);
            figures.put("nice", 0);
            figures.put("system", 0.02);
            figures.put("irq", 0);
            figures.put("softirq", softirq);
            figures.put("iowait", 0);
            figures.put("steal", 0);
            figures.put("idle", 0.98 - user - softirq);
            cores.add(figures);
        }
        return cores;
    }
}
