package io.fdt.monitor;

import io.fdt.core.basic.HostView;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.JsonReader;
import io.fdt.core.stats.Moved;
import io.fdt.monitor.figure.Sample;
import io.fdt.monitor.figure.Sample.LaneState;
import io.fdt.monitor.figure.Sample.QueueRate;
import io.fdt.monitor.figure.Sample.RootState;
import io.fdt.monitor.figure.Sample.SessionState;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads a sample that {@link SampleJson} wrote. Unknown members are ignored, and members that are absent or null are
 * unknown figures. The sender is untrusted: its length is bounded by the caller.
 */
final class SampleReader {
    private final JsonObject members;

    private SampleReader(JsonObject members) {
        this.members = members;
    }

    /** @throws IOException if it is not a JSON object */
    static Sample read(byte[] json, int offset) throws IOException {
        try (JsonReader reader = JsonReader.of(json, offset)) {
            JsonObject read = reader.next();
            if (read == null) {
                throw new IOException("a sample is not a JSON object");
            }
            return new SampleReader(read).sample();
        }
    }

    private Sample sample() {
        Map<String, HostView> peers = new LinkedHashMap<>();
        JsonObject hosts = members.part("peers");
        for (String session : hosts.values().keySet()) {
            if (hosts.has(session)) {
                peers.put(session, new SampleReader(hosts.part(session)).view());
            }
        }
        return new Sample(
                whole("t"),
                text("role"),
                view(),
                new Sample.Devices(each("queues", SampleReader::queue), each("roots", SampleReader::root)),
                each("sessions", SampleReader::session),
                each("lanes", SampleReader::lane),
                peers);
    }

    private HostView view() {
        return new HostView(text("host"), each("cores", SampleReader::core), each("nics", SampleReader::nic));
    }

    private HostView.Core core() {
        return new HostView.Core(
                index("core"),
                index("node"),
                new HostView.Shares(
                        number("user"),
                        number("nice"),
                        number("system"),
                        number("irq"),
                        number("softirq"),
                        number("iowait"),
                        number("steal")));
    }

    private HostView.Nic nic() {
        return new HostView.Nic(
                text("nic"),
                whole("speed_bits"),
                textIfKnown("bond"),
                number("rx_bytes_s"),
                number("tx_bytes_s"),
                number("rx_drops_s"),
                number("tx_drops_s"));
    }

    private QueueRate queue() {
        return new QueueRate(text("nic"), text("queue"), index("irq"), index("core"), number("interrupts_s"));
    }

    private RootState root() {
        return new RootState(
                text("root"),
                text("device"),
                new Sample.Room(whole("free_bytes"), whole("size_bytes")),
                new Sample.DiskRate(number("read_bytes_s"), whole("read_us")),
                new Sample.DiskRate(number("written_bytes_s"), whole("write_us")));
    }

    private SessionState session() {
        String limit = textIfKnown("limit");
        return new SessionState(
                new Sample.SessionName(
                        text("session"),
                        text("service"),
                        text("direction"),
                        text("peer"),
                        text("key"),
                        text("purpose")),
                new Sample.Amounts(
                        whole("files"),
                        whole("files_total"),
                        whole("files_failed"),
                        whole("bytes"),
                        whole("bytes_total"),
                        new Moved(
                                whole("bytes_sent"),
                                whole("bytes_arrived"),
                                whole("bytes_verified"),
                                whole("bytes_durable"),
                                whole("bytes_final")),
                        number("bytes_s")),
                new Sample.Run(
                        whole("start"),
                        whole("end"),
                        textIfKnown("outcome"),
                        index("exit_code"),
                        textIfKnown("reason")),
                limit == null ? null : new Sample.Limit(limit, text("verdict")),
                whole("chunks_resent"),
                textIfKnown("file"),
                textIfKnown("lanes"));
    }

    private LaneState lane() {
        return new LaneState(
                text("session"),
                index("lane"),
                text("direction"),
                whole("bytes"),
                number("bytes_s"),
                new Sample.Connection(whole("rtt_us"), whole("retransmits"), whole("cwnd_bytes")),
                new Sample.Place(index("core"), index("incoming_core"), textIfKnown("queue")));
    }

    private <T> List<T> each(String name, Function<SampleReader, T> item) {
        return members.rows(name).stream()
                .map(row -> item.apply(new SampleReader(row)))
                .toList();
    }

    private String text(String name) {
        String text = textIfKnown(name);
        return text == null ? "" : text;
    }

    private @Nullable String textIfKnown(String name) {
        return members.values().get(name) instanceof String text ? text : null;
    }

    private double number(String name) {
        return members.values().get(name) instanceof Number number ? number.doubleValue() : -1;
    }

    private long whole(String name) {
        return members.values().get(name) instanceof Number number ? number.longValue() : -1;
    }

    private int index(String name) {
        return (int) whole(name);
    }
}
