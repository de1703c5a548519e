package io.fdt.core.transfer;

import io.fdt.core.basic.Clock;
import io.fdt.core.basic.Figures;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.transport.Lane;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the open lanes of a session, has lost ones reopened at the client, and ends a session that makes no progress.
 * Progress is what the receiver acknowledges: a durable chunk, or a settled file. Until the next acknowledgement, an
 * open lane also counts as progress, so that a slow path has time for its chunks ({@code StallWatch} checks that the
 * lane moves), but it may be lost only {@link #MAX_LIVES} times. A session that has data to move ends after the timeout
 * if all its lanes are missing or have been lost that often. For the session's thread.
 */
public final class LaneWatch {
    /** Enough to send a chunk whole twice, in pieces, and in leaves. */
    private static final int MAX_LIVES = 4;

    private static final double MEBIBYTE = 1 << 20;

    private final Clock clock;
    private final String peer;
    private final TransferFigures figures;
    private final long timeoutNanos;
    private final Map<Integer, Open> lanes = new TreeMap<>();

    /** How often each lane was lost since the last acknowledgement, by index. */
    private final Map<Integer, Integer> lost = new HashMap<>();

    private @Nullable IntConsumer reopen;
    private @Nullable IntConsumer resize;
    private @Nullable Runnable joined;
    private int wanted = Integer.MAX_VALUE;
    private @Nullable TransferException lastCause;
    private long progress;
    private long progressNanos;
    private boolean closing;

    /**
     * An open lane.
     *
     * @param key of its connection; of two lanes with the same index, the later one has the larger key
     */
    public record Open(int index, int key, Lane lane) {}

    LaneWatch(Clock clock, String peer, TransferFigures figures, long timeoutMs) {
        this.clock = clock;
        this.peer = peer;
        this.figures = figures;
        this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        this.progressNanos = clock.nanoTime();
    }

    public void whenLost(IntConsumer action) {
        reopen = action;
    }

    /** Whether lost lanes are redialled from here. */
    public boolean dials() {
        return reopen != null;
    }

    /** The peer has given up the lane with this number, of which nothing may have arrived. */
    public void giveUp(int index) {
        for (Open open : lanes.values()) {
            if (open.index == index) {
                open.lane.abort(Cause.CONNECTION_LOST.failure(peer + " has given up a lane"));
            }
        }
    }

    public void onLanesRequested(IntConsumer action) {
        resize = action;
    }

    /** Requests the lanes below this number from now on; false if this side does not dial. */
    public boolean request(int count) {
        wanted = count;
        if (resize == null) {
            return false;
        }
        resize.accept(count);
        return true;
    }

    public void whenJoined(Runnable action) {
        joined = action;
    }

    /** By key, so that of two with the same index the later one comes last. */
    public Collection<Open> open() {
        return lanes.values();
    }

    public void onJoined(int index, int key, Lane lane) {
        if (closing) {
            lane.close();
            return;
        }
        lanes.put(key, new Open(index, key, lane));
        figures.lanesAlive.set(lanes.size());
        if (joined != null) {
            joined.run();
        }
    }

    public void onClosed(int index, int key, @Nullable TransferException cause) {
        lanes.remove(key);
        figures.lanesAlive.set(lanes.size());
        if (lost.merge(index, 1, Integer::sum) <= MAX_LIVES) {
            progressNanos = clock.nanoTime();
        }
        if (cause != null) {
            lastCause = cause;
        }
        if (!closing && reopen != null) {
            if (cause != null && cause.is(Cause.HOST_LIMIT)) {
                // After reopening, it would end in the same way.
                throw cause;
            }
            if (cause == null && index < wanted) {
                figures.lanesReplaced.incrementAndGet();
            }
            reopen.accept(index);
        }
    }

    /** @param needed whether there is something to move */
    public void check(boolean needed) {
        long now = clock.nanoTime();
        long settled = figures.bytesDone.get() + figures.filesDone.get() + figures.filesFailed.get();
        if (settled != progress) {
            progress = settled;
            progressNanos = now;
            lost.clear();
        } else if (!needed || lanes.values().stream().anyMatch(lane -> lost.getOrDefault(lane.index, 0) < MAX_LIVES)) {
            progressNanos = now;
        } else if (now - progressNanos > timeoutNanos) {
            throw Cause.CONNECTION_LOST.failure(noProgress());
        }
    }

    private String noProgress() {
        int losses = lost.values().stream().mapToInt(Integer::intValue).sum();
        return Figures.text(
                "no data passed between this host and %s for %d s, after %.1f MiB; lanes lost since then: %d, %s",
                peer,
                TimeUnit.NANOSECONDS.toSeconds(timeoutNanos),
                figures.bytesMoved.get() / MEBIBYTE,
                losses,
                lastCause == null ? "no lane could be opened" : "the last one: " + lastCause.getMessage());
    }

    /** At once if there is a failure. In order otherwise; then lanes may go on to another session. */
    public void closeAll(@Nullable TransferException cause) {
        closing = true;
        for (Open open : lanes.values()) {
            if (cause == null) {
                open.lane.leave();
            } else {
                open.lane.abort(cause);
            }
        }
    }
}
