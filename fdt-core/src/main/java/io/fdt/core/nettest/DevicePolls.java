package io.fdt.core.nettest;

/**
 * Asking a device again and again, with a deadline, by a thread that has nothing else to do. Now and then it lets
 * others have the core: where both ends share one, the one that is waited for would never come to it. One thread.
 */
public final class DevicePolls {
    private static final int POLLS_BETWEEN_LOOKS = 256;

    private int polls;
    private long deadline;

    /** A wait begins. */
    public void begin() {
        polls = 0;
        deadline = 0;
    }

    /** Nothing was there; whether that has been so for about this long. */
    @SuppressWarnings("ThreadPriorityCheck") // To yield is what it is for; nothing relies on it.
    public boolean isOver(long whileNanos) {
        polls++;
        if (polls % POLLS_BETWEEN_LOOKS != 0) {
            Thread.onSpinWait();
            return false;
        }
        long now = System.nanoTime();
        deadline = deadline == 0 ? now + whileNanos : deadline;
        Thread.yield();
        return now - deadline > 0;
    }
}
