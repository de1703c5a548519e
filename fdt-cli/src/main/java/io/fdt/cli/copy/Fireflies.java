package io.fdt.cli.copy;

import io.fdt.cli.display.EventLog;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.Version;
import io.fdt.core.failure.Cause;
import io.fdt.core.run.Threads;
import io.fdt.core.stats.LaneActivity;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.SessionActivity.Direction;
import io.fdt.core.stats.StreamFigures;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reports the flows of a copy to the networks that it passes: for each lane, a firefly of scitags.org, which is a
 * datagram in the form of syslog with JSON, goes to the remote end when the lane begins, while it is open, and when it
 * has ended. The thread {@code fdt-fireflies} does it once a second; a network that drops them costs nothing.
 */
final class Fireflies implements AutoCloseable {
    private static final int PORT = 10514;
    /** Facility local0, severity informational. */
    private static final String SYSLOG = "<134>1";
    /** A lane is reported again at its second look, and at every thirtieth one after that. */
    private static final int LOOKS_BETWEEN = 30;

    private static final double US_PER_MS = 1000;

    private final SciTag tag;
    private final DatagramSocket socket;
    private final Map<LaneActivity, Flow> flows = new HashMap<>();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread;
    private volatile @Nullable SessionActivity session;

    private static final class Flow {
        private final Instant start = Instant.now();
        private int looks;
        private boolean ended;
    }

    private Fireflies(SciTag tag, DatagramSocket socket) {
        this.tag = tag;
        this.socket = socket;
        this.thread = Threads.daemon("fdt-fireflies", this::run);
    }

    /** Returns null without a tag. */
    static @Nullable Fireflies start(@Nullable SciTag tag) {
        if (tag == null) {
            return null;
        }
        try {
            Fireflies started = new Fireflies(tag, new DatagramSocket());
            Threads.start(started.thread, noThread -> {});
            return started;
        } catch (SocketException noSocket) {
            throw Cause.UNAVAILABLE.failure("--scitag: no socket: " + noSocket.getMessage(), noSocket);
        }
    }

    /** The session whose lanes are reported; those of an earlier session have ended. */
    void watch(SessionActivity begun) {
        session = begun;
    }

    private void run() throws InterruptedException {
        while (!stopped.await(1, TimeUnit.SECONDS)) {
            look(false);
        }
        look(true);
    }

    /** @param last whether all lanes have ended, those that were never seen, too */
    private void look(boolean last) {
        SessionActivity watched = session;
        Set<LaneActivity> lanes = new HashSet<>(flows.keySet());
        if (watched != null) {
            lanes.addAll(watched.lanes());
        }
        for (LaneActivity lane : lanes) {
            LaneActivity.Ends ends = lane.ends();
            if (ends != null) {
                report(lane, ends, last || !lane.isOpen());
            }
        }
    }

    private void report(LaneActivity lane, LaneActivity.Ends ends, boolean over) {
        Flow flow = flows.computeIfAbsent(lane, first -> new Flow());
        if (flow.looks == 0) {
            send(lane, ends, flow, "start");
        } else if (!over && flow.looks % LOOKS_BETWEEN == 1) {
            send(lane, ends, flow, "ongoing");
        }
        flow.looks++;
        if (over && !flow.ended) {
            flow.ended = true;
            send(lane, ends, flow, "end");
        }
    }

    private void send(LaneActivity lane, LaneActivity.Ends ends, Flow flow, String state) {
        InetAddress target = ends.remote().getAddress();
        String header = String.join(" ", SYSLOG, EventLog.time(Instant.now()), host(ends), "fdt - firefly-json - ");
        byte[] bytes = (header + firefly(lane, ends, flow, state).text()).getBytes(StandardCharsets.UTF_8);
        try {
            socket.send(new DatagramPacket(bytes, bytes.length, target, PORT));
        } catch (IOException unreachable) {
            // Nobody waits for them, and the copy does not need them.
        }
    }

    private static String host(LaneActivity.Ends ends) {
        return withoutZone(ends.local().getAddress());
    }

    private JsonObject firefly(LaneActivity lane, LaneActivity.Ends ends, Flow flow, String state) {
        Instant now = Instant.now();
        JsonObject times = new JsonObject()
                .with("state", state)
                .with("current-time", EventLog.time(now))
                .with("start-time", EventLog.time(flow.start));
        if (state.equals("end")) {
            times.with("end-time", EventLog.time(now));
        }
        boolean sends = lane.direction() == Direction.OUT;
        JsonObject firefly = new JsonObject()
                .with("version", 1)
                .with("flow-lifecycle", times)
                .with(
                        "flow-id",
                        new JsonObject()
                                .with("afi", ends.remote().getAddress() instanceof Inet6Address ? "ipv6" : "ipv4")
                                .with("src-ip", withoutZone(ends.local().getAddress()))
                                .with("dst-ip", withoutZone(ends.remote().getAddress()))
                                .with("protocol", "tcp")
                                .with("src-port", ends.local().getPort())
                                .with("dst-port", ends.remote().getPort()))
                .with(
                        "context",
                        new JsonObject()
                                .with("experiment-id", tag.experiment())
                                .with("activity-id", tag.activity())
                                .with("application", Version.software()))
                .with(
                        "usage",
                        new JsonObject()
                                .with("received", sends ? 0 : lane.bytes())
                                .with("sent", sends ? lane.bytes() : 0));
        StreamFigures figures = lane.figures();
        return figures == null ? firefly : firefly.with("netlink", netlink(figures));
    }

    /** With the names and units of the scitags service. */
    private static JsonObject netlink(StreamFigures figures) {
        return new JsonObject()
                .with("rtt", figures.roundTrip().us() / US_PER_MS, 3)
                .with("total_retrans", figures.retransmits());
    }

    private static String withoutZone(InetAddress address) {
        String text = address.getHostAddress();
        int zone = text.indexOf('%');
        return zone < 0 ? text : text.substring(0, zone);
    }

    /** Reports the end of all lanes. */
    @Override
    public void close() {
        stopped.countDown();
        Threads.join(thread, 1_000);
        socket.close();
    }
}
