package io.fdt.core.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.PeerNetwork;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/** In which order steps of handshakes run, and what the loop does between them. */
final class HandshakeTurnsTest {
    private static final String FLOOD = "192.0.2.1";
    private static final String HONEST = "198.51.100.7";

    private final Queue<Runnable> rounds = new ArrayDeque<>();
    private final HandshakeTurns turns = new HandshakeTurns(rounds::add);
    private final List<String> ran = new ArrayList<>();

    private void take(String address, String step) {
        try {
            turns.take(PeerNetwork.of(InetAddress.getByName(address)), () -> ran.add(step));
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    /** The loop serves its connections, and then what was scheduled before. */
    private void nextRound() {
        assertThat(rounds).hasSize(1);
        rounds.remove().run();
    }

    @Test
    void aStepRunsAtOnceWhenNoneWaits() {
        take(HONEST, "hello");
        assertThat(ran).containsExactly("hello");
        nextRound();
        assertThat(rounds).isEmpty();
        take(HONEST, "finished");
        assertThat(ran).containsExactly("hello", "finished");
    }

    @Test
    void oneStepRunsInARoundOfTheLoop() {
        for (int i = 0; i < 10; i++) {
            take(FLOOD, "flood " + i);
        }
        assertThat(ran).hasSize(1);
        nextRound();
        assertThat(ran).hasSize(2);
        nextRound();
        assertThat(ran).hasSize(3);
    }

    @Test
    void aFloodOfOneNetworkDelaysAnotherByOneStep() {
        for (int i = 0; i < 500; i++) {
            take(FLOOD, "flood");
        }
        take(HONEST, "honest hello");
        nextRound();
        nextRound();
        assertThat(ran).containsExactly("flood", "flood", "honest hello");
        for (int i = 0; i < 10; i++) {
            take(FLOOD, "flood");
        }
        take(HONEST, "honest finished");
        nextRound();
        nextRound();
        assertThat(ran.subList(3, 5)).contains("honest finished");
    }

    @Test
    void networksAlternate() {
        for (int i = 0; i < 3; i++) {
            take(FLOOD, "flood");
            take("192.0.2.2", "second");
            take(HONEST, "honest");
        }
        while (!rounds.isEmpty()) {
            nextRound();
        }
        assertThat(ran)
                .containsExactly("flood", "second", "honest", "flood", "second", "honest", "flood", "second", "honest");
    }

    @Test
    void theNewestConnectionOfANetworkIsFirst() {
        for (int i = 0; i < 4; i++) {
            take(FLOOD, "connection " + i);
        }
        while (!rounds.isEmpty()) {
            nextRound();
        }
        assertThat(ran).containsExactly("connection 0", "connection 3", "connection 2", "connection 1");
    }

    @Test
    void aStepThatFailsDoesNotEndTheTurns() {
        try {
            turns.take(PeerNetwork.of(InetAddress.getLoopbackAddress()), () -> {
                throw new IllegalStateException("a mistake");
            });
        } catch (IllegalStateException mistake) {
            ran.add(mistake.getMessage());
        }
        take(HONEST, "honest");
        nextRound();
        assertThat(ran).containsExactly("a mistake", "honest");
    }
}
