package io.fdt.core.nettest.load;

import io.fdt.core.failure.Cause;
import io.fdt.core.nettest.CopyingLane;
import io.fdt.core.nettest.LaneBytes;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.nettest.load.LoadClient.Pool;
import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.Lane;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Offers one load after the other, with one pool of buffers after the other, and receives the answers. One thread does
 * both, with busy polling: a wake-up would distort every figure, and a thread that waited for an answer would be late
 * with the next request. It sleeps only if nothing is in flight and nothing is due soon.
 *
 * <p>Send buffers are a ring: answers arrive in the order of their requests, so buffers become free in that order, too.
 * Between two steps, everything in flight is answered, and a turn tells the server which buffers are next. A step
 * allocates nothing.
 */
final class LoadAskingLane extends CopyingLane {
    private static final long MAX_PROBE_MS = 1_000;
    private static final long MIN_PROBE_MS = 200;

    /** If there are too few answers to determine the capacity. */
    private static final long LONGEST_PROBE_MS = 5_000;

    /** A sleep ends about this much later than requested. */
    private static final long SLEEP_MARGIN_NANOS = TimeUnit.MICROSECONDS.toNanos(150);

    /** Short enough to notice the end of the test. */
    private static final long MAX_SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** Of all steps with all pools together, without the measurement of the capacity. */
    private final int durationMs;

    private final List<Pool> pools;
    /** Requests per second; empty for steps around the capacity of the path. */
    private final List<Integer> offered;

    private final LoadClient steps;
    private final Pool largest;
    private final int sizeBytes;
    private final LaneBytes tx;
    private final Polls polls = new Polls();
    private long idleNanos;
    private int turns;

    /** @param steps is notified of the measurements */
    LoadAskingLane(Lane lane, NettestPlan plan, List<Pool> pools, LoadClient steps) {
        // Nothing has been requested before the lane is taken over.
        super(lane, most(pools, Pool::rxBuffers) * plan.get(NettestValue.SIZE_BYTES), 0, LoadServingLane.NEED);
        this.sizeBytes = plan.get(NettestValue.SIZE_BYTES);
        this.durationMs = plan.get(NettestValue.DURATION);
        this.offered = plan.get(NettestValue.OFFERED);
        this.pools = pools;
        this.steps = steps;
        this.largest = new Pool(most(pools, Pool::rxBuffers), most(pools, Pool::txBuffers));
        this.tx = new LaneBytes(largest.txBuffers() * sizeBytes);
    }

    private static int most(List<Pool> pools, ToIntFunction<Pool> buffers) {
        return pools.stream().mapToInt(buffers).max().orElse(1);
    }

    @Override
    protected void run(DirectStream stream) {
        if (turn(stream, largest) == null) {
            return;
        }
        long probeMs = Math.max(MIN_PROBE_MS, Math.min(MAX_PROBE_MS, durationMs / 10));
        ClosedLoad probe = new ClosedLoad(
                largest.txBuffers(),
                System.nanoTime(),
                TimeUnit.MILLISECONDS.toNanos(probeMs),
                TimeUnit.MILLISECONDS.toNanos(LONGEST_PROBE_MS));
        if (!run(stream, probe, largest) || isStopping()) {
            return;
        }
        steps.onCapacity(probe.perSecond());
        List<Integer> loads = offered.isEmpty() ? OpenLoad.around(probe.perSecond()) : offered;
        long stepNanos = (long) (durationMs * 1e6 / (loads.size() * pools.size()));
        for (Pool pool : pools) {
            for (int perSecond : loads) {
                if (isStopping() || !measure(stream, pool, perSecond, stepNanos)) {
                    return;
                }
            }
        }
        if (!isStopping()) {
            steps.onComplete();
        }
    }

    /** Measures one step; false if the stream has ended. */
    private boolean measure(DirectStream stream, Pool pool, int perSecond, long stepNanos) {
        steps.onStep(pool, perSecond);
        if (turn(stream, pool) == null) {
            return false;
        }
        long start = System.nanoTime();
        OpenLoad load = new OpenLoad(pool.txBuffers(), perSecond, start, stepNanos);
        boolean there = run(stream, load, pool);
        long end = System.nanoTime();
        Polls counted = there ? turn(stream, pool) : null;
        if (counted == null) {
            return false;
        }
        if (counted.get(Polls.MESSAGES) != load.sent()) {
            throw Cause.INTEGRITY.failure(
                    lane().peer() + " counted " + counted.get(Polls.MESSAGES) + " of " + load.sent() + " requests");
        }
        double seconds = load.seconds();
        long done = load.answered();
        steps.onPoint(pool.figures()
                .with("offered_per_second", perSecond)
                .with("achieved_per_second", seconds <= 0 ? 0 : done / seconds, 1)
                .with("offered", load.offered())
                .with("done", done)
                // They never got a buffer.
                .with("never_sent", load.offered() - done)
                .with("seconds", seconds, 6)
                .with(load.finish().figures())
                .with(polls.figures(""))
                .with(counted.figures("server_"))
                .with("server_split_polls", counted.share(Polls.SPLITS), 4)
                .with("server_requests", counted.get(Polls.MESSAGES))
                .with("most_in_flight", load.mostInFlight())
                .with("tx_waits", load.waits())
                .with("tx_wait_seconds", load.waitedSeconds(), 6)
                .with("busy_local", share(end - start - idleNanos, end - start), 4)
                .with("busy_remote", share(counted.get(Polls.BUSY_NANOS), counted.get(Polls.ELAPSED_NANOS)), 4));
        return true;
    }

    private static double share(long part, long whole) {
        return whole <= 0 ? 0 : Math.max(0, Math.min(1, (double) part / whole));
    }

    /** Runs until all requests are answered; false if the stream has ended before. */
    private boolean run(DirectStream stream, LoadPace pace, Pool pool) {
        polls.reset();
        idleNanos = 0;
        int ringBytes = pool.txBuffers() * sizeBytes;
        int roomBytes = pool.rxBuffers() * sizeBytes;
        int arrivedBytes = 0;
        long filledBytes = 0;
        long goneBytes = 0;
        long now = System.nanoTime();
        while (true) {
            if (isStopping()) {
                pace.cut(now);
            }
            int requests = pace.toSend(now);
            for (int each = 0; each < requests; each++) {
                int number = (int) (filledBytes / sizeBytes);
                LoadFrame.putHead(tx.buffer(), (int) (filledBytes % ringBytes), LoadFrame.REQUEST, number);
                filledBytes += sizeBytes;
            }
            pace.onSent(requests);
            boolean moved = requests > 0;
            if (goneBytes < filledBytes) {
                int at = (int) (goneBytes % ringBytes);
                int length = (int) Math.min(filledBytes - goneBytes, ringBytes - at);
                int sent = stream.sendNow(tx.address() + at, length);
                if (sent == DirectStream.END) {
                    return false;
                }
                goneBytes += sent;
                moved |= sent > 0;
            }
            if (pace.inFlight() > 0) {
                int room = roomBytes - arrivedBytes;
                int came = stream.receiveNow(address() + arrivedBytes, room);
                if (came == DirectStream.END) {
                    return false;
                }
                if (came > 0) {
                    moved = true;
                    arrivedBytes = take(pace, arrivedBytes + came, came == room);
                }
            } else if (pace.isOver(now)) {
                return true;
            }
            long then = System.nanoTime();
            if (!moved) {
                then = rest(pace, then);
                idleNanos += then - now;
            }
            now = then;
        }
    }

    /**
     * Consumes complete answers from the received bytes; returns the number of remaining bytes, which it moves to the
     * front.
     */
    private int take(LoadPace pace, int arrivedBytes, boolean full) {
        int answers = arrivedBytes / sizeBytes;
        if (answers == 0) {
            return arrivedBytes;
        }
        if (answers > pace.inFlight()) {
            throw misfit("more answers than requests");
        }
        for (int each = 0; each < answers; each++) {
            requireAnswer(each * sizeBytes, LoadFrame.REQUEST, (int) (pace.answered() + each));
        }
        polls.onPoll(answers, full);
        pace.onAnswers(answers, System.nanoTime());
        count(2L * answers * sizeBytes);
        steps.onAnswered(pace.answered());
        int left = arrivedBytes - answers * sizeBytes;
        frame().put(0, frame(), answers * sizeBytes, left);
        return left;
    }

    /** Called when nothing could be done. */
    private static long rest(LoadPace pace, long nowNanos) {
        long free = pace.nextNanos() - nowNanos - SLEEP_MARGIN_NANOS;
        if (pace.inFlight() > 0 || free <= 0) {
            Thread.onSpinWait();
            return nowNanos;
        }
        LockSupport.parkNanos(Math.min(free, MAX_SLEEP_NANOS));
        return System.nanoTime();
    }

    /** Sends which buffers are next, and returns what the server has counted; null if the stream has ended. */
    private @Nullable Polls turn(DirectStream stream, Pool pool) {
        turns++;
        LoadFrame.putHead(tx.buffer(), 0, LoadFrame.TURN, turns);
        tx.buffer().putInt(LoadFrame.RX_BUFFERS, pool.rxBuffers()).putInt(LoadFrame.TX_BUFFERS, pool.txBuffers());
        setArrivedBytes(0);
        if (!sendAll(stream, tx.address(), sizeBytes) || !receive(stream, sizeBytes, sizeBytes)) {
            return null;
        }
        requireAnswer(0, LoadFrame.TURN, turns);
        count(2L * sizeBytes);
        return Polls.of(frame(), LoadFrame.HEAD_BYTES);
    }

    private void requireAnswer(int index, byte kind, int number) {
        if (LoadFrame.kind(frame(), index) != kind || LoadFrame.number(frame(), index) != number) {
            throw Cause.INTEGRITY.failure(lane().peer() + " answered a request out of order");
        }
    }
}
