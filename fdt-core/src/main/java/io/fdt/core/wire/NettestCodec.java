package io.fdt.core.wire;

import io.fdt.core.stats.CoreTimes;
import io.fdt.core.stats.HostFacts;
import io.fdt.core.wire.ControlCodec.Kind;
import io.fdt.core.wire.NettestMessage.LanePlace;
import io.fdt.core.wire.NettestMessage.LaneState;
import io.fdt.core.wire.NettestMessage.NettestDone;
import io.fdt.core.wire.NettestMessage.NettestMark;
import io.fdt.core.wire.NettestMessage.NettestMarked;
import io.fdt.core.wire.NettestMessage.NettestReady;
import io.fdt.core.wire.NettestMessage.NettestSample;
import io.fdt.core.wire.NettestMessage.NettestStart;
import io.fdt.core.wire.NettestMessage.NettestStop;
import io.fdt.core.wire.NettestMessage.ObjectsPart;
import io.fdt.core.wire.NettestMessage.OpenNettest;
import io.fdt.core.wire.NettestMessage.QueuePart;
import io.fdt.core.wire.NettestMessage.Receive;
import io.fdt.core.wire.NettestMessage.SideState;
import io.fdt.core.wire.NettestMessage.Suite;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;

/** The messages of a network test as CBOR. */
final class NettestCodec {
    static final List<Kind<?>> KINDS = List.of(
            new Kind<>(60, OpenNettest.class, NettestCodec::open),
            new Kind<>(61, NettestReady.class, f -> new NettestReady(f.part(NettestReady::host, NettestCodec::host))),
            new Kind<>(62, NettestStart.class, f -> new NettestStart()),
            new Kind<>(63, NettestStop.class, f -> new NettestStop()),
            new Kind<>(
                    64, NettestSample.class, f -> new NettestSample(f.part(NettestSample::state, NettestCodec::state))),
            new Kind<>(65, NettestDone.class, f -> new NettestDone(f.part(NettestDone::state, NettestCodec::state))),
            new Kind<>(66, NettestMark.class, f -> new NettestMark()),
            new Kind<>(
                    67,
                    NettestMarked.class,
                    f -> new NettestMarked(f.part(NettestMarked::state, NettestCodec::state))));

    private NettestCodec() {}

    private static OpenNettest open(Form<OpenNettest> f) throws IOException {
        Suite suite = f.choice("suite", Suite.values(), OpenNettest::suite);
        int lanesOut = f.integer("out", 0, Bounds.MAX_LANES, OpenNettest::lanesOut);
        int lanesIn = f.integer("in", 0, Bounds.MAX_LANES - lanesOut, OpenNettest::lanesIn);
        f.refuseIf(lanesOut + lanesIn == 0, "lanes");
        int[] sizes = f.ints("sizes", OpenNettest::sizes);
        f.refuseIf(
                sizes.length > Bounds.MAX_NETTEST_SIZES
                        || IntStream.of(sizes).anyMatch(each -> each > Bounds.MAX_NETTEST_BYTES),
                "sizes");
        ObjectsPart objects = f.optionalPart("logged", OpenNettest::objects, NettestCodec::objects);
        f.refuseIf(suite == Suite.OBJECTS && objects == null, "logged");
        return new OpenNettest(
                suite,
                lanesOut,
                lanesIn,
                f.number("duration", 0, Bounds.MAX_NETTEST_MS, OpenNettest::durationMs),
                f.integer("block", 1, Bounds.MAX_NETTEST_BYTES, OpenNettest::blockBytes),
                f.choice("receive", Receive.values(), OpenNettest::receive),
                f.flag("clear", OpenNettest::clear),
                sizes,
                f.size("messages", OpenNettest::messages),
                f.integer("request", 0, Bounds.MAX_NETTEST_BYTES, OpenNettest::requestBytes),
                f.flag("waiting", OpenNettest::waiting),
                f.flag("polling", OpenNettest::polling),
                f.number("timeout", 100, Integer.MAX_VALUE, OpenNettest::timeoutMs),
                suite == Suite.OBJECTS ? objects : null,
                f.optionalPart("datagrams", OpenNettest::queue, NettestCodec::queue));
    }

    private static ObjectsPart objects(Form<ObjectsPart> f) throws IOException {
        return new ObjectsPart(f.flag("logged", ObjectsPart::logged), f.flag("keep", ObjectsPart::keep));
    }

    private static QueuePart queue(Form<QueuePart> f) throws IOException {
        return new QueuePart(
                f.flag("datagrams", QueuePart::datagrams),
                f.integer("inline", 0, Bounds.MAX_INLINE_BYTES, QueuePart::inlineBytes));
    }

    private static HostFacts host(Form<HostFacts> f) throws IOException {
        return new HostFacts(
                f.text("software", HostFacts::software),
                f.text("host", HostFacts::host),
                f.text("cpu", HostFacts::cpu),
                f.count("cores", HostFacts::cores),
                f.count("allowed", HostFacts::allowedCores),
                f.text("kernel", HostFacts::kernel),
                f.text("nic", HostFacts::nic),
                f.size("speed", HostFacts::nicBitsPerSecond),
                f.text("slot", HostFacts::slot),
                f.size("slotSpeed", HostFacts::slotBitsPerSecond));
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
