package io.fdt.core.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.ServerTotals;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.LaneAdmission;
import io.fdt.core.security.Permission;
import io.fdt.core.security.SessionProof;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.wire.LaneHello;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a new lane may do before and after its hello. */
final class LaneGateTest {
    private final SessionInSteps steps = new SessionInSteps(() -> 5, 1);
    private final Session session = steps.session();
    private final OpenSessions sessions = new OpenSessions(1, () -> false, new ServerTotals());
    private final List<String> events = new ArrayList<>();
    private final List<Cause> refusals = new ArrayList<>();
    private boolean busy;
    private Runnable deadline = () -> events.add("no deadline");
    private long delayNanos;
    private long nowNanos;

    private final OpenSession open = new OpenSession(
            Thread::new,
            session,
            new LaneAdmission(session.secret(), session.id(), 1),
            () -> IssuedKey.of("k", Permission.READ_ONLY, null).key(),
            self -> {},
            () -> events.add("gone"));

    private final Lane lane = LaneTaking.lane((self, method, arguments) -> switch (method) {
        case "schedule" -> {
            deadline = (Runnable) arguments[0];
            delayNanos = ((TimeUnit) arguments[2]).toNanos((long) arguments[1]);
            yield null;
        }
        case "abort", "abortUnlessLeaving" -> {
            TransferException why = (TransferException) arguments[0];
            events.add(why.kind() + " " + why.getMessage());
            yield null;
        }
        case "peer" -> "192.0.2.1:7";
        case "start", "admitted" -> null;
        default -> throw new AssertionError("not expected: " + method);
    });

    private @Nullable Budget between = session.budget().another();

    private final LaneGate gate = new LaneGate(
            lane,
            sessions,
            new RefusalLimit(new ServerObserver() {
                @Override
                public void onRefusal(Cause reason) {
                    refusals.add(reason);
                }
            }),
            sameKey -> between,
            () -> nowNanos);

    @BeforeEach
    void begin() {
        session.attach(new LaneTaking((index, attempt) -> new Recording()));
        sessions.add(open);
        gate.open(10);
    }

    @AfterEach
    void close() {
        steps.close();
    }

    private static Block block(byte[] bytes) {
        return new Block(ByteBuffer.wrap(bytes), 0) {
            @Override
            protected void onReleased() {}
        };
    }

    private static byte[] encoded(LaneHello hello) {
        ByteBuffer buffer = ByteBuffer.allocate(LaneHello.LENGTH_BYTES);
        hello.write(buffer);
        return buffer.array();
    }

    private byte[] hello() {
        byte[] proof = SessionProof.ofLane(session.secret(), session.id(), 0, 0);
        return encoded(new LaneHello(session.id(), 0, 0, proof));
    }

    @Test
    void theSessionTakesOverAfterTheHello() {
        gate.onSendable();
        assertThat(gate.wantedBytes()).isEqualTo(LaneHello.LENGTH_BYTES);
        gate.onReceived(block(hello()));
        assertThat(gate.wantedBytes()).isEqualTo(1234);
        deadline.run();
        gate.onReceived(block(new byte[3]));
        gate.onSendable();
        open.close();
        gate.onClosed(Cause.CONNECTION_LOST.failure("cut"));
        assertThat(events)
                .containsExactly(
                        "sendable",
                        "3 bytes",
                        "sendable",
                        "CONNECTION_LOST its session has ended",
                        "closed: cut",
                        "gone");
        assertThat(refusals).isEmpty();
    }

    @Test
    void aLaneWithoutAHelloIsClosed() {
        deadline.run();
        assertThat(events).containsExactly("CANNOT_CONNECT 192.0.2.1:7 opened a lane and sent nothing");
    }

    @Test
    void aLaneThatEndsWithinItsHelloIsClosed() {
        gate.onReceived(block(new byte[LaneHello.LENGTH_BYTES - 1]));
        assertThat(events).containsExactly("CONNECTION_LOST 192.0.2.1:7 disconnected before its hello");
        gate.onClosed(null);
        assertThat(events).hasSize(1);
    }

    @Test
    void somethingElseThanAHelloIsRefused() {
        gate.onReceived(block(new byte[LaneHello.LENGTH_BYTES]));
        assertThat(events).containsExactly("VERSION 192.0.2.1:7 sent no hello on its lane");
    }

    @Test
    void aWrongProofIsRefusedAndReported() {
        gate.onReceived(block(encoded(new LaneHello(session.id(), 0, 0, new byte[LaneHello.PROOF_BYTES]))));
        assertThat(events).containsExactly("REFUSED refused the lane does not belong to its session from 192.0.2.1:7");
        assertThat(refusals).containsExactly(Cause.NO_SESSION);
        assertThat(gate.wantedBytes()).isEqualTo(LaneHello.LENGTH_BYTES);
    }

    /** It was on its way when the session ended, which is nobody's fault. */
    @Test
    void aLaneOfASessionThatHasEndedIsNotReported() {
        sessions.remove(open);
        gate.onReceived(block(hello()));
        assertThat(events).containsExactly("CONNECTION_LOST its session has ended");
        assertThat(refusals).isEmpty();
    }

    @Test
    void aLaneThatHasLeftTakesAnotherSession() {
        gate.onReceived(block(hello()));
        assertThat(gate.onLeft()).isTrue();
        assertThat(gate.wantedBytes()).isEqualTo(LaneHello.LENGTH_BYTES);
        gate.onSendable();
        byte[] proof = SessionProof.ofLane(session.secret(), session.id(), 0, 1);
        gate.onReceived(block(encoded(new LaneHello(session.id(), 0, 1, proof))));
        gate.onReceived(block(new byte[3]));
        assertThat(events).containsExactly("sendable", "closed: null", "sendable", "3 bytes");
        deadline.run();
        assertThat(events).hasSize(4);
    }

    @Test
    void aLaneThatHasLeftSendsAHelloOrIsClosed() {
        gate.onReceived(block(hello()));
        assertThat(gate.onLeft()).isTrue();
        gate.onReceived(block(new byte[LaneHello.LENGTH_BYTES]));
        assertThat(events).containsExactly("sendable", "closed: null", "CONNECTION_LOST 192.0.2.1:7 sent no hello");
        assertThat(refusals).isEmpty();
    }

    /** The time counts from the last session that it left. */
    @Test
    void aLaneThatHasLeftIsClosedIfItsClientAsksForNoOtherSession() {
        long limitNanos = TimeUnit.MILLISECONDS.toNanos(Handshake.NEXT_MS);
        gate.onReceived(block(hello()));
        assertThat(gate.onLeft()).isTrue();
        assertThat(delayNanos).isEqualTo(limitNanos);
        nowNanos = limitNanos / 2;
        byte[] proof = SessionProof.ofLane(session.secret(), session.id(), 0, 1);
        gate.onReceived(block(encoded(new LaneHello(session.id(), 0, 1, proof))));
        between = session.budget().another();
        assertThat(gate.onLeft()).isTrue();
        events.clear();
        nowNanos = limitNanos;
        deadline.run();
        assertThat(events).isEmpty();
        assertThat(delayNanos).isEqualTo(limitNanos / 2);
        nowNanos += delayNanos;
        deadline.run();
        assertThat(events).containsExactly("CONNECTION_LOST 192.0.2.1:7 has no use for its lane");
    }

    @Test
    void aLaneStaysWithItsSessionIfItIsBusyOrItsKeyHasNoRoom() {
        gate.onReceived(block(hello()));
        busy = true;
        assertThat(gate.onLeft()).isFalse();
        busy = false;
        between = null;
        assertThat(gate.onLeft()).isFalse();
        assertThat(gate.wantedBytes()).isEqualTo(1234);
        assertThat(events).containsExactly("sendable");
    }

    private final class Recording implements LaneHandler {
        @Override
        public int wantedBytes() {
            return 1234;
        }

        @Override
        public boolean isBetweenMessages() {
            return !busy;
        }

        @Override
        public void onReceived(Block block) {
            events.add(block.buffer().remaining() + " bytes");
        }

        @Override
        public void onSendable() {
            events.add("sendable");
        }

        @Override
        public void onClosed(@Nullable TransferException cause) {
            events.add("closed: " + (cause == null ? null : cause.getMessage()));
        }
    }
}
