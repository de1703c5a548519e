package io.fdt.core.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fdt.core.budget.ServerTotals;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.security.AccessKey;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.KeyLimits;
import io.fdt.core.security.LaneAdmission;
import io.fdt.core.security.Permission;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which sessions a server admits, and which one ends for another. */
final class OpenSessionsTest {
    private static final AccessKey ANN = key(KeyLimits.NONE);
    private static final AccessKey BOB = key(KeyLimits.NONE);

    private final Map<OpenSession, SessionInSteps> steps = new HashMap<>();
    private long now = 5;
    private boolean severalKeys = true;

    private static AccessKey key(KeyLimits limits) {
        return IssuedKey.of("k", new Permission(Permission.READ_WRITE.rights(), false, List.of(), limits), null)
                .key();
    }

    private OpenSessions sessions(int limit) {
        return new OpenSessions(limit, () -> severalKeys, new ServerTotals());
    }

    private OpenSession open(OpenSessions sessions, AccessKey key) {
        SessionInSteps in = new SessionInSteps(() -> now, 1);
        Session session = in.session();
        OpenSession opened = new OpenSession(
                Thread::new,
                session,
                new LaneAdmission(session.secret(), session.id(), 1),
                () -> key,
                self -> {},
                () -> {});
        steps.put(opened, in);
        sessions.add(opened);
        return opened;
    }

    private OpenSession openLost(OpenSessions sessions, AccessKey key) {
        OpenSession opened = open(sessions, key);
        opened.session().channel().release();
        return opened;
    }

    @AfterEach
    void close() {
        steps.values().forEach(SessionInSteps::close);
    }

    private static void assertFails(ThrowingCallable admission, Cause cause, String why) {
        assertThatExceptionOfType(TransferException.class)
                .isThrownBy(admission)
                .withMessageContaining(why)
                .matches(failure -> failure.is(cause), "has the cause " + cause);
    }

    private void assertEnded(OpenSession session, String why) {
        assertFails(() -> steps.get(session).runPosted(), Cause.CONNECTION_LOST, why);
        assertFails(() -> session.session().budget().requireOpen(), Cause.CONNECTION_LOST, why);
    }

    /** Schedulers and {@code --retry} repeat what passes by itself, and never what a user must change. */
    @Test
    void aFullServerIsUnavailable() {
        String full = "the server is full: it has at most 0 sessions";
        assertFails(() -> sessions(0).makeRoom(ANN, false), Cause.UNAVAILABLE, full);
        OpenSessions one = sessions(1);
        open(one, BOB);
        for (boolean several : new boolean[] {true, false}) {
            severalKeys = several;
            assertFails(
                    () -> one.makeRoom(ANN, false), Cause.UNAVAILABLE, "the server is full: it has at most 1 session");
        }
    }

    @Test
    void aKeyLeavesAsManySessionsToOthersAsItHas() {
        OpenSessions sessions = sessions(4);
        for (int held = 0; held < 2; held++) {
            assertThat(sessions.makeRoom(ANN, false)).isNull();
            open(sessions, ANN);
        }
        String reserved = "this key has 2 of the server's 4 sessions, and the rest is reserved for other keys";
        assertFails(() -> sessions.makeRoom(ANN, false), Cause.UNAVAILABLE, reserved);
        assertThat(sessions.makeRoom(BOB, false)).isNull();

        severalKeys = false;
        assertThat(sessions.makeRoom(ANN, false)).as("the only key").isNull();
    }

    /** Otherwise nobody could end copies that go on without their clients. */
    @Test
    void aKeyWhoseSessionsOutliveTheirClientsHasOneMoreToEndThem() {
        AccessKey limited = key(new KeyLimits(0, Long.MAX_VALUE, 1));
        OpenSessions sessions = sessions(2);
        open(sessions, BOB);
        OpenSession running = open(sessions, limited);
        String limit = "this key already has as many sessions as it may: 1";
        assertFails(() -> sessions.makeRoom(limited, true), Cause.SHARE_USED_UP, limit);
        running.session().outliveClient();
        assertFails(() -> sessions.makeRoom(limited, false), Cause.SHARE_USED_UP, limit);
        assertFails(() -> sessions.makeRoom(BOB, true), Cause.UNAVAILABLE, "the server is full");

        assertThat(sessions.makeRoom(limited, true))
                .as("beside all of a full server")
                .isNull();
        open(sessions, limited).beForOthers();
        assertFails(() -> sessions.makeRoom(limited, true), Cause.SHARE_USED_UP, limit);
    }

    @Test
    void aKeyHasNoMoreSessionsThanItsLimit() {
        AccessKey limited = key(new KeyLimits(0, Long.MAX_VALUE, 2));
        OpenSessions sessions = sessions(100);
        openLost(sessions, BOB);
        OpenSession first = open(sessions, limited);
        assertThat(sessions.makeRoom(limited, false)).isNull();
        open(sessions, limited);
        now += OpenSessions.RECONNECT_NANOS;
        String limit = "this key already has as many sessions as it may: 2";
        assertFails(() -> sessions.makeRoom(limited, false), Cause.SHARE_USED_UP, limit);

        first.session().channel().release();
        now += OpenSessions.RECONNECT_NANOS - 1;
        assertFails(() -> sessions.makeRoom(limited, false), Cause.SHARE_USED_UP, limit);
        now++;
        assertThat(sessions.makeRoom(limited, false)).isSameAs(first);
        assertEnded(first, "the server needed its place for another session");
        assertThat(sessions.makeRoom(limited, false))
                .as("the place of the first")
                .isNull();
    }

    @Test
    void onAFullServerTheSessionWithoutAClientForLongestEndsForAnother() {
        OpenSessions sessions = sessions(4);
        OpenSession recent = open(sessions, ANN);
        OpenSession longest = openLost(sessions, ANN);
        now++;
        recent.session().channel().release();
        open(sessions, ANN);
        open(sessions, BOB);
        now += OpenSessions.RECONNECT_NANOS;

        assertThat(sessions.makeRoom(BOB, false)).isSameAs(longest);
        assertThat(longest.makesRoom()).isTrue();
        assertThat(recent.makesRoom()).isFalse();
        assertEnded(longest, "the server needed its place for another session");
        severalKeys = false;
        assertThat(sessions.makeRoom(BOB, false)).as("there is room now").isNull();
        severalKeys = true;
        // Its place is for the session that is being opened.
        open(sessions, BOB);
        assertThat(sessions.makeRoom(BOB, false)).isSameAs(recent);
    }

    @Test
    void noSessionEndsForAKeyThatHasMore() {
        OpenSessions sessions = sessions(3);
        openLost(sessions, ANN);
        now++;
        OpenSession own = openLost(sessions, BOB);
        open(sessions, BOB);
        now += OpenSessions.RECONNECT_NANOS;
        assertThat(sessions.makeRoom(BOB, false)).isSameAs(own);
    }

    @Test
    void memoryIsTakenFromTheSessionWithoutAClientForLongest() {
        OpenSessions sessions = sessions(9);
        OpenSession longest = openLost(sessions, BOB);
        now++;
        OpenSession own = openLost(sessions, ANN);
        now += OpenSessions.RECONNECT_NANOS - 2;
        sessions.endLongestDisconnected(ANN);
        steps.get(longest).runPosted();
        now++;
        sessions.endLongestDisconnected(ANN);
        assertEnded(longest, "the server needed its memory for another session");
        assertThat(longest.makesRoom()).as("it has no place to give").isFalse();
        steps.get(own).runPosted();

        open(sessions, ANN);
        now++;
        sessions.endLongestDisconnected(ANN);
        assertEnded(own, "the server needed its memory for another session");
    }

    @Test
    void aLaneOfASessionThatHasEndedIsToldSo() {
        OpenSessions sessions = sessions(2);
        OpenSession opened = open(sessions, ANN);
        byte[] id = opened.session().id();
        assertThat(sessions.require(id)).isSameAs(opened);
        assertThat(sessions.find(id)).isSameAs(opened);
        assertThat(sessions.all()).containsExactly(opened);
        assertThat(opened.thread().getName())
                .isEqualTo("fdt-session-" + opened.session().name());
        sessions.remove(opened);
        assertThat(sessions.find(id)).isNull();
        assertThat(sessions.all()).isEmpty();
        assertFails(() -> sessions.require(id), Cause.CONNECTION_LOST, "its session has ended");
        byte[] other = id.clone();
        other[1]++;
        assertFails(() -> sessions.require(other), Cause.NO_SESSION, "a lane for a session that does not exist");
    }
}
