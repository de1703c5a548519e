package io.fdt.core.files;

import io.fdt.core.control.Client;
import io.fdt.core.control.Session;
import io.fdt.core.control.SessionHandler;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.FileOperation;
import io.fdt.core.run.Threads;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.FileMessage.Data;
import io.fdt.core.wire.FileMessage.Ended;
import io.fdt.core.wire.FileMessage.Found;
import io.fdt.core.wire.FileMessage.More;
import io.fdt.core.wire.FileMessage.OpenFiles;
import io.fdt.core.wire.FileMessage.Operate;
import io.fdt.core.wire.FileMessage.SpaceFound;
import io.fdt.core.wire.FileMessage.Stop;
import io.fdt.core.wire.SessionMessage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A session of operations at the client. Its thread, {@code fdt-session}, opens it, handles the answers, and ends all
 * operations with it. At most {@link Bounds#MAX_OPERATIONS} run at once; others wait here. Thread-safe.
 */
final class OperationsSession implements SessionHandler {
    private static final long GOODBYE_MS = 500;

    private final Map<Integer, OperationRun> running = new HashMap<>();
    private final ArrayDeque<OperationRun> waiting = new ArrayDeque<>();
    private int lastId;
    private boolean over;
    private @Nullable Session session;
    private @Nullable Thread thread;
    private volatile boolean closed;

    /** Begins the first operation, which opens the session. Call it once. */
    OperationRun begin(
            Client client, String host, int port, long timeoutMs, FileOperation operation, OperationObserver observer) {
        OperationRun first = newRun(operation, observer);
        running.put(first.id, first);
        thread = Threads.start("fdt-session", () -> work(client, host, port, timeoutMs, first));
        return first;
    }

    /** Begins a further operation; null if the session is over. */
    synchronized @Nullable OperationRun add(FileOperation operation, OperationObserver observer) {
        if (over) {
            return null;
        }
        OperationRun run = newRun(operation, observer);
        waiting.add(run);
        sendWaiting();
        return run;
    }

    private OperationRun newRun(FileOperation operation, OperationObserver observer) {
        int id = ++lastId;
        return new OperationRun(id, operation, observer, () -> stop(id));
    }

    private synchronized void sendWaiting() {
        Session open = session;
        while (open != null && running.size() < Bounds.MAX_OPERATIONS && !waiting.isEmpty()) {
            OperationRun next = waiting.remove();
            if (!next.isOver()) {
                running.put(next.id, next);
                open.send(new Operate(next.id, next.operation));
            }
        }
    }

    private synchronized void stop(int id) {
        Session open = session;
        if (open != null && running.containsKey(id)) {
            open.send(new Stop(id));
        }
    }

    private void work(Client client, String host, int port, long timeoutMs, OperationRun first) {
        TransferException failure;
        Session open = null;
        try {
            OpenFiles request = new OpenFiles(timeoutMs, new Operate(first.id, first.operation));
            open = client.open(Client.resolved(host, port), null, request, timeoutMs);
            open.attach(this);
            synchronized (this) {
                session = open;
                sendWaiting();
            }
            open.run();
            failure = Cause.INTERRUPTED.failure("closed before its end");
        } catch (InterruptedException e) {
            failure = Cause.INTERRUPTED.failure("closed before its end");
        } catch (RuntimeException | Error e) {
            failure = TransferException.of(e);
        }
        endAll(failure);
        if (open != null) {
            open.end(closed ? null : failure);
        }
    }

    private void endAll(TransferException failure) {
        List<OperationRun> left = new ArrayList<>();
        synchronized (this) {
            over = true;
            left.addAll(running.values());
            left.addAll(waiting);
            running.clear();
            waiting.clear();
        }
        left.forEach(each -> each.end(failure));
    }

    @Override
    public boolean takes(Class<? extends ControlMessage> type) {
        return type == Found.class
                || type == Data.class
                || type == SpaceFound.class
                || type == Ended.class
                || type == SessionMessage.Warning.class;
    }

    @Override
    public void onMessage(ControlMessage message) {
        if (message instanceof Found found) {
            OperationRun run = known(found.id(), message);
            if (run != null) {
                run.pass(() -> {
                    found.entries().forEach(run::take);
                    send(new More(found.id(), 1));
                });
            }
        } else if (message instanceof Data data) {
            OperationRun run = known(data.id(), message);
            if (run != null) {
                run.pass(() -> {
                    run.take(data);
                    send(new More(data.id(), 1));
                });
            }
        } else if (message instanceof SpaceFound found) {
            OperationRun run = known(found.id(), message);
            if (run != null) {
                run.take(found.space());
            }
        } else if (message instanceof Ended ended) {
            OperationRun run = known(ended.id(), message);
            synchronized (this) {
                running.remove(ended.id());
                sendWaiting();
            }
            if (run != null) {
                run.pass(() -> run.endWith(ended.failure()));
            }
        } else if (!(message instanceof SessionMessage.Warning)) {
            throw unexpected(message);
        }
    }

    /** Null for an operation that has ended here. */
    private synchronized @Nullable OperationRun known(int id, ControlMessage message) {
        if (id > lastId) {
            throw unexpected(message);
        }
        return running.get(id);
    }

    private TransferException unexpected(ControlMessage message) {
        return message instanceof SessionMessage.Failed failed
                ? failed.why().exception()
                : Cause.MALFORMED.failure("the server sent a message out of turn");
    }

    private synchronized void send(ControlMessage message) {
        Session open = session;
        if (open != null) {
            open.send(message);
        }
    }

    @Override
    public boolean isDone() {
        return closed;
    }

    @Override
    public void onLinkClosed(@Nullable TransferException cause) {
        if (!closed) {
            throw cause != null ? cause : Cause.CONNECTION_LOST.failure("the server closed the connection");
        }
    }

    /** Ends the session with everything that runs in it. */
    void close() {
        closed = true;
        Session open;
        synchronized (this) {
            open = session;
        }
        Thread running = thread;
        if (open != null) {
            open.execute(() -> {});
        } else if (running != null) {
            running.interrupt();
        }
        if (running != null) {
            Threads.join(running, GOODBYE_MS);
        }
    }
}
