package io.fdt.core.nettest;

import io.fdt.core.nettest.Rounds.Round;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The questions of one lane, one after the other, each of the size of its round, and the times until their answers. For
 * the lane's thread, unless stated otherwise.
 */
public class Questions {
    private final Rounds rounds;
    private final Latencies latencies = new Latencies();
    /** The place of the size that is asked for; -1 before the first question. */
    volatile int round = -1;
    /** The answers of that size that count so far. */
    final AtomicLong counted = new AtomicLong();

    private int sizeBytes;
    private boolean spoilt;
    private long answers;
    private long beganNanos;
    private long firstNanos;
    private long lastNanos;

    @SuppressWarnings("this-escape") // The rounds use it when the lanes run.
    public Questions(Rounds rounds) {
        this.rounds = rounds;
        rounds.join(this);
    }

    /** Makes the next question in this memory. */
    protected void make(int ofRound, ByteBuffer request) {}

    /** Throws if the answer that has arrived is wrong; its time has been taken. */
    protected void check() {}

    /** The time of this question means nothing. */
    public final void spoil() {
        spoilt = true;
    }

    public int requestBytes() {
        return sizeBytes;
    }

    public int answerBytes() {
        return sizeBytes;
    }

    /** Continues with the next question, which is sent from this memory; false if there is none. */
    public final boolean next(long nowNanos, ByteBuffer request) {
        if (round < 0) {
            beganNanos = rounds.begin(nowNanos);
            goTo(0);
        } else if (counted.getPlain() >= rounds.least && nowNanos - beganNanos >= (round + 1) * rounds.roundNanos) {
            goTo(round + 1);
        }
        if (round == rounds.sizes.size()) {
            return false;
        }
        spoilt = false;
        make(round, request);
        return true;
    }

    private void goTo(int next) {
        synchronized (rounds) {
            if (next > 0) {
                rounds.end(round, measured());
            }
            latencies.reset();
            firstNanos = Long.MAX_VALUE;
            lastNanos = Long.MIN_VALUE;
            answers = 0;
            counted.lazySet(0);
            round = next;
        }
        sizeBytes = next < rounds.sizes.size() ? rounds.sizes.get(next) : 0;
    }

    /** The whole answer has arrived. One that is late counts even after a warm-up: it may be the only one. */
    public final void onAnswer(long askedNanos, long answeredNanos) {
        check();
        if (spoilt) {
            return;
        }
        answers++;
        boolean warm = askedNanos - beganNanos >= round * rounds.roundNanos + rounds.warmUpNanos;
        boolean late = answeredNanos - beganNanos >= (round + 1) * rounds.roundNanos;
        if (answers > rounds.warmUps && (warm || late)) {
            firstNanos = Math.min(firstNanos, askedNanos);
            lastNanos = answeredNanos;
            // After the times, for readers of those.
            latencies.record(answeredNanos - askedNanos);
            counted.lazySet(counted.getPlain() + 1);
        }
    }

    /** On any thread, while that holds the lock of the rounds. */
    final Round measured() {
        Latencies now = latencies.copy(); // before the times, which are written before
        return new Round(rounds.sizes.get(round), firstNanos, lastNanos, now);
    }
}
