package io.fdt.core.wire;

import static io.fdt.core.wire.Fields.at;
import static io.fdt.core.wire.Fields.choice;
import static io.fdt.core.wire.Fields.count;
import static io.fdt.core.wire.Fields.flag;
import static io.fdt.core.wire.Fields.list;
import static io.fdt.core.wire.Fields.number;
import static io.fdt.core.wire.Fields.size;
import static io.fdt.core.wire.Fields.text;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fdt.core.wire.NettestMessage.CoreState;
import io.fdt.core.wire.NettestMessage.HostFacts;
import io.fdt.core.wire.NettestMessage.LanePlace;
import io.fdt.core.wire.NettestMessage.LaneState;
import io.fdt.core.wire.NettestMessage.SideState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The messages of a network test as CBOR. */
final class NettestCodec {
    private static final int OPEN = 60;
    private static final int READY = 61;
    private static final int START = 62;
    private static final int STOP = 63;
    private static final int SAMPLE = 64;
    private static final int DONE = 65;
    private static final int MARK = 66;
    private static final int MARKED = 67;

    /** Where a lane's place begins among its fields; a peer may not know of it. */
    private static final int PLACE = 12;

    private NettestCodec() {}

    @SuppressWarnings("EnumOrdinal") // A test pins the order.
    static void write(JsonGenerator json, NettestMessage message) throws IOException {
        if (message instanceof NettestMessage.OpenNettest m) {
            FieldWriter.code(json, OPEN);
            json.writeNumberField("suite", m.suite().ordinal());
            json.writeNumberField("out", m.lanesOut());
            json.writeNumberField("in", m.lanesIn());
            json.writeNumberField("duration", m.durationMs());
            json.writeNumberField("block", m.blockBytes());
            json.writeNumberField("receive", m.receive().ordinal());
            json.writeBooleanField("clear", m.clear());
            FieldWriter.ints(json, "sizes", m.sizes());
            json.writeNumberField("messages", m.messages());
            json.writeNumberField("request", m.requestBytes());
            json.writeBooleanField("waiting", m.waiting());
            json.writeBooleanField("polling", m.polling());
            json.writeNumberField("timeout", m.timeoutMs());
            if (m.objects() != null) {
                json.writeBooleanField("logged", m.objects().logged());
                json.writeBooleanField("keep", m.objects().keep());
            }
            if (m.queue() != null) {
                json.writeBooleanField("datagrams", m.queue().datagrams());
                json.writeNumberField("inline", m.queue().inlineBytes());
            }
        } else if (message instanceof NettestMessage.NettestReady m) {
            FieldWriter.code(json, READY);
            writeHost(json, m.host());
        } else if (message instanceof NettestMessage.NettestStart) {
            FieldWriter.code(json, START);
        } else if (message instanceof NettestMessage.NettestStop) {
            FieldWriter.code(json, STOP);
        } else if (message instanceof NettestMessage.NettestSample m) {
            FieldWriter.code(json, SAMPLE);
            writeState(json, m.state());
        } else if (message instanceof NettestMessage.NettestMark) {
            FieldWriter.code(json, MARK);
        } else if (message instanceof NettestMessage.NettestMarked m) {
            FieldWriter.code(json, MARKED);
            writeState(json, m.state());
        } else if (message instanceof NettestMessage.NettestDone m) {
            FieldWriter.code(json, DONE);
            writeState(json, m.state());
        }
    }

    private static void writeHost(JsonGenerator json, HostFacts host) throws IOException {
        json.writeStringField("software", FieldWriter.clipped(host.software()));
        json.writeStringField("host", FieldWriter.clipped(host.host()));
        json.writeStringField("cpu", FieldWriter.clipped(host.cpu()));
        json.writeNumberField("cores", host.cores());
        json.writeNumberField("allowed", host.allowedCores());
        json.writeStringField("kernel", FieldWriter.clipped(host.kernel()));
        json.writeStringField("nic", FieldWriter.clipped(host.nic()));
        json.writeNumberField("speed", host.nicBitsPerSecond());
        json.writeStringField("slot", FieldWriter.clipped(host.slot()));
        json.writeNumberField("slotSpeed", host.slotBitsPerSecond());
    }

    private static void writeState(JsonGenerator json, SideState state) throws IOException {
        json.writeNumberField("elapsed", state.elapsedNanos());
        json.writeNumberField("cpu", state.cpuNanos());
        json.writeArrayFieldStart("lanes");
        for (LaneState lane : state.lanes()) {
            json.writeStartArray();
            json.writeNumber(lane.bytes());
            json.writeNumber(lane.calls());
            json.writeNumber(lane.fullCalls());
            json.writeBoolean(lane.direct());
            json.writeNumber(lane.retransmits());
            json.writeNumber(lane.rttUs());
            json.writeNumber(lane.cwndBytes());
            json.writeNumber(lane.windowBytes());
            json.writeNumber(lane.paceBytesPerSecond());
            json.writeNumber(lane.busyUs());
            json.writeNumber(lane.receiverLimitedUs());
            json.writeNumber(lane.bufferLimitedUs());
            // One more than it is, since no number here is negative.
            json.writeNumber(lane.place().core() + 1);
            json.writeNumber(lane.place().incomingCore() + 1);
            json.writeNumber(lane.place().incomingQueue());
            json.writeEndArray();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("cores");
        for (CoreState core : state.cores()) {
            json.writeStartArray();
            json.writeNumber(core.core());
            json.writeNumber(core.userMs());
            json.writeNumber(core.systemMs());
            json.writeNumber(core.softirqMs());
            json.writeNumber(core.otherMs());
            json.writeNumber(core.idleMs());
            json.writeEndArray();
        }
        json.writeEndArray();
    }

    /** Null if the code is none of these. */
    static @Nullable NettestMessage read(int code, Map<String, @Nullable Object> map) throws IOException {
        return switch (code) {
            case OPEN -> readOpen(map);
            case READY -> new NettestMessage.NettestReady(readHost(map));
            case START -> new NettestMessage.NettestStart();
            case STOP -> new NettestMessage.NettestStop();
            case SAMPLE -> new NettestMessage.NettestSample(readState(map));
            case MARK -> new NettestMessage.NettestMark();
            case MARKED -> new NettestMessage.NettestMarked(readState(map));
            case DONE -> new NettestMessage.NettestDone(readState(map));
            default -> null;
        };
    }

    private static NettestMessage readOpen(Map<String, @Nullable Object> map) throws IOException {
        int lanesOut = (int) number(map.get("out"), 0, Bounds.MAX_LANES, "lanes");
        int lanesIn = (int) number(map.get("in"), 0, Bounds.MAX_LANES - lanesOut, "lanes");
        int[] sizes = Fields.ints(map.get("sizes"), "sizes");
        if (lanesOut + lanesIn == 0) {
            throw Fields.misfit("lanes");
        }
        if (sizes.length > Bounds.MAX_NETTEST_SIZES) {
            throw Fields.misfit("sizes");
        }
        for (int each : sizes) {
            number((long) each, 0, Bounds.MAX_NETTEST_BYTES, "size");
        }
        NettestMessage.Suite suite = choice(map.get("suite"), NettestMessage.Suite.values(), "suite");
        return new NettestMessage.OpenNettest(
                suite,
                lanesOut,
                lanesIn,
                number(map.get("duration"), 0, Bounds.MAX_NETTEST_MS, "duration"),
                (int) number(map.get("block"), 1, Bounds.MAX_NETTEST_BYTES, "block"),
                choice(map.get("receive"), NettestMessage.Receive.values(), "receive"),
                flag(map.get("clear"), "clear"),
                sizes,
                size(map.get("messages"), "messages"),
                (int) number(map.get("request"), 0, Bounds.MAX_NETTEST_BYTES, "request"),
                flag(map.get("waiting"), "waiting"),
                flag(map.get("polling"), "polling"),
                number(map.get("timeout"), 100, Integer.MAX_VALUE, "timeout"),
                suite != NettestMessage.Suite.OBJECTS
                        ? null
                        : new NettestMessage.ObjectsPart(
                                flag(map.get("logged"), "logged"), flag(map.get("keep"), "keep")),
                map.get("datagrams") == null
                        ? null
                        : new NettestMessage.QueuePart(flag(map.get("datagrams"), "datagrams"), (int)
                                number(map.get("inline"), 0, Bounds.MAX_INLINE_BYTES, "inline")));
    }

    private static HostFacts readHost(Map<String, @Nullable Object> map) throws IOException {
        return new HostFacts(
                text(map.get("software"), "software"),
                text(map.get("host"), "host"),
                text(map.get("cpu"), "cpu"),
                count(map.get("cores"), "cores"),
                count(map.get("allowed"), "cores"),
                text(map.get("kernel"), "kernel"),
                text(map.get("nic"), "nic"),
                size(map.get("speed"), "speed"),
                text(map.get("slot"), "slot"),
                size(map.get("slotSpeed"), "slot speed"));
    }

    private static SideState readState(Map<String, @Nullable Object> map) throws IOException {
        List<LaneState> lanes = new ArrayList<>();
        for (Object each : list(map.get("lanes"), Bounds.MAX_LANES, "lanes")) {
            lanes.add(readLane(list(each, 64, "lane")));
        }
        List<CoreState> cores = new ArrayList<>();
        for (Object each : list(map.get("cores"), Bounds.MAX_CORES, "cores")) {
            List<?> fields = list(each, 64, "core");
            cores.add(new CoreState(
                    count(at(fields, 0), "core"),
                    size(at(fields, 1), "core"),
                    size(at(fields, 2), "core"),
                    size(at(fields, 3), "core"),
                    size(at(fields, 4), "core"),
                    size(at(fields, 5), "core")));
        }
        return new SideState(size(map.get("elapsed"), "elapsed"), size(map.get("cpu"), "cpu"), lanes, cores);
    }

    private static LaneState readLane(List<?> fields) throws IOException {
        return new LaneState(
                size(at(fields, 0), "lane"),
                size(at(fields, 1), "lane"),
                size(at(fields, 2), "lane"),
                flag(at(fields, 3), "lane"),
                size(at(fields, 4), "lane"),
                count(at(fields, 5), "lane"),
                size(at(fields, 6), "lane"),
                size(at(fields, 7), "lane"),
                size(at(fields, 8), "lane"),
                size(at(fields, 9), "lane"),
                size(at(fields, 10), "lane"),
                size(at(fields, 11), "lane"),
                readPlace(fields));
    }

    private static LanePlace readPlace(List<?> fields) throws IOException {
        if (fields.size() <= PLACE) {
            return LanePlace.UNKNOWN;
        }
        return new LanePlace(
                count(at(fields, PLACE), "lane") - 1,
                count(at(fields, PLACE + 1), "lane") - 1,
                count(at(fields, PLACE + 2), "lane"));
    }
}
