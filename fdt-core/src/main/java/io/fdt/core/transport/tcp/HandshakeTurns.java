package io.fdt.core.transport.tcp;

import io.fdt.core.transport.PeerNetwork;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The turns in which the TLS handshakes of a listening port proceed. A step of one costs as much as many messages of
 * open links, which are on the same loop: so one step runs in each round of the loop, of one network after the other. A
 * flood from one network delays the handshakes of another one by a step. Within a network, the newest connection is
 * first: if there are too many, its oldest ones are closed. For the control loop.
 */
final class HandshakeTurns {
    private final Consumer<Runnable> nextRound;
    /** No network without a step; the one that was served last is at the end. */
    private final Map<PeerNetwork, ArrayDeque<Runnable>> waiting = new LinkedHashMap<>();

    private boolean busy;

    /** @param nextRound runs a task after the loop has looked at all its connections */
    HandshakeTurns(Consumer<Runnable> nextRound) {
        this.nextRound = nextRound;
    }

    /** Runs a step of a connection from this network when it is its turn: at once, if no other one waits. */
    void take(PeerNetwork network, Runnable step) {
        waiting.computeIfAbsent(network, first -> new ArrayDeque<>()).push(step);
        if (!busy) {
            serve();
        }
    }

    private void serve() {
        Iterator<Map.Entry<PeerNetwork, ArrayDeque<Runnable>>> all =
                waiting.entrySet().iterator();
        busy = all.hasNext();
        if (!busy) {
            return;
        }
        Map.Entry<PeerNetwork, ArrayDeque<Runnable>> first = all.next();
        all.remove();
        Runnable step = first.getValue().pop();
        if (!first.getValue().isEmpty()) {
            waiting.put(first.getKey(), first.getValue());
        }
        nextRound.accept(this::serve);
        step.run();
    }
}
