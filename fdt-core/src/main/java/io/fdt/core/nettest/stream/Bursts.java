package io.fdt.core.nettest.stream;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.Word;
import io.fdt.core.nettest.Circumstances;
import io.fdt.core.nettest.MeasuredLane;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestPlan.Mode;
import io.fdt.core.nettest.NettestPlan.Protocol;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.nettest.Rounds;
import io.fdt.core.nettest.SuiteClient;
import io.fdt.core.transport.Lane;
import io.fdt.core.wire.NettestMessage.SideState;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * The client of a sweep, with one lane: its bursts and their durations. Mode after mode, size after size, each as often
 * as its share of the time allows and at least once. A small burst is sent once before it counts. Written by the lane's
 * thread; readable on any thread.
 */
public final class Bursts implements SuiteClient {
    /**
     * Before a burst: the size of its messages and their number; its highest byte is the number of announcements sent
     * ahead.
     */
    static final int HEAD_BYTES = 8;

    static final int ANNOUNCED_SHIFT = 24;
    static final int COUNT_MASK = (1 << ANNOUNCED_SHIFT) - 1;

    /** A larger burst needs no warm-up. */
    private static final long MAX_WARM_UP_BYTES = 64 << 20;

    /** Messages that are announced before the first of them is sent, if they need not wait for each other. */
    private static final int MAX_ANNOUNCED = 16;

    private static final int BURSTS = 0;
    private static final int NANOS = 1;
    private static final int FIELDS = 2;

    private final NettestPlan plan;
    private final List<Integer> sizes;
    private final List<Mode> modes;
    private final int messages;
    private final long pointNanos;
    private final AtomicLongArray figures;
    private volatile int point = -1;
    private int sizeBytes;
    private int announced;
    private boolean warm;

    public Bursts(NettestPlan plan) {
        this.plan = plan;
        this.sizes = plan.get(NettestValue.SIZES);
        this.modes = plan.get(NettestValue.MODES);
        this.messages = plan.get(NettestValue.MESSAGES);
        this.pointNanos = TimeUnit.MILLISECONDS.toNanos(plan.get(NettestValue.DURATION)) / points();
        this.figures = new AtomicLongArray(points() * FIELDS);
    }

    @Override
    public MeasuredLane join(int index, Lane lane) {
        return new BurstSendingLane(lane, this, plan.mostBytes());
    }

    int points() {
        return modes.size() * sizes.size();
    }

    /** Continues with the next burst and writes its head; false if there is none. */
    boolean next(ByteBuffer head) {
        int now = point;
        if (now < 0 || figures.getPlain(now * FIELDS + NANOS) >= pointNanos) {
            now++;
            point = now;
            if (now == points()) {
                return false;
            }
            sizeBytes = sizeOf(now);
            announced = SweepSuite.protocol(plan, sizeBytes) != Protocol.RENDEZVOUS
                    ? 0
                    : modeOf(now) == Mode.BLOCKING ? 1 : MAX_ANNOUNCED;
            warm = (long) sizeBytes * messages > MAX_WARM_UP_BYTES;
        }
        head.putInt(0, sizeBytes);
        head.putInt(4, messages | announced << ANNOUNCED_SHIFT);
        return true;
    }

    /** Whether any message is announced. */
    boolean haveRendezvous() {
        return sizes.stream().anyMatch(size -> SweepSuite.protocol(plan, size) == Protocol.RENDEZVOUS);
    }

    /** How many messages of this burst may be announced and not yet sent; 0 for none. */
    int announced() {
        return announced;
    }

    int messages() {
        return messages;
    }

    int sizeBytes() {
        return sizeBytes;
    }

    long burstBytes() {
        return (long) sizeBytes * messages;
    }

    boolean fitSeveralInACall() {
        return modeOf(point) == Mode.NONBLOCKING;
    }

    void onAcknowledged(long nanos) {
        if (!warm) {
            warm = true;
            return;
        }
        int at = point * FIELDS;
        figures.lazySet(at + NANOS, figures.getPlain(at + NANOS) + Math.max(1, nanos));
        figures.lazySet(at + BURSTS, figures.getPlain(at + BURSTS) + 1);
    }

    private int sizeOf(int index) {
        return sizes.get(index % sizes.size());
    }

    private Mode modeOf(int index) {
        return modes.get(index / sizes.size());
    }

    // ---- Thread-safe.

    @Override
    public boolean isComplete() {
        return point == points();
    }

    @Override
    public JsonObject onSecond(SideState local, @Nullable SideState remote) {
        int shown = Math.max(0, Math.min(point, points() - 1));
        return Rounds.progress(
                local, shown, points(), sizeOf(shown), figures.get(shown * FIELDS + BURSTS) * messages, 0);
    }

    /**
     * The progress of a test of several sizes: the completed messages of this round, out of this many, or 0 if a time
     * is given.
     */
    @Override
    public NettestResult result(Circumstances circumstances, SideState here, @Nullable SideState there) {
        List<JsonObject> measured = new ArrayList<>();
        long bytes = 0;
        for (int index = 0; index < points(); index++) {
            long bursts = figures.get(index * FIELDS + BURSTS);
            if (bursts > 0) {
                double seconds = figures.get(index * FIELDS + NANOS) / 1e9;
                int size = sizeOf(index);
                bytes += bursts * messages * size;
                measured.add(new JsonObject()
                        .with("mode", Word.of(modeOf(index)))
                        .with("protocol", Word.of(SweepSuite.protocol(plan, size)))
                        .with("size_bytes", size)
                        .with("messages", bursts * messages)
                        .with("bursts", bursts)
                        // From the first message of a burst to its acknowledgement, for all bursts.
                        .with("seconds", seconds, 9)
                        .with("bytes_per_second", (double) bursts * messages * size / seconds, 1));
            }
        }
        return new NettestResult(
                plan,
                circumstances,
                circumstances.ways().with("points", measured),
                new JsonObject().with("bytes", bytes));
    }
}
