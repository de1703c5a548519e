package io.fdt.monitor;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.fdt.core.basic.HostView;
import io.fdt.monitor.figure.Sample;
import io.fdt.monitor.figure.Sample.LaneState;
import io.fdt.monitor.figure.Sample.QueueRate;
import io.fdt.monitor.figure.Sample.RootState;
import io.fdt.monitor.figure.Sample.SessionState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads a sample that {@link SampleJson} wrote. Unknown members are ignored, and members that are absent or null are
 * unknown figures. The sender is untrusted: its depth is bounded here, and its length by the caller.
 */
final class SampleReader {
    private static final int MAX_DEPTH = 10;
    private static final JsonFactory JSON = JsonFactory.builder()
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .build();

    /** The members of an object: texts, numbers, flags, lists of objects, and objects. */
    private final Map<String, Object> members;

    private SampleReader(Map<String, Object> members) {
        this.members = members;
    }

    /** @throws IOException if it is not a JSON object */
    static Sample read(byte[] json, int offset) throws IOException {
        try (JsonParser parser = JSON.createParser(json, offset, json.length - offset)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("a sample is not a JSON object");
            }
            return object(parser, 1).sample();
        }
    }

    private static SampleReader object(JsonParser parser, int depth) throws IOException {
        Map<String, Object> members = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            Object value = value(parser, parser.nextToken(), depth);
            if (value != null) {
                members.put(name, value);
            }
        }
        return new SampleReader(members);
    }

    private static @Nullable Object value(JsonParser parser, JsonToken token, int depth) throws IOException {
        if (depth > MAX_DEPTH) {
            throw new IOException("a sample is nested too deeply");
        }
        return switch (token) {
            case START_OBJECT -> object(parser, depth + 1);
            case START_ARRAY -> {
                List<SampleReader> objects = new ArrayList<>();
                for (JsonToken item = parser.nextToken(); item != JsonToken.END_ARRAY; item = parser.nextToken()) {
                    if (value(parser, item, depth + 1) instanceof SampleReader object) {
                        objects.add(object);
                    }
                }
                yield objects;
            }
            case VALUE_STRING -> parser.getText();
            case VALUE_NUMBER_INT -> parser.getLongValue();
            case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            default -> null;
        };
    }

    private Sample sample() {
        Map<String, HostView> peers = new LinkedHashMap<>();
        if (members.get("peers") instanceof SampleReader hosts) {
            for (String session : hosts.members.keySet()) {
                if (hosts.members.get(session) instanceof SampleReader host) {
                    peers.put(session, host.view());
                }
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
                        whole("bytes_moved"),
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
        List<T> items = new ArrayList<>();
        if (members.get(name) instanceof List<?> objects) {
            for (Object object : objects) {
                items.add(item.apply((SampleReader) object));
            }
        }
        return items;
    }

    private String text(String name) {
        String text = textIfKnown(name);
        return text == null ? "" : text;
    }

    private @Nullable String textIfKnown(String name) {
        return members.get(name) instanceof String text ? text : null;
    }

    private double number(String name) {
        return members.get(name) instanceof Number number ? number.doubleValue() : -1;
    }

    private long whole(String name) {
        return members.get(name) instanceof Number number ? number.longValue() : -1;
    }

    private int index(String name) {
        return (int) whole(name);
    }
}
