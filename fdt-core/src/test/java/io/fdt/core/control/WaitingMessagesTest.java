package io.fdt.core.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.Clock;
import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.account.Account;
import io.fdt.core.account.Accounts;
import io.fdt.core.account.Resource;
import io.fdt.core.plan.RawPath;
import io.fdt.core.security.Permission;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.ControlCodec;
import io.fdt.core.wire.ControlCodecTest;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.TransferMessage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What messages make a session hold while its thread is busy with something else. Whatever their type, and however many
 * there are, it is no more than a link is charged for when the key is proven.
 */
@Isolated("it measures the whole process")
final class WaitingMessagesTest {
    private static final int SESSIONS = 8;
    private static final int MESSAGES = 20_000;
    /** The heap of everything else in the process changes by less than this between two measurements. */
    private static final long NOISE_BYTES = 2 << 20;

    private static final long LINK_HEAP_BYTES = Handshake.LINK_BYTES - Bounds.MAX_MESSAGE_BYTES;

    /** The wire size of this message is a twentieth of what it takes as an object. */
    private static final ControlMessage DENSE =
            new TransferMessage.SourceNames(Collections.nCopies(65_536, RawPath.ofText("n")));

    private static Account account(long heapBytes) {
        return new Accounts(Map.of(Resource.HEAP, heapBytes), () -> false).open("key");
    }

    private static SessionInSteps session(Account account) {
        return new SessionInSteps(Clock.SYSTEM, 1, Permission.ALL, account);
    }

    static Stream<ControlMessage> everyType() {
        return Stream.concat(ControlCodecTest.everyMessage(), Stream.of(DENSE));
    }

    @ParameterizedTest
    @MethodSource("everyType")
    void areBoundedByWhatTheirLinkIsChargedFor(ControlMessage message) {
        Account account = account(1L << 30);
        List<SessionInSteps> sessions = new ArrayList<>();
        byte[] encoded = ControlCodec.encode(message);
        try {
            for (int i = 0; i < SESSIONS; i++) {
                sessions.add(session(account));
            }
            long before = usedHeap();
            long sent = 0;
            for (SessionInSteps session : sessions) {
                for (int i = 0; i < MESSAGES && !session.isHeld() && !session.isEnded(); i++) {
                    session.deliver(encoded.clone());
                    sent += encoded.length;
                }
            }
            long held = usedHeap() - before - NOISE_BYTES;
            assertThat(held / SESSIONS).isLessThanOrEqualTo(Math.min(4 * sent, LINK_HEAP_BYTES + encoded.length));
            assertThat(account.held(Resource.HEAP)).isZero();
        } finally {
            sessions.forEach(SessionInSteps::close);
        }
    }

    private static long usedHeap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    @Test
    void areDecodedOnlyWhenTheAccountHasRoom() {
        Account account = account(1 << 20);
        byte[] encoded = ControlCodec.encode(DENSE);
        assertThat(ControlCodec.heapBytes(encoded, "peer")).isGreaterThan(1 << 20);
        try (SessionInSteps session = session(account)) {
            session.deliver(encoded);
            session.runPosted();
            assertThat(session.heard()).isEmpty();
            assertThat(account.held(Resource.HEAP)).isZero();
        }
        try (SessionInSteps session = session(account(64 << 20))) {
            session.deliver(encoded);
            session.runPosted();
            assertThat(session.heard()).hasSize(1);
            assertThat(session.isHeld()).isFalse();
        }
    }

    @Test
    void ofATypeThatTheRoleDoesNotTakeAreRefusedUndecoded() {
        // An account without room: decoding would have to wait.
        try (SessionInSteps session = session(account(1))) {
            session.takeOnly(TransferMessage.Finish.class);
            session.deliver(ControlCodec.encode(DENSE));
            assertThatThrownBy(session::runPosted)
                    .isInstanceOfSatisfying(
                            TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.VERSION))
                    .hasMessageContaining("SourceNames");
        }
    }

    @Test
    void areReadOnWhenTheyHaveBeenTaken() {
        try (SessionInSteps session = session(account(64 << 20))) {
            byte[] encoded = ControlCodec.encode(new SessionMessage.Warning("w".repeat(4_000)));
            while (!session.isHeld()) {
                session.deliver(encoded);
            }
            session.runPosted();
            assertThat(session.isHeld()).isFalse();
        }
    }
}
