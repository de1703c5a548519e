package io.fdt.core.nettest;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.stats.StreamFigures;
import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.transport.LaneProbe;
import io.fdt.core.wire.NettestMessage.LaneState;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A lane of a network test and its counters, which only the lane's thread writes and any thread reads; a reader may see
 * one counter newer than another. Subclasses implement what a suite does with the lane.
 */
public abstract class MeasuredLane implements LaneHandler {
    private static final long SAMPLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int BYTES = 0;
    private static final int CALLS = 1;
    private static final int FULL_CALLS = 2;
    private static final int DIRECT = 3;
    private static final int COUNTERS = 4;

    private final Lane lane;
    private final AtomicLongArray counters = new AtomicLongArray(COUNTERS);
    private volatile StreamFigures seen = StreamFigures.NONE;
    private @Nullable LaneProbe probe;
    private Consumer<@Nullable TransferException> onEnd = cause -> {};
    /** For the lane's thread: with blocks, the test begins when that thread is notified, not sooner. */
    private boolean begun;

    private boolean closed;
    private long sampledNanos;
    private volatile boolean stopping;
    private volatile IntConsumer pace = bytes -> {};

    protected MeasuredLane(Lane lane) {
        this.lane = lane;
    }

    public final Lane lane() {
        return lane;
    }

    /**
     * Called before the lane's thread uses it.
     *
     * @param publisher receives the connection's figures
     * @param end is notified of the lane's end, on its thread, with the cause: null if it ended in order
     */
    public final void attach(LaneProbe publisher, Consumer<@Nullable TransferException> end) {
        probe = publisher;
        onEnd = end;
    }

    /** Call it before the lane begins: accepts the bytes of each call on the lane's thread, and may wait or throw. */
    public final void keepTo(IntConsumer limit) {
        pace = limit;
    }

    /** The test begins. Thread-safe. */
    public final void begin() {
        lane.execute(() -> {
            begun = true;
            onBegin();
        });
    }

    /** Nothing more is to be sent. Thread-safe. */
    public final void stop() {
        stopping = true;
        lane.execute(this::onStop);
    }

    protected final boolean isBegun() {
        return begun;
    }

    /** On the lane's thread. */
    protected final boolean isClosed() {
        return closed;
    }

    protected final boolean isStopping() {
        return stopping;
    }

    /** On the lane's thread, which it may occupy for the whole test. */
    protected abstract void onBegin();

    /** On the lane's thread, when that is free. */
    protected void onStop() {}

    @Override
    public int wantedBytes() {
        return 1;
    }

    @Override
    public void onSendable() {}

    @Override
    public void onClosed(@Nullable TransferException cause) {
        if (probe != null) {
            probe.close();
        }
        onEnd.accept(cause);
    }

    // ---- Moving bytes, on the lane's thread.

    /** Moves bytes with calls of the lane's own thread until that is done; then the lane ends. */
    protected final void goDirectly(DirectStream stream, Consumer<DirectStream> moving) {
        counters.lazySet(DIRECT, 1);
        moving.accept(stream);
        end();
    }

    /** Samples the connection a last time, and ends the lane in order. */
    protected final void end() {
        sample();
        closeOnce();
    }

    private void closeOnce() {
        if (!closed) {
            closed = true;
            lane.close();
        }
    }

    /** Returns when the network has accepted all of it; false if the stream has ended. */
    public static boolean sendAll(DirectStream stream, long address, int lengthBytes) {
        int at = 0;
        while (at < lengthBytes) {
            int sent = stream.send(address + at, lengthBytes - at);
            if (sent == DirectStream.END) {
                return false;
            }
            at += sent;
        }
        return true;
    }

    /** The failure for a peer that does not keep to the agreement. */
    protected final TransferException misfit(String what) {
        return Cause.MALFORMED.failure(lane.peer() + " sent " + what);
    }

    protected final TransferException lost(String what) {
        return Cause.CONNECTION_LOST.failure(lane.peer() + " " + what);
    }

    // ---- Counting, on the lane's thread.

    protected final void count(long bytes) {
        countMany(1, bytes);
    }

    /** Counts this many calls, with this many bytes together, that bypassed this side's CPU. */
    protected final void countMany(long calls, long bytes) {
        add(BYTES, bytes);
        add(CALLS, calls);
        pace.accept((int) Math.min(Integer.MAX_VALUE, bytes));
    }

    /** Counts a receive call that filled its buffer. */
    protected final void countFull() {
        add(FULL_CALLS, 1);
    }

    private void add(int counter, long amount) {
        counters.lazySet(counter, counters.getPlain(counter) + amount);
    }

    /** Samples the connection once. */
    protected final void sample() {
        StreamFigures figures = lane.connection().figures();
        if (probe != null) {
            probe.look(figures);
        }
        if (figures != null) {
            seen = figures;
        }
    }

    /** Samples the connection if the last sample is a second old, or missing. */
    protected final void sampleEachSecond() {
        long now = System.nanoTime();
        if (sampledNanos == 0 || now - sampledNanos >= SAMPLE_NANOS) {
            sampledNanos = now;
            sample();
        }
    }

    /** Samples the connection now and then every second. */
    protected final void sampleRepeatedly() {
        sample();
        lane.schedule(this::sampleRepeatedly, SAMPLE_NANOS, TimeUnit.NANOSECONDS);
    }

    public final long bytes() {
        return counters.get(BYTES);
    }

    /** Thread-safe. */
    public final LaneState state() {
        StreamFigures now = seen;
        return new LaneState(
                counters.get(BYTES),
                counters.get(CALLS),
                counters.get(FULL_CALLS),
                counters.get(DIRECT) != 0,
                now.retransmits(),
                now.roundTrip().us(),
                now.windows().congestionBytes(),
                now.windows().receiverBytes(),
                now.windows().paceBytesPerSecond(),
                now.time().busyUs(),
                now.time().receiverLimitedUs(),
                now.time().bufferLimitedUs(),
                now.place());
    }
}
