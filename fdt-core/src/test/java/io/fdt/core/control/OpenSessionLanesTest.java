package io.fdt.core.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.LaneAdmission;
import io.fdt.core.security.Permission;
import io.fdt.core.security.SessionProof;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.wire.LaneHello;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The lanes that join and leave a session at its server. */
final class OpenSessionLanesTest {
    private final SessionInSteps steps = new SessionInSteps(() -> 5, 2);
    private final Session session = steps.session();
    private final List<String> events = new ArrayList<>();
    private int gone;

    private final OpenSession open = new OpenSession(
            Thread::new,
            session,
            new LaneAdmission(session.secret(), session.id(), 2),
            () -> IssuedKey.of("k", Permission.READ_ONLY, null).key(),
            self -> {},
            () -> gone++);

    @BeforeEach
    void attach() {
        session.attach(new LaneTaking((index, attempt) -> {
            events.add("handler of " + index + ", " + attempt);
            return new Drops();
        }));
    }

    @AfterEach
    void close() {
        steps.close();
    }

    /** @param ends whether it ends when it is aborted */
    private Lane lane(String name, int number, boolean ends) {
        return LaneTaking.lane((self, method, arguments) -> switch (method) {
            case "admitted" -> {
                events.add(name + " is admitted");
                yield null;
            }
            case "abort", "abortUnlessLeaving" -> {
                events.add(name + ": " + ((TransferException) arguments[0]).getMessage());
                if (ends) {
                    open.onLaneClosed(number, self);
                }
                yield null;
            }
            default -> throw new AssertionError("not expected: " + method);
        });
    }

    private LaneHello hello(int number, int attempt) {
        byte[] proof = SessionProof.ofLane(session.secret(), session.id(), number, attempt);
        return new LaneHello(session.id(), number, attempt, proof);
    }

    private void assertRefused(FailureKind kind, String why, LaneHello hello) {
        assertThatExceptionOfType(TransferException.class)
                .isThrownBy(() -> open.admit(hello, lane("refused", hello.lane(), true)))
                .withMessage(why)
                .matches(failure -> failure.kind() == kind, "is of kind " + kind);
    }

    @Test
    void aLaneIsAdmittedOnceByItsProof() {
        assertThat(open.admit(hello(1, 0), lane("a", 1, true))).isInstanceOf(Drops.class);
        assertThat(events).containsExactly("a is admitted", "handler of 1, 0");
        LaneHello stolen = new LaneHello(session.id(), 0, 0, hello(1, 0).proof());
        String why = "the lane does not belong to its session";
        assertRefused(FailureKind.REFUSED, why, stolen);
        assertRefused(FailureKind.REFUSED, why, hello(1, 0));
        assertRefused(FailureKind.REFUSED, why, hello(2, 0));
        assertThat(events).as("nothing joined").hasSize(2);
    }

    @Test
    void aNewerLaneEndsTheOlderOneFirst() {
        open.admit(hello(0, 0), lane("old", 0, true));
        open.admit(hello(1, 0), lane("other", 1, true));
        events.clear();
        open.admit(hello(0, 1), lane("new", 0, true));
        assertThat(events).containsExactly("new is admitted", "old: a newer lane replaced it", "handler of 0, 1");
        assertThat(gone).isZero();
    }

    @Test
    void aLaneWhosePredecessorDoesNotEndMayComeAgain() {
        open.admit(hello(0, 0), lane("stuck", 0, false));
        assertRefused(FailureKind.CONNECTION_LOST, "the lane before it did not end", hello(0, 1));
    }

    @Test
    void theSessionIsGoneWhenItsLastLaneHasEnded() {
        Lane first = lane("first", 0, false);
        Lane stuck = lane("stuck", 1, false);
        open.admit(hello(0, 0), first);
        open.admit(hello(1, 0), stuck);
        events.clear();
        open.onLaneClosed(1, first);
        open.close();
        assertThat(events).containsExactlyInAnyOrder("first: its session has ended", "stuck: its session has ended");
        open.onLaneClosed(0, first);
        assertThat(gone).as("a lane still uses its memory").isZero();
        assertRefused(FailureKind.CONNECTION_LOST, "its session has ended", hello(0, 1));
        open.onLaneClosed(1, stuck);
        assertThat(gone).isOne();
        open.onLaneClosed(1, stuck);
        open.close();
        assertThat(gone).isOne();
    }

    @Test
    void aSessionWithoutLanesIsGoneAtOnce() {
        open.close();
        assertThat(gone).isOne();
        assertThatExceptionOfType(TransferException.class)
                .isThrownBy(() -> session.budget().requireOpen())
                .withMessage("its session has ended");
    }

    private static final class Drops implements LaneHandler {
        @Override
        public int wantedBytes() {
            return 1;
        }

        @Override
        public void onReceived(Block block) {
            block.release();
        }

        @Override
        public void onSendable() {}

        @Override
        public void onClosed(@Nullable TransferException cause) {}
    }
}
