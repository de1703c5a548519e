package io.fdt.cli.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.control.ServedFile;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.digest.Checksums;
import io.fdt.core.digest.FileHash;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.security.AccessKey;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.Permission;
import io.fdt.core.stats.LaneActivity;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.stats.LanePlace;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.SessionActivity.Direction;
import io.fdt.core.stats.SessionActivity.Work;
import io.fdt.core.stats.SessionCounters;
import io.fdt.core.stats.StreamFigures;
import io.fdt.core.stats.Summary;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.transport.local.PassingSocket;
import io.fdt.core.transport.local.PassingSocket.Message;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an account's process passes on arrives as it was. */
final class RelayedEventsTest {
    private final Heard heard = new Heard();
    private final RelayedEvents events = new RelayedEvents(heard, "ann", 2);
    private PassingSocket there;
    private PassingSocket here;
    private EventRelay relay;

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
    void connect() throws IOException {
        String name = "fdt-test-" + ProcessHandle.current().pid() + "-" + System.nanoTime();
        long self = ProcessHandle.current().pid();
        try (PassingSocket.Listening listening = new PassingSocket.Listening(name)) {
            there = PassingSocket.connect(name, self);
            here = listening.accept(self, 60_000);
        }
        relay = new EventRelay(there, true, Checksums.NONE);
        events.allow(List.of(key("ann"), key("key \ud800")));
    }

    private static AccessKey key(String name) {
        return IssuedKey.of(name, Permission.READ_WRITE, null).key();
    }

    @AfterEach
    void close() {
        there.close();
        here.close();
    }

    /** Reports the next messages. */
    private void report(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            Message next = here.receive();
            assertThat(events.report(next.type(), next.payload())).isTrue();
        }
    }

    private static Summary summary() {
        return new Summary(
                Failure.of(Cause.SOME_FILES_FAILED, "one of them"),
                new Summary.Files(
                        1, 2, 3, 4, List.of(new Summary.FailedFile("\udc80x", Failure.of(Cause.TARGET, "full")))),
                new Summary.Bytes(5, 6, 7, 8, 9),
                new Summary.Run("s", 10, 11, 12, "target-disk"),
                "xxh3-128:00",
                new Summary.Preview(13, 14, 15, 16));
    }

    private static ServedFile file() {
        return new ServedFile(
                new ServedFile.Place(RawPath.ofBytes(new byte[] {'a', (byte) 0x80}), RawPath.ofText("/srv"), null),
                true,
                17,
                18,
                new ServedFile.Hashes(null, Map.of(FileHash.CRC32, "00ff")),
                new ServedFile.Result(
                        "failed", null, Failure.of(Cause.TARGET, "why").at("/a").errno("EIO")));
    }

    @Test
    void eventsArriveAsTheyWere() throws IOException {
        ServedFile file = file();
        relay.onSessionStart("s", "peer", "key \ud800", "push to /");
        relay.onFile("s", "peer", "key \ud800", file);
        relay.onWarning("careful");
        relay.onRefused("peer", "why");
        relay.onRefusal(Cause.NO_SESSION);
        relay.onSessionEnd("s", "peer", "key \ud800", summary());

        report(1);
        assertThat(events.sessions()).isEqualTo(1);
        report(5);

        assertThat(events.sessions()).isZero();
        assertThat(heard.all)
                .containsExactly(
                        List.of("s", "peer", "key \ud800", "push to /"),
                        List.of("s", "peer", "key \ud800", file),
                        "account ann: careful",
                        List.of("peer", "account ann: why"),
                        Cause.NO_SESSION,
                        List.of("s", "peer", "key \ud800", summary()));
    }

    @Test
    void figuresAreThoseOfTheOtherProcess() throws IOException {
        SessionActivity session = new SessionActivity("s", "peer", new SessionCounters());
        session.admit("ann", "push to /", null);
        TransferFigures figures = new TransferFigures();
        int value = 1;
        for (AtomicLong total : EventRelay.totals(figures)) {
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
        relay.onSessionStart("s", "peer", "ann", "push to /");
        relay.onSessionOpen(session);
        report(3);

        SessionActivity seen = heard.opened;
        assertThat(List.of(seen.name(), seen.peer(), seen.key(), seen.purpose()))
                .containsExactly("s", "peer", "ann", "push to /");
        Work work = seen.work();
        assertThat(work).isNotNull();
        assertThat(work.queued().getAsInt()).isEqualTo(21);
        assertThat(EventRelay.totals(work.figures()).stream().map(AtomicLong::get))
                .containsExactlyElementsOf(
                        EventRelay.totals(figures).stream().map(AtomicLong::get).toList());
        assertThat(work.figures().file).isEqualTo("f");
        assertThat(seen.counters().sum(Counter.RECEIVED_BYTES)).isEqualTo(38);
        assertThat(seen.counters().flushNanos()).isEqualTo(39);
        LaneActivity mirrored = seen.lanes().get(0);
        assertThat(mirrored.bytes()).isEqualTo(22);
        assertThat(mirrored.figures()).isEqualTo(stream);
        assertThat(mirrored.ends()).isEqualTo(new LaneActivity.Ends(end, end));
        assertThat(mirrored.isOpen()).isTrue();

        assertThat(seen.isPeerGone()).isFalse();
        session.watchPeer(() -> true);
        bytes.set(40);
        session.counters().lane(3).add(Counter.RECEIVED_BYTES, 2);
        // A session that fails has ended before that is reported.
        session.end();
        relay.onSessionEnd("s", "peer", "ann", summary());
        report(2);
        assertThat(mirrored.bytes()).isEqualTo(40);
        assertThat(mirrored.isOpen()).isFalse();
        assertThat(seen.counters().sum(Counter.RECEIVED_BYTES)).isEqualTo(40);
        assertThat(seen.isEnded()).isTrue();
        assertThat(seen.summary()).isEqualTo(summary());
    }

    @Test
    void theSessionsOfAProcessThatEndedHaveEnded() throws IOException {
        relay.onSessionStart("s", "peer", "ann", "push to /");
        SessionActivity session = new SessionActivity("s", "peer", new SessionCounters());
        session.admit("ann", "push to /", null);
        relay.onSessionOpen(session);
        report(3);
        events.endAll("it was killed");
        assertThat(heard.opened.isEnded()).isTrue();
        assertThat(heard.opened.summary()).isNotNull();
        assertThat(heard.opened.summary().kind()).isEqualTo(FailureKind.CONNECTION_LOST);
        assertThat(events.sessions()).isZero();
        assertThat(String.valueOf(heard.all.get(1))).contains("it was killed", "CONNECTION_LOST");
    }

    @Test
    void aProcessReportsNoMoreSessionsThanItMayHave() throws IOException {
        for (int i = 0; i < 5; i++) {
            relay.onSessionStart("s" + i, "peer", "ann", "push to /");
        }
        report(4);
        Message fifth = here.receive();
        assertThatThrownBy(() -> events.report(fifth.type(), fifth.payload())).hasMessageContaining("too many");
        assertThat(events.sessions()).isEqualTo(4);
        assertThat(heard.all).hasSize(4);
    }

    /** The process is its account's, whose mistakes and defects must not look like the deeds of other keys. */
    @Test
    void aProcessReportsOnlyKeysOfItsAccountAndNamesThatAServerUses() throws IOException {
        SessionActivity ofOther = new SessionActivity("s", "peer", new SessionCounters());
        ofOther.admit("bob", "push to /", null);
        relay.onSessionStart("s", "peer", "bob", "push to /");
        relay.onSessionStart("s", "peer", "", "push to /");
        relay.onSessionEnd("s", "peer", "ann", summary());
        relay.onSessionOpen(ofOther);
        relay.onSessionStart("s\nsession", "peer", "ann", "push to /");
        relay.onSessionStart("s", "p".repeat(2_000), "ann", "push to /");
        relay.onRefused("peer\u001b[2J", "why");
        relay.onRefused("peer\u2028", "why");
        relay.onSessionStart("\u202es", "peer", "ann", "push to /");
        for (String expected :
                List.of("key", "key", "session", "key", "figures", "name", "name", "name", "name", "name")) {
            Message next = here.receive();
            if (expected.equals("figures")) {
                assertThat(events.report(next.type(), next.payload())).isTrue();
            } else {
                assertThatThrownBy(() -> events.report(next.type(), next.payload()))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining(expected);
            }
        }
        assertThat(heard.all).isEmpty();
        assertThat(heard.opened).isNull();
        assertThat(events.sessions()).isZero();

        events.allow(List.of(key("bob")));
        relay.onSessionStart("s", "peer", "bob", "push to /");
        // A push to another server, which this server's client requested, is admitted by no key of this one.
        relay.onSessionOpen(new SessionActivity("t", "peer", new SessionCounters()));
        report(3);
        assertThat(heard.all).containsExactly(List.of("s", "peer", "bob", "push to /"));
        assertThat(heard.opened.key()).isEmpty();
    }

    /** Whoever runs commands at the end of a session, or reads the log, believes these. */
    @Test
    void aSessionKeepsThePeerAndTheKeyThatItStartedWith() throws IOException {
        events.allow(List.of(key("bob")));
        relay.onSessionStart("s", "peer", "bob", "push to /");
        relay.onFile("s", "other", "ann", file());
        relay.onSessionEnd("s", "other", "ann", summary());
        relay.onFile("s", "peer", "bob", file());
        report(4);
        assertThat(heard.all)
                .containsExactly(
                        List.of("s", "peer", "bob", "push to /"),
                        List.of("s", "peer", "bob", file()),
                        List.of("s", "peer", "bob", summary()));
    }

    @Test
    void anotherVersionOfFdtAsksForARestart() {
        byte[] begin = EventRelay.bytes(out -> EventRelay.text(out, "fdt 0.1"));
        assertThatThrownBy(() -> AccountServer.Begin.of(begin))
                .isInstanceOfSatisfying(TransferException.class, another -> {
                    assertThat(another.failure().remedy()).contains("restart the server");
                    assertThat(told(another)).isEqualTo(another.failure());
                });
    }

    /** A failure as the first process hears of it. */
    private static Failure told(TransferException failure) {
        try {
            return RelayedEvents.failed(AccountServer.failed(failure)).failure();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void damagedMessagesAreRefused() throws IOException {
        relay.onSessionEnd("s", "peer", "ann", summary());
        Message sound = here.receive();
        Random random = new Random(1);
        for (int length = 0; length < sound.payload().length; length++) {
            byte[] cut = Arrays.copyOf(sound.payload(), length);
            assertThatThrownBy(() -> events.report(sound.type(), cut)).isInstanceOf(IOException.class);
            byte[] noise = new byte[length];
            random.nextBytes(noise);
            for (int type = 0; type < 10; type++) {
                try {
                    boolean unused = events.report(type, noise);
                } catch (IOException refused) {
                    assertThat(refused).isNotNull();
                }
            }
        }
        assertThat(events.report(99, new byte[0])).isFalse();
    }

    @Test
    void aMessageOfManyPartsArrivesWhole() {
        byte[] large = new byte[300_000];
        new Random(2).nextBytes(large);
        new Thread(() -> there.send(7, large)).start();
        Message message = here.receive();
        assertThat(message.type()).isEqualTo(7);
        assertThat(message.payload()).isEqualTo(large);
        there.end();
        assertThat(here.receive()).isNull();
        assertThat(here.send(1, new byte[0])).isFalse();
    }
}
