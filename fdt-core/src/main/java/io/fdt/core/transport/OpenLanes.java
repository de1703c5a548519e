package io.fdt.core.transport;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** The lanes and listeners of a transport, which end with it. Thread-safe. */
public final class OpenLanes {
    /** How long lanes whose stream has ended may wait for the peer to notice it. */
    private static final long DRAIN_MS = 1_000;

    private final Set<ThreadedLane> lanes = ConcurrentHashMap.newKeySet();
    private final Set<Transport.Listener> listeners = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    public void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the transport has been closed");
        }
    }

    /** A lane that is added after the end is ended at once. */
    public <L extends ThreadedLane> L add(L lane) {
        lanes.add(lane);
        if (closed) {
            lane.abort(closedHere());
        }
        return lane;
    }

    public void remove(ThreadedLane lane) {
        lanes.remove(lane);
    }

    public boolean onLaneThread() {
        return lanes.stream().anyMatch(ThreadedLane::onOwnThread);
    }

    /** The number of lanes, started or not. */
    public int laneCount() {
        return lanes.size();
    }

    public <L extends Transport.Listener> L add(L listener) {
        listeners.add(listener);
        if (closed) {
            listener.close();
        }
        return listener;
    }

    public void remove(Transport.Listener listener) {
        listeners.remove(listener);
    }

    public void closeListeners() {
        listeners.forEach(Transport.Listener::close);
    }

    /** Closes everything, and waits up to this long until the threads have ended. */
    public void close(long timeoutMs) {
        if (closed) {
            return;
        }
        closed = true;
        long now = System.nanoTime();
        long deadline = now + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        closeListeners();
        lanes.forEach(lane -> lane.abortUnlessEnding(closedHere()));
        awaitLanes(Math.min(deadline, now + TimeUnit.MILLISECONDS.toNanos(DRAIN_MS)));
        lanes.forEach(lane -> lane.cutOff(closedHere()));
        awaitLanes(deadline);
    }

    /** The failure of what ends with its transport. */
    public static TransferException closedHere() {
        return Cause.INTERRUPTED.failure("closed at this end");
    }

    private void awaitLanes(long deadline) {
        try {
            for (ThreadedLane lane : lanes) {
                lane.awaitEnd(TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
