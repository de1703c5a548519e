package io.fdt.core.nettest.load;

/**
 * When requests are sent, and their results. The time is passed in, so that tests can control it. Requests are numbered
 * from 0 and answered in order. For the lane's thread, unless stated otherwise.
 */
abstract class LoadPace {
    private final int txBuffers;
    private long sent;
    private long answered;
    private int mostInFlight;

    /** @param txBuffers each holds one request from its sending until its answer */
    LoadPace(int txBuffers) {
        this.txBuffers = txBuffers;
    }

    /** How many requests to send now; never more than there are free buffers. */
    abstract int toSend(long nowNanos);

    /** When the next request is due; in the past if only a buffer is missing. */
    abstract long nextNanos();

    /** Whether nothing more is to be sent. */
    abstract boolean isOver(long nowNanos);

    /** Ends it now: later requests are not sent. */
    abstract void cut(long nowNanos);

    /** The request with this number has been answered. */
    abstract void onAnswer(long number, long nowNanos);

    final void onSent(int requests) {
        sent += requests;
        mostInFlight = Math.max(mostInFlight, inFlight());
    }

    final void onAnswers(int answers, long nowNanos) {
        for (int each = 0; each < answers; each++) {
            onAnswer(answered, nowNanos);
            answered++;
        }
    }

    final long sent() {
        return sent;
    }

    final long answered() {
        return answered;
    }

    final int inFlight() {
        return (int) (sent - answered);
    }

    final int freeBuffers() {
        return txBuffers - inFlight();
    }

    final int mostInFlight() {
        return mostInFlight;
    }
}
