package io.fdt.core.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.basic.Clock;
import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Budgets;
import io.fdt.core.budget.Resource;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.security.Permission;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.ControlCodec;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.ControlMessages;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.TransferMessage;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What messages make a session hold while its thread is busy with something else. Whatever their type, and however many
 * there are, it is no more than a link is charged for when the key is proven, and nothing but heap.
 */
final class WaitingMessagesTest {
    private static final long LINK_HEAP_BYTES = Handshake.LINK_BYTES - Bounds.MAX_MESSAGE_BYTES;

    /** Of the link's charge, for messages of a few bytes: each takes more as an object than on the wire. */
    private static final long QUEUE_BYTES = 128 << 10;

    /** The wire size of this message is a twentieth of what it takes as an object. */
    private static final ControlMessage DENSE =
            new TransferMessage.SourceNames(Collections.nCopies(65_536, RawPath.ofText("n")));

    @TempDir
    static Path directory;

    private static final Map<String, WaitingMessages.Held> HELD = new HashMap<>();

    private static Budget budget(long heapBytes) {
        return new Budgets(Map.of(Resource.HEAP, heapBytes), () -> false).open("key");
    }

    private static SessionInSteps session(Budget budget) {
        return new SessionInSteps(Clock.SYSTEM, 1, Permission.ALL, budget);
    }

    static Stream<ControlMessage> everyType() {
        return Stream.concat(ControlMessages.everyMessage(), Stream.of(DENSE));
    }

    /** Direct memory, descriptors and temporary files are those of a whole process: nothing else may run in it. */
    @BeforeAll
    static void measureInAProcessOfItsOwn() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Djava.io.tmpdir=" + directory,
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        WaitingMessages.class.getName())
                .redirectErrorStream(true)
                .start();
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            String all = lines.lines()
                    .peek(line -> WaitingMessages.Held.parse(line).ifPresent(held -> HELD.put(held.type(), held)))
                    .collect(Collectors.joining("\n"));
            assertThat(process.waitFor()).as(all).isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    @ParameterizedTest
    @MethodSource("everyType")
    void areBoundedByWhatTheirLinkIsChargedFor(ControlMessage message) {
        byte[] encoded = ControlCodec.encode(message);
        WaitingMessages.Held held = HELD.get(WaitingMessages.nameOf(encoded));
        assertThat(held).isNotNull();
        assertThat(held.heapBytes())
                .isLessThanOrEqualTo(Math.min(QUEUE_BYTES + 4 * held.sentBytes(), LINK_HEAP_BYTES + encoded.length));
        // Less than one for each session: the process itself may open or close a file meanwhile.
        assertThat(held.directBytes()).isLessThan(WaitingMessages.SESSIONS);
        assertThat(held.descriptors()).isLessThan(WaitingMessages.SESSIONS);
        assertThat(held.temporaryFiles()).isLessThan(WaitingMessages.SESSIONS);
    }

    @Test
    void areDecodedOnlyWhenTheBudgetHasRoom() {
        Budget budget = budget(1 << 20);
        byte[] encoded = ControlCodec.encode(DENSE);
        assertThat(ControlCodec.heapBytes(encoded, "peer")).isGreaterThan(1 << 20);
        try (SessionInSteps session = session(budget)) {
            session.deliver(encoded);
            session.runPosted();
            assertThat(session.heard()).isEmpty();
            assertThat(budget.held(Resource.HEAP)).isZero();
        }
        try (SessionInSteps session = session(budget(64 << 20))) {
            session.deliver(encoded);
            session.runPosted();
            assertThat(session.heard()).hasSize(1);
            assertThat(session.isHeld()).isFalse();
        }
    }

    @Test
    void ofATypeThatTheRoleDoesNotTakeAreRefusedUndecoded() {
        // A budget without room: decoding would have to wait.
        try (SessionInSteps session = session(budget(1))) {
            session.takeOnly(TransferMessage.Finish.class);
            session.deliver(ControlCodec.encode(DENSE));
            assertThatThrownBy(session::runPosted)
                    .isInstanceOfSatisfying(
                            TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.VERSION))
                    .hasMessageContaining("SourceNames");
        }
    }

    /** A client may read answers without ever confirming them; they would be sent again on another link. */
    @Test
    void ofThisSideAreChargedUntilThePeerConfirmsThem() {
        Budget budget = budget(1 << 20);
        long most = 0;
        try (SessionInSteps session = session(budget)) {
            for (int i = 0; i < 1_000 && !session.isEnded(); i++) {
                session.session().send(new SessionMessage.Warning("w".repeat(4_000)));
                most = Math.max(most, budget.held(Resource.HEAP));
            }
            assertThat(session.isEnded()).isTrue();
            assertThat(most).isBetween(256L << 10, 512L << 10);
            assertThat(budget.held(Resource.HEAP)).isZero();
        }
    }

    @Test
    void areReadOnWhenTheyHaveBeenTaken() {
        try (SessionInSteps session = session(budget(64 << 20))) {
            byte[] encoded = ControlCodec.encode(new SessionMessage.Warning("w".repeat(4_000)));
            while (!session.isHeld()) {
                session.deliver(encoded);
            }
            session.runPosted();
            assertThat(session.isHeld()).isFalse();
        }
    }
}
