package io.fdt.core.nettest;

/**
 * Busy polling of a device, with a deadline, for a thread that has nothing else to do. It occasionally yields the core:
 * if both ends share one, the other would otherwise never run. For one thread.
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

    /** Called when nothing was found; returns whether that has lasted for about this long. */
    @SuppressWarnings("ThreadPriorityCheck") // Yielding is the purpose; nothing relies on it.
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
