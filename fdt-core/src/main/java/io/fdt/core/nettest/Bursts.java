package io.fdt.core.nettest;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Which bursts the client sends, and what they took: mode after mode, size after size, each as often as its share of
 * the time allows and at least once. A burst of little is sent once before it counts. Written by the lane's thread;
 * anyone may look.
 */
final class Bursts {
    /**
     * Of the word that announces a burst: the size of its messages and their number; in the number's highest byte how
     * many messages are announced ahead, 0 where they are not.
     */
    static final int HEAD_BYTES = 8;

    static final int ANNOUNCED_SHIFT = 24;
    static final int COUNT_MASK = (1 << ANNOUNCED_SHIFT) - 1;

    /** More than this warms up by itself. */
    private static final long MOST_WARM_UP_BYTES = 64 << 20;

    private static final int BURSTS = 0;
    private static final int NANOS = 1;
    private static final int FIELDS = 2;

    private final SweepPlan plan;
    private final long pointNanos;
    private final AtomicLongArray figures;
    private volatile int point = -1;
    private int sizeBytes;
    private boolean warm;

    Bursts(SweepPlan plan) {
        this.plan = plan;
        this.pointNanos = TimeUnit.MILLISECONDS.toNanos(plan.durationMs()) / points();
        this.figures = new AtomicLongArray(points() * FIELDS);
    }

    int points() {
        return plan.modes().size() * plan.sizes().size();
    }

    /** Goes on to the next burst and writes its head; false when there is none. */
    boolean next(ByteBuffer head) {
        int now = point;
        if (now < 0 || figures.getPlain(now * FIELDS + NANOS) >= pointNanos) {
            now++;
            point = now;
            if (now == points()) {
                return false;
            }
            sizeBytes = sizeOf(now);
            warm = (long) sizeBytes * plan.messages() > MOST_WARM_UP_BYTES;
        }
        head.putInt(0, sizeBytes);
        head.putInt(4, plan.messages() | announced() << ANNOUNCED_SHIFT);
        return true;
    }

    /** Whether any message is announced. */
    boolean haveRendezvous() {
        return plan.sizes().stream().anyMatch(size -> plan.protocolOf(size) == SweepPlan.Protocol.RENDEZVOUS);
    }

    /** How many messages of this burst may be announced and not sent; 0 where none is. */
    int announced() {
        return plan.announced(sizeBytes, modeOf(point));
    }

    int messages() {
        return plan.messages();
    }

    int sizeBytes() {
        return sizeBytes;
    }

    long burstBytes() {
        return (long) sizeBytes * plan.messages();
    }

    /** The most that goes with one call. */
    int callBytes(int roomBytes) {
        return modeOf(point) == SweepPlan.Mode.BLOCKING ? sizeBytes : Math.max(1, roomBytes / sizeBytes) * sizeBytes;
    }

    /** The acknowledgement has come. */
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
        return plan.sizes().get(index % plan.sizes().size());
    }

    private SweepPlan.Mode modeOf(int index) {
        return plan.modes().get(index / plan.sizes().size());
    }

    // ---- Any thread.

    boolean isComplete() {
        return point == points();
    }

    RoundProgress progress(double t) {
        int shown = Math.max(0, Math.min(point, points() - 1));
        return new RoundProgress(
                t, shown + 1, points(), sizeOf(shown), figures.get(shown * FIELDS + BURSTS) * plan.messages(), 0);
    }

    List<SweepResult.Point> measured() {
        List<SweepResult.Point> measured = new ArrayList<>();
        for (int index = 0; index < points(); index++) {
            long bursts = figures.get(index * FIELDS + BURSTS);
            if (bursts > 0) {
                measured.add(new SweepResult.Point(
                        modeOf(index),
                        sizeOf(index),
                        bursts,
                        bursts * plan.messages(),
                        figures.get(index * FIELDS + NANOS) / 1e9));
            }
        }
        return measured;
    }
}
