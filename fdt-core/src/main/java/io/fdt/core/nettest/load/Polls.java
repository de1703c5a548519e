package io.fdt.core.nettest.load;

import io.fdt.core.nettest.load.LoadFrame.Turn;
import io.fdt.core.nettest.load.LoadPoint.PollFigures;

/** What receive calls brought that brought anything. One thread. */
final class Polls {
    private long polls;
    private long messages;
    private long fullPolls;
    private int most;

    /**
     * A call has completed messages.
     *
     * @param completed at least one
     * @param full it filled all buffers, so that there may have been more
     */
    void onPoll(int completed, boolean full) {
        polls++;
        messages += completed;
        fullPolls += full ? 1 : 0;
        most = Math.max(most, completed);
    }

    void reset() {
        polls = 0;
        messages = 0;
        fullPolls = 0;
        most = 0;
    }

    /** All of it, with what else a turn tells. */
    Turn turn(long splits, long busyNanos, long elapsedNanos) {
        return new Turn(messages, polls, fullPolls, most, splits, busyNanos, elapsedNanos);
    }

    PollFigures figures() {
        return new PollFigures(polls, messages, fullPolls, most);
    }
}
