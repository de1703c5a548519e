package io.fdt.core.nettest;

import io.fdt.core.TransferException;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.transport.LaneProbe;
import io.fdt.core.transport.StreamFigures;
import io.fdt.core.wire.NettestMessage.LanePlace;
import io.fdt.core.wire.NettestMessage.LaneState;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * A lane of a network test and what it counts. The counters are written by the lane's thread alone and read by anyone,
 * who may see one newer than another. What a suite does with the lane is its subclass.
 */
abstract class MeasuredLane implements LaneHandler {
    static final long SAMPLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int BYTES = 0;
    private static final int CALLS = 1;
    private static final int FULL_CALLS = 2;
    private static final int DIRECT = 3;
    private static final int RETRANSMITS = 4;
    private static final int RTT_US = 5;
    private static final int CWND_BYTES = 6;
    private static final int WINDOW_BYTES = 7;
    private static final int PACE = 8;
    private static final int BUSY_US = 9;
    private static final int RECEIVER_LIMITED_US = 10;
    private static final int BUFFER_LIMITED_US = 11;
    /** One more than the core, so that nothing was seen as long as it is 0; likewise the next. */
    private static final int CORE = 12;

    private static final int INCOMING_CORE = 13;
    private static final int INCOMING_QUEUE = 14;
    private static final int COUNTERS = 15;

    private final Lane lane;
    private final LaneEnd end;
    private final AtomicLongArray counters = new AtomicLongArray(COUNTERS);
    private @Nullable LaneProbe probe;
    /**
     * Belongs to the lane's thread: for what comes by blocks the test begins when that thread hears of it, not sooner.
     */
    private boolean begun;

    private volatile boolean stopping;

    /** Who is told of the lane's end; on the lane's thread. */
    interface LaneEnd {
        /** The cause is null when it ended in order. */
        void onLaneEnd(@Nullable TransferException cause);
    }

    MeasuredLane(Lane lane, LaneEnd end) {
        this.lane = lane;
        this.end = end;
    }

    final Lane lane() {
        return lane;
    }

    /** Who is to be shown what is seen of the connection; before the lane's thread has anything to do with it. */
    final void publishTo(LaneProbe publisher) {
        probe = publisher;
    }

    /** It begins. Any thread. */
    final void begin() {
        lane.execute(() -> {
            begun = true;
            onBegin();
        });
    }

    /** Nothing more is to be sent. Any thread. */
    final void stop() {
        stopping = true;
        lane.execute(this::onStop);
    }

    /** On the lane's thread. */
    final boolean isBegun() {
        return begun;
    }

    final boolean isStopping() {
        return stopping;
    }

    /** On the lane's thread, which it may keep for as long as the test lasts. */
    abstract void onBegin();

    /** On the lane's thread; only once that has time for it. */
    void onStop() {}

    @Override
    public void onClosed(@Nullable TransferException cause) {
        if (probe != null) {
            probe.close();
        }
        end.onLaneEnd(cause);
    }

    // ---- Counting, on the lane's thread.

    final void count(long bytes) {
        add(BYTES, bytes);
        add(CALLS, 1);
    }

    /** So many calls, with so many bytes in all, that went past this side's processor. */
    final void countMany(long calls, long bytes) {
        add(BYTES, bytes);
        add(CALLS, calls);
    }

    /** As much was there as could be taken. */
    final void countFull() {
        add(FULL_CALLS, 1);
    }

    final void goesDirectly() {
        counters.lazySet(DIRECT, 1);
    }

    private void add(int counter, long amount) {
        counters.lazySet(counter, counters.getPlain(counter) + amount);
    }

    /** Looks at the connection once. */
    final void sample() {
        StreamFigures figures = lane.figures();
        if (probe != null) {
            probe.look(figures);
        }
        if (figures != null) {
            counters.lazySet(RETRANSMITS, figures.retransmits());
            counters.lazySet(RTT_US, figures.rttUs());
            counters.lazySet(CWND_BYTES, figures.cwndBytes());
            counters.lazySet(WINDOW_BYTES, figures.windowBytes());
            counters.lazySet(PACE, figures.paceBytesPerSecond());
            counters.lazySet(BUSY_US, figures.busyUs());
            counters.lazySet(RECEIVER_LIMITED_US, figures.receiverLimitedUs());
            counters.lazySet(BUFFER_LIMITED_US, figures.bufferLimitedUs());
            counters.lazySet(CORE, figures.core() + 1L);
            counters.lazySet(INCOMING_CORE, figures.incomingCore() + 1L);
            counters.lazySet(INCOMING_QUEUE, figures.incomingQueue());
        }
    }

    /** Looks at the connection now and every second from now on. */
    final void sampleRepeatedly() {
        sample();
        lane.schedule(this::sampleRepeatedly, SAMPLE_NANOS, TimeUnit.NANOSECONDS);
    }

    /** Any thread. */
    final long bytes() {
        return counters.get(BYTES);
    }

    /** Any thread. */
    final LaneState state() {
        return new LaneState(
                counters.get(BYTES),
                counters.get(CALLS),
                counters.get(FULL_CALLS),
                counters.get(DIRECT) != 0,
                counters.get(RETRANSMITS),
                (int) Math.max(0, Math.min(Integer.MAX_VALUE, counters.get(RTT_US))),
                counters.get(CWND_BYTES),
                counters.get(WINDOW_BYTES),
                counters.get(PACE),
                counters.get(BUSY_US),
                counters.get(RECEIVER_LIMITED_US),
                counters.get(BUFFER_LIMITED_US),
                new LanePlace((int) counters.get(CORE) - 1, (int) counters.get(INCOMING_CORE) - 1, (int)
                        counters.get(INCOMING_QUEUE)));
    }
}
