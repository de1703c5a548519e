package io.fdt.core.transfer;

import io.fdt.core.Clock;
import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.transport.Lane;
import java.util.Collection;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Knows which lanes of a session live, has lost ones opened again where the client is, and ends a session that makes no
 * progress. Progress is what the receiver acknowledged: a durable chunk, or a file that is done with. Until the next
 * acknowledgement an open lane counts as progress, too, so that a slow path has time for its chunks ({@code StallWatch}
 * sees to it that the lane moves), but only {@link #MAX_LIVES} times over. A session with work whose lanes have all
 * used up their lives, or are not there, is over after the timeout. Belongs to the session's thread.
 */
public final class LaneWatch {
    /** Enough for a chunk to be sent whole twice, in pieces, and in leaves. */
    private static final int MAX_LIVES = 4;

    private static final double MEBIBYTE = 1 << 20;

    private final Clock clock;
    private final String peer;
    private final TransferFigures figures;
    private final long timeoutNanos;
    /** The lanes that live, by their keys. */
    private final Map<Integer, Open> lanes = new TreeMap<>();

    /** How often each lane was lost since the last acknowledgement, by its index. */
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
     * A lane that lives.
     *
     * @param key of its connection; of two lanes with the same index the later has the larger
     */
    public record Open(int index, int key, Lane lane) {}

    LaneWatch(Clock clock, String peer, TransferFigures figures, long timeoutMs) {
        this.clock = clock;
        this.peer = peer;
        this.figures = figures;
        this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        this.progressNanos = clock.nanoTime();
    }

    /** What to do about the loss of the lane with this number. */
    public void whenLost(IntConsumer action) {
        reopen = action;
    }

    /** Whether lost lanes are dialled again from here. */
    public boolean dials() {
        return reopen != null;
    }

    /** The peer has given up the lane with this number, of which nothing may have come. */
    public void giveUp(int index) {
        for (Open open : lanes.values()) {
            if (open.index == index) {
                open.lane.abort(FailureKind.CONNECTION_LOST.failure(peer + " has given up a lane"));
            }
        }
    }

    /** What to do when another number of lanes is wanted. */
    public void whenWanted(IntConsumer action) {
        resize = action;
    }

    /** From now on the lanes below this are wanted; false where this side does not dial. */
    public boolean want(int count) {
        wanted = count;
        if (resize == null) {
            return false;
        }
        resize.accept(count);
        return true;
    }

    /** What to do when a lane has joined. */
    public void whenJoined(Runnable action) {
        joined = action;
    }

    /** By their keys, so that of two with the same index the later comes last. */
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
            if (cause != null && cause.kind() == FailureKind.HOST_LIMIT) {
                // Opened again, it would end in the same way.
                throw cause;
            }
            if (cause == null && index < wanted) {
                figures.lanesReplaced.incrementAndGet();
            }
            reopen.accept(index);
        }
    }

    /** @param needed there is something to move */
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
            throw FailureKind.CONNECTION_LOST.failure(noProgress());
        }
    }

    private String noProgress() {
        int losses = lost.values().stream().mapToInt(Integer::intValue).sum();
        return String.format(
                Locale.ROOT,
                "no data passed between this host and %s for %d s, after %.1f MiB; lanes lost since then: %d, %s",
                peer,
                TimeUnit.NANOSECONDS.toSeconds(timeoutNanos),
                figures.bytesMoved.get() / MEBIBYTE,
                losses,
                lastCause == null ? "no lane could be opened" : "the last one: " + lastCause.getMessage());
    }

    /** In order when all is well, at once otherwise. */
    public void closeAll(@Nullable TransferException cause) {
        closing = true;
        for (Open open : lanes.values()) {
            if (cause == null) {
                open.lane.close();
            } else {
                open.lane.abort(cause);
            }
        }
    }
}
