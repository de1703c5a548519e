package io.fdt.core.wire;

import io.fdt.core.stats.CoreTimes;
import io.fdt.core.stats.HostFacts;
import io.fdt.core.stats.LanePlace;
import io.fdt.core.wire.ControlCodec.MessageKind;
import io.fdt.core.wire.NettestMessage.LaneState;
import io.fdt.core.wire.NettestMessage.NettestDone;
import io.fdt.core.wire.NettestMessage.NettestMark;
import io.fdt.core.wire.NettestMessage.NettestMarked;
import io.fdt.core.wire.NettestMessage.NettestReady;
import io.fdt.core.wire.NettestMessage.NettestSample;
import io.fdt.core.wire.NettestMessage.NettestStart;
import io.fdt.core.wire.NettestMessage.NettestStop;
import io.fdt.core.wire.NettestMessage.OpenNettest;
import io.fdt.core.wire.NettestMessage.SideState;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The messages of a network test as CBOR. */
final class NettestCodec {
    static final List<MessageKind<?>> KINDS = List.of(
            new MessageKind<>(60, OpenNettest.class, NettestCodec::open),
            new MessageKind<>(
                    61, NettestReady.class, f -> new NettestReady(f.part(NettestReady::host, NettestCodec::host))),
            new MessageKind<>(62, NettestStart.class, f -> new NettestStart()),
            new MessageKind<>(63, NettestStop.class, f -> new NettestStop()),
            new MessageKind<>(
                    64, NettestSample.class, f -> new NettestSample(f.part(NettestSample::state, NettestCodec::state))),
            new MessageKind<>(
                    65, NettestDone.class, f -> new NettestDone(f.part(NettestDone::state, NettestCodec::state))),
            new MessageKind<>(66, NettestMark.class, f -> new NettestMark()),
            new MessageKind<>(
                    67,
                    NettestMarked.class,
                    f -> new NettestMarked(f.part(NettestMarked::state, NettestCodec::state))));

    private NettestCodec() {}

    private static OpenNettest open(Form<OpenNettest> f) throws IOException {
        return new OpenNettest(
                f.name("suite", Bounds.MAX_NAME_CHARS, OpenNettest::suite),
                f.flag("clear", OpenNettest::clear),
                f.number("timeout", 100, Integer.MAX_VALUE, OpenNettest::timeoutMs),
                f.field("values", OpenNettest::values, NettestCodec::write, NettestCodec::values));
    }

    /** In the order of the names, so that equal requests have equal bytes. */
    private static void write(CborWriter cbor, Map<String, Object> values) {
        cbor.startMap();
        new TreeMap<>(values).forEach((name, value) -> {
            cbor.name(name);
            cbor.value(value);
        });
        cbor.end();
    }

    /** Of any kind: they are the suite's. */
    private static Map<String, Object> values(@Nullable Object value) throws IOException {
        Map<String, @Nullable Object> map = Fields.map(value, "values");
        if (map.containsValue(null)) {
            throw Fields.misfit("values");
        }
        return new HashMap<String, Object>(map);
    }

    private static HostFacts host(Form<HostFacts> f) throws IOException {
        return new HostFacts(
                f.text("software", HostFacts::software),
                f.text("host", HostFacts::host),
                f.text("kernel", HostFacts::kernel),
                new HostFacts.Cpu(
                        f.text("cpu", hostFacts -> hostFacts.cpu().model()),
                        f.count("cores", hostFacts -> hostFacts.cpu().cores()),
                        f.count("allowed", hostFacts -> hostFacts.cpu().allowedCores())),
                new HostFacts.Nic(
                        f.text("nic", hostFacts -> hostFacts.nic().name()),
                        f.size("speed", hostFacts -> hostFacts.nic().bitsPerSecond()),
                        f.text("slot", hostFacts -> hostFacts.nic().slot()),
                        f.size("slotSpeed", hostFacts -> hostFacts.nic().slotBitsPerSecond())));
    }

    private static SideState state(Form<SideState> f) throws IOException {
        return new SideState(
                f.size("elapsed", SideState::elapsedNanos),
                f.size("cpu", SideState::cpuNanos),
                f.list("lanes", Bounds.MAX_LANES, SideState::lanes, NettestCodec::lane),
                f.list("cores", Bounds.MAX_CORES, SideState::cores, NettestCodec::core));
    }

    private static LaneState lane(Form<LaneState> f) throws IOException {
        return new LaneState(
                f.size("lane", LaneState::bytes),
                f.size("lane", LaneState::calls),
                f.size("lane", LaneState::fullCalls),
                f.flag("lane", LaneState::direct),
                f.size("lane", LaneState::retransmits),
                f.count("lane", LaneState::rttUs),
                f.size("lane", LaneState::cwndBytes),
                f.size("lane", LaneState::windowBytes),
                f.size("lane", LaneState::paceBytesPerSecond),
                f.size("lane", LaneState::busyUs),
                f.size("lane", LaneState::receiverLimitedUs),
                f.size("lane", LaneState::bufferLimitedUs),
                f.part(LaneState::place, NettestCodec::place));
    }

    private static LanePlace place(Form<LanePlace> f) throws IOException {
        return new LanePlace(
                f.integer("lane", -1, Integer.MAX_VALUE, LanePlace::core),
                f.integer("lane", -1, Integer.MAX_VALUE, LanePlace::incomingCore),
                f.count("lane", LanePlace::incomingQueue));
    }

    private static CoreTimes core(Form<CoreTimes> f) throws IOException {
        return new CoreTimes(
                f.count("core", CoreTimes::core),
                f.size("core", CoreTimes::userMs),
                f.size("core", CoreTimes::systemMs),
                f.size("core", CoreTimes::softirqMs),
                f.size("core", CoreTimes::otherMs),
                f.size("core", CoreTimes::idleMs));
    }
}
