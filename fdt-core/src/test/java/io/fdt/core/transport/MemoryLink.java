package io.fdt.core.transport;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** One end of a link in memory. */
final class MemoryLink implements MessageLink {
    private final MemoryWorkers.Worker worker;
    private final String peer;
    private final AtomicLong queuedBytes = new AtomicLong();
    private final AtomicLong starts = new AtomicLong();
    private @Nullable MemoryLink remoteEnd;

    // Owned by the worker.
    private final List<Runnable> beforeStart = new ArrayList<>();
    private @Nullable Handler handler;
    private boolean closed;
    private volatile boolean paused;

    MemoryLink(MemoryWorkers.Worker worker, String peer) {
        this.worker = worker;
        this.peer = peer;
    }

    void join(MemoryLink other) {
        remoteEnd = other;
        other.remoteEnd = this;
    }

    @Override
    public void start(Handler linkHandler) {
        if (starts.getAndIncrement() > 0) {
            throw new IllegalStateException("the link has been started already");
        }
        worker.execute(() -> {
            handler = linkHandler;
            deliver();
        });
    }

    private void deliver() {
        while (handler != null && !paused && !beforeStart.isEmpty()) {
            beforeStart.remove(0).run();
        }
    }

    /** Takes effect at once only in a call of the handler, as the contract says. */
    @Override
    public void pause() {
        paused = true;
    }

    @Override
    public void resume() {
        worker.execute(() -> {
            paused = false;
            deliver();
        });
    }

    @Override
    public void send(byte[] message) {
        byte[] copy = message.clone();
        queuedBytes.addAndGet(copy.length);
        worker.execute(() -> {
            if (closed || remoteEnd == null) {
                queuedBytes.addAndGet(-copy.length);
            } else {
                remoteEnd.arrive(() -> {
                    queuedBytes.addAndGet(-copy.length);
                    onMessage(remoteEnd, copy);
                });
            }
        });
    }

    private static void onMessage(MemoryLink end, byte[] message) {
        if (end.closed || end.handler == null) {
            return;
        }
        try {
            end.handler.onMessage(message);
        } catch (RuntimeException | Error e) {
            end.abort(TransferException.of(e));
        }
    }

    /** Delivers an event from the remote end; events before the start, or while the link is paused, wait. */
    private void arrive(Runnable event) {
        worker.execute(() -> {
            beforeStart.add(event);
            deliver();
        });
    }

    @Override
    public long queuedBytes() {
        return queuedBytes.get();
    }

    @Override
    public void close() {
        worker.execute(() -> end(null, null));
    }

    @Override
    public void abort(TransferException cause) {
        worker.execute(() -> end(cause, Cause.CONNECTION_LOST.failure("reset by the far end")));
    }

    private void end(@Nullable TransferException here, @Nullable TransferException there) {
        if (closed) {
            return;
        }
        closed = true;
        MemoryLink far = remoteEnd;
        if (far != null) {
            far.arrive(() -> far.onPeerClosed(there));
        }
        if (handler != null) {
            handler.onClosed(here);
        } else {
            beforeStart.clear();
            beforeStart.add(() -> notifyClosed(here));
        }
    }

    private void onPeerClosed(@Nullable TransferException cause) {
        if (!closed) {
            closed = true;
            notifyClosed(cause);
        }
    }

    private void notifyClosed(@Nullable TransferException cause) {
        if (handler != null) {
            handler.onClosed(cause);
        }
    }

    @Override
    public String peer() {
        return peer;
    }

    @Override
    public String description() {
        return "memory, clear";
    }
}
