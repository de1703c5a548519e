package io.fdt.core.transport.local;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.MessageLink;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * One end of a link within this process. Messages are handed over as they are: the sender must not change them
 * afterwards. The handlers of both ends run on one thread.
 */
public final class InnerLink implements MessageLink {
    private final String peer;
    private final Executor thread;
    private @Nullable InnerLink other;

    // Guarded by this.
    private final ArrayDeque<byte[]> arrived = new ArrayDeque<>();
    private long arrivedBytes;
    private @Nullable Handler handler;
    private boolean paused;
    /** Nothing more arrives. */
    private boolean over;

    private boolean notified;
    private @Nullable TransferException cause;

    public record Pair(InnerLink near, InnerLink far) {}

    private InnerLink(String peer, Executor thread) {
        this.peer = peer;
        this.thread = thread;
    }

    /**
     * @param peer the name of either end at the other
     * @param thread runs tasks one by one
     */
    public static Pair pair(String peer, Executor thread) {
        InnerLink near = new InnerLink(peer, thread);
        InnerLink far = new InnerLink(peer, thread);
        near.other = far;
        far.other = near;
        return new Pair(near, far);
    }

    private InnerLink other() {
        InnerLink known = other;
        if (known == null) {
            throw new IllegalStateException("this end is not one of a pair");
        }
        return known;
    }

    @Override
    public void start(Handler first) {
        synchronized (this) {
            handler = first;
        }
        deliverSoon();
    }

    @Override
    public void send(byte[] message) {
        other().arrive(message);
    }

    private void arrive(byte[] message) {
        boolean first;
        synchronized (this) {
            if (over) {
                return;
            }
            first = arrived.isEmpty();
            arrived.add(message);
            arrivedBytes += message.length;
        }
        if (first) {
            deliverSoon();
        }
    }

    @Override
    public synchronized void pause() {
        paused = true;
    }

    @Override
    public void resume() {
        synchronized (this) {
            paused = false;
        }
        deliverSoon();
    }

    @Override
    public long queuedBytes() {
        InnerLink there = other();
        synchronized (there) {
            return there.arrivedBytes;
        }
    }

    @Override
    public void close() {
        end(null, false);
        other().end(null, false);
    }

    @Override
    public void abort(TransferException why) {
        end(why, true);
        other().end(Cause.CONNECTION_LOST.failure("lost the connection to " + peer + ": " + why.getMessage()), false);
    }

    /** @param atOnce without what has arrived */
    private void end(@Nullable TransferException why, boolean atOnce) {
        synchronized (this) {
            if (atOnce) {
                arrived.clear();
                arrivedBytes = 0;
            }
            if (over) {
                return;
            }
            over = true;
            cause = why;
        }
        deliverSoon();
    }

    private void deliverSoon() {
        try {
            thread.execute(this::deliver);
        } catch (RejectedExecutionException closedAlready) {
            // Both ends have ended.
        }
    }

    private void deliver() {
        for (boolean more = true; more; ) {
            more = deliverNext();
        }
    }

    private boolean deliverNext() {
        Handler to;
        byte[] next;
        synchronized (this) {
            to = handler;
            next = paused && !over ? null : arrived.peek();
            if (to == null || notified || (next == null && !over)) {
                return false;
            }
            notified = next == null;
        }
        if (next == null) {
            to.onClosed(cause);
            return false;
        }
        try {
            to.onMessage(next);
        } catch (RuntimeException | Error failure) {
            abort(TransferException.of(failure));
        }
        synchronized (this) {
            if (!arrived.isEmpty()) {
                arrivedBytes -= arrived.remove().length;
            }
            return true;
        }
    }

    @Override
    public String peer() {
        return peer;
    }

    @Override
    public String description() {
        return "memory";
    }
}
