package io.fdt.core.nettest;

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

    long polls() {
        return polls;
    }

    long messages() {
        return messages;
    }

    long fullPolls() {
        return fullPolls;
    }

    int most() {
        return most;
    }
}
