package io.fdt.core.files;

import io.fdt.core.control.Session;
import io.fdt.core.control.SessionHandler;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.FileOperation;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.FileMessage.Ended;
import io.fdt.core.wire.FileMessage.More;
import io.fdt.core.wire.FileMessage.Operate;
import io.fdt.core.wire.FileMessage.Stop;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The operations of one session at the server. Each has a thread, and at most {@link Bounds#MAX_OPERATIONS} run at
 * once. On the session's thread.
 */
final class ServedOperations implements SessionHandler, AutoCloseable {
    private static final long GOODBYE_MS = 500;

    private final Session session;
    private final FilesService service;
    private final Map<Integer, ServedOperation> running = new HashMap<>();
    /** Sums use all cores and a buffer for each, so one operation computes them at a time. */
    private final Semaphore summing = new Semaphore(1);

    private final Moved moved = new Moved(new AtomicLong(), new AtomicLong());
    private int lastId;
    private boolean done;

    /**
     * What all operations did.
     *
     * @param paths that were found or changed
     * @param bytes that were read for the client
     */
    record Moved(AtomicLong paths, AtomicLong bytes) {}

    ServedOperations(Session session, FilesService service) {
        this.session = session;
        this.service = service;
    }

    Moved moved() {
        return moved;
    }

    @Override
    public boolean takes(Class<? extends ControlMessage> type) {
        return type == Operate.class || type == More.class || type == Stop.class;
    }

    @Override
    public void onMessage(ControlMessage message) {
        if (message instanceof Operate begun && begun.id() > lastId && running.size() < Bounds.MAX_OPERATIONS) {
            lastId = begun.id();
            FileOperation operation = begun.operation();
            if (operation == null) {
                session.send(new Ended(begun.id(), begun.refusal()));
            } else {
                begin(begun.id(), operation);
            }
        } else if (message instanceof More more && more.id() <= lastId) {
            ServedOperation operation = running.get(more.id());
            if (operation != null && !operation.more(more.pages())) {
                throw SessionHandler.unexpected(session, message);
            }
        } else if (message instanceof Stop stop && stop.id() <= lastId) {
            ServedOperation operation = running.get(stop.id());
            if (operation != null) {
                operation.stop();
            }
        } else {
            throw SessionHandler.unexpected(session, message);
        }
    }

    private void begin(int id, FileOperation operation) {
        ServedOperation begun = new ServedOperation(session, service, id, operation, summing, moved);
        running.put(id, begun);
        try {
            begun.start(() -> session.execute(() -> running.remove(id)));
        } catch (TransferException noRoom) {
            running.remove(id);
            begun.report(noRoom);
        }
    }

    @Override
    public boolean isDone() {
        return done;
    }

    @Override
    public void onLinkClosed(@Nullable TransferException cause) {
        if (cause != null || !running.isEmpty()) {
            throw SessionHandler.lost(session, cause, " disconnected before the end");
        }
        done = true;
    }

    @Override
    public void close() {
        List<ServedOperation> left = List.copyOf(running.values());
        left.forEach(ServedOperation::stop);
        long deadline = System.nanoTime() + GOODBYE_MS * 1_000_000;
        left.forEach(each -> each.join(Math.max(1, (deadline - System.nanoTime()) / 1_000_000)));
    }
}
