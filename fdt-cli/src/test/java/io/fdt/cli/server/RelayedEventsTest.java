package io.fdt.cli.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.basic.Version;
import io.fdt.core.control.ServerLimits;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.digest.Checksums;
import io.fdt.core.digest.FileHash;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.ServedFile;
import io.fdt.core.security.AccessKey;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.Permission;
import io.fdt.core.stats.LaneActivity;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.stats.LaneObserver;
import io.fdt.core.stats.LanePlace;
import io.fdt.core.stats.Moved;
import io.fdt.core.stats.PeerHost;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.SessionActivity.Direction;
import io.fdt.core.stats.SessionActivity.Work;
import io.fdt.core.stats.SessionCounters;
import io.fdt.core.stats.StreamFigures;
import io.fdt.core.stats.Summary;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.wire.AccountCodec;
import io.fdt.core.wire.AccountMessage;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.SessionMessage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an account's process passes on arrives as it was. */
final class RelayedEventsTest {
    private static final int LANES = 8;
    /** A name that a user may type, although no log shows it as it is. */
    private static final String ODD = "key \u202e";

    private final Heard heard = new Heard();
    private final RelayedEvents events = new RelayedEvents(
            heard,
            "ann",
            ServerLimits.builder().sessions(2).lanesPerSession(LANES).build());
    private final Queue<byte[]> sent = new ArrayDeque<>();
    private final EventRelay relay =
            new EventRelay(message -> sent.add(AccountCodec.encode(message)), true, Checksums.NONE);

    private static final class Heard implements ServerObserver {
        final List<Object> all = new ArrayList<>();
        SessionActivity opened;

        @Override
        public void onSessionStart(String session, String peer, String key, String what) {
            all.add(List.of(session, peer, key, what));
        }

        @Override
        public void onSessionOpen(SessionActivity session) {
            opened = session;
        }

        @Override
        public void onSessionEnd(String session, String peer, String key, Summary summary) {
            all.add(List.of(session, peer, key, summary));
        }

        @Override
        public void onFile(String session, String peer, String key, ServedFile file) {
            all.add(List.of(session, peer, key, file));
        }

        @Override
        public void onWarning(String text) {
            all.add(text);
        }

        @Override
        public void onRefused(String peer, String why) {
            all.add(List.of(peer, why));
        }

        @Override
        public void onRefusal(Cause reason) {
            all.add(reason);
        }
    }

    @BeforeEach
    void allow() {
        events.allow(List.of(key("ann"), key(ODD)));
    }

    private static AccessKey key(String name) {
        return IssuedKey.of(name, Permission.READ_WRITE, null).key();
    }

    private SessionActivity open(String session, String peer, String key) {
        SessionActivity activity = new SessionActivity(session, peer, new SessionCounters());
        activity.admit(new SessionActivity.Admission(key, "push to /", null));
        relay.onSessionOpen(activity);
        return activity;
    }

    /** Reports the next message. */
    private void report() throws IOException {
        events.report(AccountCodec.decode(sent.remove()));
    }

    /** Reports the next messages. */
    private void report(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            report();
        }
    }

    /** An issuer can name any number of subjects. */
    @Test
    void theLastTokensOfTheProcessAreKnown() throws IOException {
        events.allowToken("ana@issuer.example");
        for (int i = 0; i < 9_000; i++) {
            events.allowToken("user " + i + "@issuer.example");
        }
        open("s", "peer", "ana@issuer.example");
        report();
        for (int i = 0; i < 100_000; i++) {
            events.allowToken("other " + i + "@issuer.example");
        }
        sent.clear();
        open("t", "peer", "ana@issuer.example");
        assertThatThrownBy(this::report).hasMessageContaining("a key that is none of the account's");
    }

    /** The session that does the work is counted in its place. */
    @Test
    void aRequestThatAnotherSessionServesIsNoneAnyMore() throws IOException {
        SessionActivity activity = new SessionActivity("a", "peer", new SessionCounters());
        activity.admit(new SessionActivity.Admission(
                "ann",
                "copy to another server",
                new SessionActivity.Kind(SessionActivity.Service.COPY, Direction.OUT)));
        relay.onSessionOpen(activity);
        report(2);
        assertThat(heard.opened.state().kind())
                .isEqualTo(activity.state().kind())
                .isNotNull();
        activity.passOn();
        relay.sendAllFigures();
        report();
        assertThat(heard.opened.state().kind()).isNull();
    }

    /** A server with accounts logs and counts it like any other. */
    @Test
    void theReasonForAnotherNumberOfLanesArrives() throws IOException {
        SessionActivity session = open("s", "peer", "ann");
        report(2);
        List<String> told = new ArrayList<>();
        heard.opened.watchLanes(new LaneObserver() {
            @Override
            public void onLane(LaneChange change, int lane, String detail) {}

            @Override
            public void onCount(int lanes, String why) {
                told.add(lanes + ": " + why);
            }
        });
        session.wantLanes(8, SessionActivity.LaneReason.WORK, "more files");
        session.wantLanes(12, SessionActivity.LaneReason.NETWORK, "the network limits 8 lanes");
        relay.sendAllFigures();
        relay.sendAllFigures();
        report(2);
        assertThat(heard.opened.state().laneCount())
                .isEqualTo(session.state().laneCount())
                .isNotNull();
        assertThat(told).containsExactly("12: the network limits 8 lanes");
    }

    private static Summary summary() {
        return new Summary(
                Failure.of(Cause.SOME_FILES_FAILED, "one of them"),
                new Summary.Files(
                        1, 2, 3, 4, List.of(new Summary.FailedFile("\\u{DC80}x", Failure.of(Cause.TARGET, "full")))),
                new Summary.Bytes(5, new Moved(7, 6, 6, 6, 6), 8, 9, 7, true),
                new Summary.Run("s", 10, 11, 12, "target-disk"),
                "xxh3-128:00",
                new Summary.Preview(13, 14, 15, 16));
    }

    private static ServedFile file() {
        return new ServedFile(
                new ServedFile.Place(RawPath.ofBytes(new byte[] {'a', (byte) 0x80}), RawPath.ofText("/srv"), null),
                true,
                17,
                new ServedFile.Moved(16, 3, "epoll, clear"),
                18,
                new ServedFile.Hashes(null, Map.of(FileHash.CRC32, "00ff00ff")),
                new ServedFile.Result(
                        "failed", null, Failure.of(Cause.TARGET, "why").at("/a").errno("EIO")));
    }

    @Test
    void eventsArriveAsTheyWere() throws IOException {
        ServedFile file = file();
        open("s", "peer", ODD);
        relay.onFile("s", "peer", ODD, file);
        relay.onWarning("careful");
        relay.onRefused("peer", "why");
        relay.onRefusal(Cause.NO_SESSION);
        relay.onSessionEnd("s", "peer", ODD, summary());

        report(2);
        assertThat(events.sessions()).isEqualTo(1);
        report(6);

        assertThat(events.sessions()).isZero();
        assertThat(heard.all)
                .containsExactly(
                        List.of("s", "peer", ODD, "push to /"),
                        List.of("s", "peer", ODD, file),
                        "account ann: careful",
                        List.of("peer", "account ann: why"),
                        Cause.NO_SESSION,
                        List.of("s", "peer", ODD, summary()));
    }

    @Test
    void figuresAreThoseOfTheOtherProcess() throws IOException {
        SessionActivity session = new SessionActivity("s", "peer", new SessionCounters());
        session.admit(new SessionActivity.Admission("ann", "push to /", null));
        TransferFigures figures = new TransferFigures();
        int value = 1;
        for (AtomicLong total : figures.totals()) {
            total.set(value++);
        }
        figures.file = "f";
        figures.totalsFinal = true;
        session.begin(new Work(SessionActivity.Service.COPY, Direction.IN, "xxh3-128", figures, () -> 21));
        AtomicLong bytes = new AtomicLong(22);
        LaneActivity lane = session.join(3, Direction.IN, "epoll", bytes::get);
        InetSocketAddress end = new InetSocketAddress(InetAddress.getLoopbackAddress(), 23);
        lane.connects(end, end);
        StreamFigures stream = new StreamFigures(
                24,
                25,
                26,
                new StreamFigures.RoundTrip(27, 28),
                new StreamFigures.Windows(29, 30, 31),
                new StreamFigures.SendTime(32, 33, 34),
                new LanePlace(35, 36, 37));
        lane.publish(stream);
        session.counters().lane(3).add(Counter.RECEIVED_BYTES, 38);
        session.counters().addFlushNanos(39);
        relay.onSessionOpen(session);
        report(2);

        SessionActivity seen = heard.opened;
        assertThat(List.of(
                        seen.name(),
                        seen.peer(),
                        seen.key(),
                        seen.state().admission().purpose()))
                .containsExactly("s", "peer", "ann", "push to /");
        Work work = seen.state().work();
        assertThat(work).isNotNull();
        assertThat(work.queued().getAsInt()).isEqualTo(21);
        assertThat(work.figures().totals().stream().map(AtomicLong::get))
                .containsExactlyElementsOf(
                        figures.totals().stream().map(AtomicLong::get).toList());
        assertThat(work.figures().file).isEqualTo("f");
        assertThat(seen.counters().sum(Counter.RECEIVED_BYTES)).isEqualTo(38);
        assertThat(seen.counters().flushNanos()).isEqualTo(39);
        LaneActivity mirrored = seen.lanes().get(0);
        assertThat(mirrored.bytes()).isEqualTo(22);
        assertThat(mirrored.figures()).isEqualTo(stream);
        assertThat(mirrored.ends()).isEqualTo(new LaneActivity.Ends(end, end));
        assertThat(mirrored.isOpen()).isTrue();

        assertThat(seen.isPeerGone()).isFalse();
        session.meet(new PeerHost() {
            @Override
            public boolean isGone() {
                return true;
            }
        });
        bytes.set(40);
        session.counters().lane(3).add(Counter.RECEIVED_BYTES, 2);
        // A session that fails has ended before that is reported.
        session.end();
        relay.sendAllFigures();
        relay.onSessionEnd("s", "peer", "ann", summary());
        report(3);
        assertThat(mirrored.bytes()).isEqualTo(40);
        assertThat(mirrored.isOpen()).isFalse();
        assertThat(seen.counters().sum(Counter.RECEIVED_BYTES)).isEqualTo(40);
        assertThat(seen.state().isEnded()).isTrue();
        assertThat(seen.state().summary()).isEqualTo(summary());
    }

    @Test
    void theSessionsOfAProcessThatEndedHaveEnded() throws IOException {
        open("s", "peer", "ann");
        report(2);
        events.endAll("it was killed");
        assertThat(heard.opened.state().isEnded()).isTrue();
        assertThat(heard.opened.state().summary()).isNotNull();
        assertThat(heard.opened.state().summary().kind()).isEqualTo(FailureKind.CONNECTION_LOST);
        assertThat(events.sessions()).isZero();
        assertThat(String.valueOf(heard.all.get(1))).contains("it was killed", "CONNECTION_LOST");
    }

    @Test
    void aProcessReportsNoMoreSessionsThanItMayHave() throws IOException {
        for (int i = 0; i < 5; i++) {
            open("s" + i, "peer", "ann");
        }
        report(8);
        assertThatThrownBy(this::report).hasMessageContaining("too many");
        assertThat(events.sessions()).isEqualTo(4);
        assertThat(heard.all).hasSize(4);
    }

    /** The process is its account's, and what it can make the server hold is bounded. */
    @Test
    void aProcessReportsNoMoreLanesThanItMayHave() throws IOException {
        SessionActivity session = open("s", "peer", "ann");
        report(2);
        for (int lane = 0; lane <= LANES; lane++) {
            session.join(lane, Direction.IN, "epoll", () -> 1);
        }

        relay.sendAllFigures();

        assertThatThrownBy(this::report).isInstanceOf(IOException.class).hasMessageContaining("lane");
        assertThat(heard.opened.lanes()).hasSizeLessThanOrEqualTo(LANES);
        assertThat(heard.opened.counters().lanes()).isLessThanOrEqualTo(LANES);
    }

    /** The process is its account's, whose mistakes and defects must not look like the deeds of other keys. */
    @Test
    void aProcessReportsOnlyKeysOfItsAccountAndNamesThatAServerUses() throws IOException {
        for (AccountMessage lie : List.of(
                new AccountMessage.Opened(1, "s", "peer", new SessionActivity.Admission("bob", "push to /", null)),
                new AccountMessage.Ended(1, summary()))) {
            assertThatThrownBy(() -> events.report(AccountCodec.decode(AccountCodec.encode(lie))))
                    .isInstanceOf(IOException.class);
        }
        assertThat(heard.all).isEmpty();
        assertThat(heard.opened).isNull();
        assertThat(events.sessions()).isZero();

        open("s\nsession", "peer\u001b[2J", "ann");
        relay.onRefused("peer\u202e", "why\u2028");
        report(3);
        assertThat(heard.all)
                .containsExactly(
                        List.of("s\\u{A}session", "peer\\u{1B}[2J", "ann", "push to /"),
                        List.of("peer\\u{202E}", "account ann: why\\u{2028}"));
        heard.all.clear();

        events.allow(List.of(key("bob")));
        open("s", "peer", "bob");
        // A push to another server, which this server's client requested, is admitted by no key of this one.
        relay.onSessionOpen(new SessionActivity("t", "peer", new SessionCounters()));
        report(4);
        assertThat(heard.all).containsExactly(List.of("s", "peer", "bob", "push to /"));
        assertThat(heard.opened.key()).isEmpty();
    }

    /** Whoever runs commands at the end of a session, or reads the log, believes these. */
    @Test
    void aSessionKeepsThePeerAndTheKeyThatItStartedWith() throws IOException {
        events.allow(List.of(key("bob")));
        open("s", "peer", "bob");
        relay.onFile("s", "other", "bob", file());
        relay.onSessionEnd("s", "other", "bob", summary());
        report(5);
        assertThat(heard.all)
                .containsExactly(
                        List.of("s", "peer", "bob", "push to /"),
                        List.of("s", "peer", "bob", file()),
                        List.of("s", "peer", "bob", summary()));
    }

    @Test
    void anotherVersionOfFdtAsksForARestart() {
        byte[] begin = replaced(
                AccountCodec.encode(new AccountMessage.Begin(
                        new byte[SessionMessage.Elsewhere.ROUTE_BYTES],
                        "ann",
                        new int[] {1, 2},
                        List.of("--root", "/a\udc80"),
                        true,
                        Checksums.NONE)),
                Version.software(),
                "x".repeat(Version.software().length()));
        assertThatThrownBy(() -> AccountCodec.decode(begin))
                .isInstanceOfSatisfying(TransferException.class, another -> {
                    assertThat(another.failure().remedy()).contains("restart the server");
                    assertThat(told(another.failure())).isEqualTo(another.failure());
                });
    }

    private static byte[] replaced(byte[] bytes, String text, String by) {
        return new String(bytes, StandardCharsets.ISO_8859_1).replace(text, by).getBytes(StandardCharsets.ISO_8859_1);
    }

    /** A failure as the first process hears of it. */
    private static Failure told(Failure failure) {
        try {
            return ((AccountMessage.Failed)
                            AccountCodec.decode(AccountCodec.encode(new AccountMessage.Failed(failure))))
                    .failure();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The account's process takes the very options of the first one. */
    @Test
    void theBeginningArrivesAsItWas() throws IOException {
        AccountMessage.Begin begin = new AccountMessage.Begin(
                new byte[SessionMessage.Elsewhere.ROUTE_BYTES],
                "ann",
                new int[] {27_001, 27_002, 0xFFFF_FFFE},
                List.of("--root", "/a\udc80", "--on-session", "", ODD),
                true,
                Checksums.of(List.of(FileHash.CRC32)));
        assertThat(AccountCodec.decode(AccountCodec.encode(begin)))
                .usingRecursiveComparison()
                .isEqualTo(begin);
    }

    @Test
    void damagedMessagesAreRefused() throws IOException {
        byte[] sound = AccountCodec.encode(new AccountMessage.Ended(1, summary()));
        Random random = new Random(1);
        for (int length = 0; length < sound.length; length++) {
            byte[] cut = Arrays.copyOf(sound, length);
            assertThatThrownBy(() -> AccountCodec.decode(cut)).isInstanceOf(IOException.class);
            byte[] noise = sound.clone();
            random.nextBytes(cut);
            System.arraycopy(cut, 0, noise, random.nextInt(sound.length - length), length);
            try {
                events.report(AccountCodec.decode(noise));
            } catch (IOException refused) {
                assertThat(refused).isNotNull();
            }
        }
    }

    /** A value of one byte takes a hundred here. */
    @Test
    void aMessageHasNoMoreValuesThanAnySessionNeeds() {
        byte[] many = new byte[Bounds.MAX_MESSAGE_BYTES];
        Arrays.fill(many, (byte) 0xf6);
        many[0] = (byte) 0x9f;
        many[many.length - 1] = (byte) 0xff;
        assertThatThrownBy(() -> AccountCodec.decode(many)).hasMessageContaining("values");
    }

    /** A push to another server, which a client requested, comes back to this one under the same name. */
    @Test
    void sessionsOfOtherServersEndWithoutAReport() throws IOException {
        open("s", "peer", "ann");
        report(2);
        SessionActivity shown = heard.opened;
        for (int i = 0; i < 5; i++) {
            SessionActivity push = new SessionActivity("s", "peer", new SessionCounters());
            relay.onSessionOpen(push);
            report(2);
            assertThat(heard.opened.state().isEnded()).isFalse();
            push.end();
            relay.sendAllFigures();
            report(2);
            assertThat(heard.opened.state().isEnded()).isTrue();
        }
        assertThat(shown.state().isEnded()).isFalse();
        relay.onSessionEnd("s", "peer", "ann", summary());
        report(2);
        assertThat(shown.state().summary()).isEqualTo(summary());
    }
}
