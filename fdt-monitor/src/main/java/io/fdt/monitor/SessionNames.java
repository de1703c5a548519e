package io.fdt.monitor;

import java.util.ArrayDeque;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;

/**
 * Short names of sessions: a letter and a number. A number is given again some time after its session has gone, because
 * every new name is a set of new series in a database. For the sampler's thread.
 */
final class SessionNames {
    /** Longer than the live page shows an ended session. */
    static final long REST_NANOS = TimeUnit.MINUTES.toNanos(20);

    private final String letter;
    private final PriorityQueue<Integer> free = new PriorityQueue<>();
    private final ArrayDeque<Resting> resting = new ArrayDeque<>();
    private int most;

    private record Resting(int number, long sinceNanos) {}

    SessionNames(String letter) {
        this.letter = letter;
    }

    /** Returns the lowest number without a session in the last minutes. */
    int take(long nowNanos) {
        while (!resting.isEmpty() && nowNanos - resting.getFirst().sinceNanos >= REST_NANOS) {
            free.add(resting.removeFirst().number);
        }
        if (free.isEmpty()) {
            most++;
            return most;
        }
        return free.remove();
    }

    /** The session of this number has gone. */
    void give(int number, long nowNanos) {
        resting.addLast(new Resting(number, nowNanos));
    }

    /** Returns how many numbers belong to a session now or did in the last minutes. */
    int inUse() {
        return most - free.size();
    }

    String name(int number) {
        return letter + number;
    }
}
