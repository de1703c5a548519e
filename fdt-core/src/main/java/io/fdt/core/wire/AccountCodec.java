package io.fdt.core.wire;

import io.fdt.core.basic.Clock;
import io.fdt.core.basic.Version;
import io.fdt.core.digest.Checksums;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.ServedFile;
import io.fdt.core.stats.LaneActivity;
import io.fdt.core.stats.LaneCounters;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.stats.LanePlace;
import io.fdt.core.stats.SessionActivity.Admission;
import io.fdt.core.stats.SessionActivity.Direction;
import io.fdt.core.stats.SessionActivity.Kind;
import io.fdt.core.stats.SessionActivity.LaneCount;
import io.fdt.core.stats.SessionActivity.LaneReason;
import io.fdt.core.stats.SessionActivity.Service;
import io.fdt.core.stats.SessionActivity.Work;
import io.fdt.core.stats.SessionState;
import io.fdt.core.stats.StreamFigures;
import io.fdt.core.stats.Summary;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.wire.AccountMessage.Begin;
import io.fdt.core.wire.AccountMessage.CountedRefusal;
import io.fdt.core.wire.AccountMessage.Ended;
import io.fdt.core.wire.AccountMessage.Failed;
import io.fdt.core.wire.AccountMessage.Figures;
import io.fdt.core.wire.AccountMessage.FileEnded;
import io.fdt.core.wire.AccountMessage.LaneFigures;
import io.fdt.core.wire.AccountMessage.Opened;
import io.fdt.core.wire.AccountMessage.Refused;
import io.fdt.core.wire.AccountMessage.Warned;
import io.fdt.core.wire.ControlCodec.MessageKind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Encodes what the processes of a server send each other as CBOR. Both are of one version. */
public final class AccountCodec {
    private static final int MAX_FAILED_FILES = 1_000;
    /** One byte can be a value, which takes a hundred here. */
    private static final int MAX_VALUES = 1 << 16;

    private static final int MAX_ADDRESS_BYTES = 16;
    /** Of a user or a group. */
    private static final long MAX_NUMBER = 0xFFFF_FFFFL;

    private static final int MAX_PORT = 65_535;

    private static final MessageTable<AccountMessage> TABLE = new MessageTable<>(
            AccountMessage.class,
            Stream.of(
                    new MessageKind<>(1, Begin.class, AccountCodec::begin),
                    new MessageKind<>(2, Failed.class, f -> new Failed(f.failure("failure", Failed::failure))),
                    new MessageKind<>(
                            3,
                            Opened.class,
                            f -> new Opened(
                                    f.size("number", Opened::number),
                                    f.text("session", Opened::session),
                                    f.text("peer", Opened::peer),
                                    f.part(Opened::admission, AccountCodec::admission))),
                    new MessageKind<>(4, Ended.class, AccountCodec::ended),
                    new MessageKind<>(
                            5,
                            FileEnded.class,
                            f -> new FileEnded(
                                    f.size("number", FileEnded::number), f.part(FileEnded::file, AccountCodec::file))),
                    new MessageKind<>(6, Warned.class, f -> new Warned(f.text("text", Warned::text))),
                    new MessageKind<>(
                            7,
                            Refused.class,
                            f -> new Refused(f.text("peer", Refused::peer), f.text("why", Refused::why))),
                    new MessageKind<>(
                            8,
                            CountedRefusal.class,
                            f -> new CountedRefusal(f.choice("cause", Cause.values(), CountedRefusal::cause))),
                    new MessageKind<>(9, Figures.class, AccountCodec::figures)));

    private AccountCodec() {}

    public static byte[] encode(AccountMessage message) {
        return TABLE.encode(message, Failure.HERE);
    }

    /** Throws an IOException for what no process of a server sends, and UNAVAILABLE for one of another version. */
    public static AccountMessage decode(byte[] bytes) throws IOException {
        if (CborReader.countValues(bytes) > MAX_VALUES) {
            throw new IOException("more than " + MAX_VALUES + " values");
        }
        return TABLE.decode(bytes, Failure.HERE);
    }

    /** Any text that a user may type, unchanged. */
    private static <M> String exact(Form<M> f, String name, Function<M, String> of) throws IOException {
        return f.field(name, of, AccountCodec::writeExact, AccountCodec::readExact);
    }

    private static void writeExact(CborWriter cbor, String text) {
        cbor.bytes(RawPath.ofText(text).toBytes());
    }

    private static String readExact(@Nullable Object value) throws IOException {
        return Fields.path(value, Bounds.MAX_MESSAGE_BYTES, "text").text();
    }

    private static Begin begin(Form<Begin> f) throws IOException {
        // Another version has other fields.
        String software = f.text("software", begin -> Version.software());
        if (!software.equals(Version.software())) {
            throw Cause.UNAVAILABLE
                    .advise("restart the server after the upgrade")
                    .failure("the server is " + software + ", and its processes would be " + Version.software());
        }
        int checksums = f.count("checksums", begin -> begin.checksums().bits());
        f.refuseIf(!Checksums.isSet(checksums), "checksums");
        return new Begin(
                f.exactBytes("route", SessionMessage.Elsewhere.ROUTE_BYTES, Begin::route),
                exact(f, "user", Begin::user),
                f
                        .values(
                                "numbers",
                                Bounds.MAX_LIST,
                                begin -> IntStream.of(begin.numbers())
                                        .mapToObj(Integer::toUnsignedLong)
                                        .toList(),
                                CborWriter::number,
                                value -> Fields.number(value, 0, MAX_NUMBER, "number"))
                        .stream()
                        .mapToInt(Long::intValue)
                        .toArray(),
                f.values(
                        "arguments",
                        Bounds.MAX_LIST,
                        Begin::arguments,
                        AccountCodec::writeExact,
                        AccountCodec::readExact),
                f.flag("files", Begin::files),
                new Checksums(checksums));
    }

    private static Admission admission(Form<Admission> f) throws IOException {
        return new Admission(
                exact(f, "key", Admission::key),
                f.text("purpose", Admission::purpose),
                f.optionalArray("kind", Admission::kind, AccountCodec::kind));
    }

    private static Kind kind(Form<Kind> f) throws IOException {
        return new Kind(
                f.choice("service", Service.values(), Kind::service),
                f.choice("direction", Direction.values(), Kind::direction));
    }

    private static Ended ended(Form<Ended> f) throws IOException {
        return new Ended(
                f.size("number", Ended::number),
                f.part(Ended::summary, ThirdPartyCodec::end)
                        .followedFor(
                                f.size("elapsed", ended -> ended.summary().run().elapsedNanos()),
                                f.list(
                                        "failures",
                                        MAX_FAILED_FILES,
                                        ended -> ended.summary().files().firstFailed(),
                                        AccountCodec::failed),
                                f.optionalArray(
                                        "preview", ended -> ended.summary().preview(), AccountCodec::preview)));
    }

    private static Summary.FailedFile failed(Form<Summary.FailedFile> f) throws IOException {
        return new Summary.FailedFile(
                f.text("path", Bounds.MAX_SHOWN_PATH_CHARS, Summary.FailedFile::path),
                f.failure("failure", Summary.FailedFile::failure));
    }

    private static Summary.Preview preview(Form<Summary.Preview> f) throws IOException {
        return new Summary.Preview(
                f.size("copied", Summary.Preview::filesToCopy),
                f.size("replaced", Summary.Preview::filesToReplace),
                f.size("deleted", Summary.Preview::filesToDelete),
                f.size("bytes", Summary.Preview::bytesToCopy));
    }

    private static ServedFile file(Form<ServedFile> f) throws IOException {
        return new ServedFile(
                new ServedFile.Place(
                        f.path("path", file -> file.place().path()),
                        f.optionalPath("root", file -> file.place().root()),
                        f.optional("full", file -> file.place().full(), Form.PATH, AccountCodec::full)),
                f.flag("incoming", ServedFile::incoming),
                f.size("bytes", ServedFile::bytes),
                new ServedFile.Moved(
                        f.size("moved", file -> file.moved().bytes()),
                        f.integer(
                                "lanes",
                                0,
                                Bounds.MAX_LANES,
                                file -> file.moved().lanes()),
                        f.optionalText("transport", file -> file.moved().transport())),
                f.size("nanos", ServedFile::nanos),
                new ServedFile.Hashes(
                        f.optionalText("digest", file -> file.hashes().digest()),
                        ThirdPartyCodec.checksums(f, file -> file.hashes().checksums())),
                new ServedFile.Result(
                        f.text("outcome", file -> file.result().outcome()),
                        f.optionalText("note", file -> file.result().note()),
                        f.optionalFailure("failure", file -> file.result().failure())));
    }

    /** A path below a root, both of which can be as long as any. */
    private static RawPath full(@Nullable Object value) throws IOException {
        return Fields.path(value, 2 * Bounds.MAX_PATH_BYTES + 1, "full");
    }

    private static Figures figures(Form<Figures> f) throws IOException {
        return new Figures(
                f.size("number", Figures::number),
                f.part(Figures::state, AccountCodec::state),
                f.flag("peer_gone", Figures::peerGone),
                number(f, "flush", Figures::flushNanos),
                f.list("lanes", Bounds.MAX_LANES, Figures::lanes, AccountCodec::lane));
    }

    private static SessionState state(Form<SessionState> f) throws IOException {
        Kind kind = f.optionalArray("kind", state -> state.admission().kind(), AccountCodec::kind);
        return new SessionState(
                new Admission("", "", kind),
                f.optionalArray("work", SessionState::work, AccountCodec::work),
                f.text("shard", SessionState::shard),
                f.text("transport", SessionState::transport),
                f.optionalArray("count", SessionState::laneCount, AccountCodec::laneCount),
                f.flag("ended", SessionState::isEnded) ? Clock.SYSTEM.nanoTime() : null,
                null);
    }

    private static LaneCount laneCount(Form<LaneCount> f) throws IOException {
        int lanes = f.integer("lanes", 0, Bounds.MAX_LANES, LaneCount::lanes);
        String why = f.text("why", LaneCount::why);
        Map<LaneReason, Long> changes = new EnumMap<>(LaneReason.class);
        for (LaneReason reason : LaneReason.values()) {
            long times = f.size("changes", count -> count.changes().getOrDefault(reason, 0L));
            if (times > 0) {
                changes.put(reason, times);
            }
        }
        return new LaneCount(lanes, why, changes);
    }

    private static Work work(Form<Work> f) throws IOException {
        Service service = f.choice("service", Service.values(), Work::service);
        Direction direction = f.choice("direction", Direction.values(), Work::direction);
        String digest = f.text("digest", Work::digest);
        TransferFigures figures = f.optionalArray("figures", Work::figures, AccountCodec::transfer);
        int queued = (int) number(f, "queued", work -> work.queued().getAsInt());
        return new Work(service, direction, digest, figures, () -> queued);
    }

    private static TransferFigures transfer(Form<TransferFigures> f) throws IOException {
        TransferFigures figures = new TransferFigures();
        List<AtomicLong> totals = figures.totals();
        for (int i = 0; i < totals.size(); i++) {
            int index = i;
            totals.get(i)
                    .set(number(f, "total", each -> each.totals().get(index).get()));
        }
        figures.file = f.optionalText("file", Bounds.MAX_SHOWN_PATH_CHARS, each -> each.file);
        figures.totalsFinal = f.flag("final", each -> each.totalsFinal);
        figures.endless = f.flag("endless", each -> each.endless);
        figures.dryRun = f.flag("dry", each -> each.dryRun);
        return figures;
    }

    /** The figures of a moment may not fit together, so they are not checked. */
    private static <M> long number(Form<M> f, String name, ToLongFunction<M> of) throws IOException {
        return f.number(name, Long.MIN_VALUE, Long.MAX_VALUE, of);
    }

    private static LaneFigures lane(Form<LaneFigures> f) throws IOException {
        return new LaneFigures(
                f.integer("lane", 0, Bounds.MAX_LANES - 1, LaneFigures::index),
                f.choice("direction", Direction.values(), LaneFigures::direction),
                number(f, "bytes", LaneFigures::bytes),
                f.flag("open", LaneFigures::open),
                f.part(LaneFigures::counters, AccountCodec::counters),
                f.optionalArray("ends", LaneFigures::ends, AccountCodec::ends),
                f.optionalArray("stream", LaneFigures::stream, AccountCodec::stream));
    }

    private static LaneCounters counters(Form<LaneCounters> f) throws IOException {
        LaneCounters counters = new LaneCounters();
        for (Counter counter : Counter.values()) {
            counters.add(counter, number(f, "counter", each -> each.get(counter)));
        }
        return counters;
    }

    private static LaneActivity.Ends ends(Form<LaneActivity.Ends> f) throws IOException {
        return new LaneActivity.Ends(address(f, LaneActivity.Ends::local), address(f, LaneActivity.Ends::remote));
    }

    private static InetSocketAddress address(
            Form<LaneActivity.Ends> f, Function<LaneActivity.Ends, InetSocketAddress> of) throws IOException {
        byte[] host = f.bytes(
                "host", MAX_ADDRESS_BYTES, ends -> of.apply(ends).getAddress().getAddress());
        int port = f.integer("port", 0, MAX_PORT, ends -> of.apply(ends).getPort());
        return new InetSocketAddress(InetAddress.getByAddress(host), port);
    }

    private static StreamFigures stream(Form<StreamFigures> f) throws IOException {
        return new StreamFigures(
                number(f, "acked", StreamFigures::ackedBytes),
                number(f, "retransmits", StreamFigures::retransmits),
                (int) number(f, "timeouts", StreamFigures::timeouts),
                new StreamFigures.RoundTrip(
                        (int) number(f, "rtt", stream -> stream.roundTrip().us()),
                        number(f, "least rtt", stream -> stream.roundTrip().minUs())),
                new StreamFigures.Windows(
                        number(f, "congestion", stream -> stream.windows().congestionBytes()),
                        number(f, "receiver", stream -> stream.windows().receiverBytes()),
                        number(f, "pace", stream -> stream.windows().paceBytesPerSecond())),
                new StreamFigures.SendTime(
                        number(f, "busy", stream -> stream.time().busyUs()),
                        number(f, "receiver-limited", stream -> stream.time().receiverLimitedUs()),
                        number(f, "buffer-limited", stream -> stream.time().bufferLimitedUs())),
                new LanePlace(
                        (int) number(f, "core", stream -> stream.place().core()),
                        (int) number(
                                f, "incoming core", stream -> stream.place().incomingCore()),
                        (int) number(f, "queue", stream -> stream.place().incomingQueue())));
    }
}
