package io.fdt.core.nettest.load;

/**
 * When requests go, and what becomes of them. The time is passed in, so that a test can set it. Requests are numbered
 * from 0 and answered in their order. The lane's thread, but where noted.
 */
abstract class LoadPace {
    private final int txBuffers;
    private long sent;
    private long answered;
    private int mostInFlight;

    /** @param txBuffers each holds one request from when it goes until it has been answered */
    LoadPace(int txBuffers) {
        this.txBuffers = txBuffers;
    }

    /** How many requests are to go now; never more than there are free buffers. */
    abstract int toSend(long nowNanos);

    /** When the next request is due; in the past where one only waits for a buffer. */
    abstract long nextNanos();

    /** Nothing more is to go. */
    abstract boolean isOver(long nowNanos);

    /** It ends now: what would go later does not. */
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
