package io.fdt.core.files;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Resource;
import io.fdt.core.control.Session;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileOperation;
import io.fdt.core.plan.FileOperation.Action;
import io.fdt.core.plan.RawPath;
import io.fdt.core.run.Threads;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.storage.Located;
import io.fdt.core.storage.posix.FileSystemSpace;
import io.fdt.core.storage.source.ListedTree;
import io.fdt.core.verify.EntryPage;
import io.fdt.core.verify.EntrySource;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.FileMessage.Data;
import io.fdt.core.wire.FileMessage.Ended;
import io.fdt.core.wire.FileMessage.Found;
import io.fdt.core.wire.FileMessage.SpaceFound;
import io.fdt.core.wire.VerifyMessage.OpenList;
import io.fdt.core.wire.VerifyMessage.SpaceReport;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One operation at the server, on its own thread, {@code fdt-operation-N}. It is at most
 * {@link Bounds#MAX_VERIFY_PAGES} messages ahead of its client.
 */
final class ServedOperation {
    private static final long ROOM_MS = 10_000;

    private final Session session;
    private final FilesService service;
    private final int id;
    private final FileOperation operation;
    private final Semaphore summing;
    private final ServedOperations.Moved moved;
    private final Semaphore window = new Semaphore(Bounds.MAX_VERIFY_PAGES);
    private volatile @Nullable Thread thread;

    ServedOperation(
            Session session,
            FilesService service,
            int id,
            FileOperation operation,
            Semaphore summing,
            ServedOperations.Moved moved) {
        this.session = session;
        this.service = service;
        this.id = id;
        this.operation = operation;
        this.summing = summing;
        this.moved = moved;
    }

    /**
     * Begins, or throws LIMIT.
     *
     * @param end called before the client learns of the end, which lets it begin another operation
     */
    void start(Runnable end) {
        thread = session.budget().start("fdt-operation-" + id, () -> run(end));
    }

    void stop() {
        Thread running = thread;
        if (running != null) {
            running.interrupt();
        }
    }

    void join(long timeoutMs) {
        Thread running = thread;
        if (running != null) {
            Threads.join(running, timeoutMs);
        }
    }

    /** The client has room for more; false if it cannot. */
    boolean more(int pages) {
        boolean possible = pages <= Bounds.MAX_VERIFY_PAGES - window.availablePermits();
        if (possible) {
            window.release(pages);
        }
        return possible;
    }

    private void run(Runnable end) {
        TransferException failure = null;
        try {
            work();
        } catch (InterruptedException stopped) {
            failure = stopped();
        } catch (RuntimeException | Error e) {
            failure = Thread.interrupted() ? stopped() : TransferException.of(e);
        }
        end.run();
        report(failure);
    }

    private static TransferException stopped() {
        return Cause.INTERRUPTED.failure("stopped by the client");
    }

    /** Tells the client that it is over. */
    void report(@Nullable TransferException failure) {
        session.send(new Ended(id, failure == null ? null : failure.failure()));
    }

    private void work() throws InterruptedException {
        Action action = operation.action();
        action.rights().forEach(session::require);
        ExportedRoots reachable =
                service.roots().within(session.reach(action.rights())).chargedTo(session.budget());
        if (action.changes()) {
            service.roots().requireWritable();
        }
        switch (action) {
            case SPACE -> sendSpaces(reachable);
            case SUM -> {
                summing.acquire();
                try {
                    sendEntries(reachable);
                } finally {
                    summing.release();
                }
            }
            case READ -> sendData(reachable);
            case STAT, LIST, MAKE_DIRECTORY, MOVE, REMOVE -> sendEntries(reachable);
        }
    }

    private void sendEntries(ExportedRoots reachable) throws InterruptedException {
        try (EntrySource source = open(reachable)) {
            for (boolean more = true; more; ) {
                CheckedEntry first = source.next();
                EntryPage page = session.budget().inTurn(() -> EntryPage.fill(source, first));
                more = page.more();
                if (first != null) {
                    send(page.entries());
                }
            }
        }
    }

    private void send(List<CheckedEntry> entries) throws InterruptedException {
        window.acquire();
        moved.paths()
                .addAndGet(
                        entries.stream().filter(each -> each.failure() == null).count());
        session.send(new Found(id, entries));
    }

    private void sendData(ExportedRoots reachable) throws InterruptedException {
        OperationLog log = new OperationLog(session, service.observer(), operation, reachable);
        Located.Finder finder = path -> reachable.find(path).locate();
        IntConsumer pace = service.pacing().apply(session);
        new ReadFiles(operation, finder, pace, session.budget(), new ReadFiles.Taker() {
                    @Override
                    public void onEntries(List<CheckedEntry> entries) throws InterruptedException {
                        send(entries);
                    }

                    @Override
                    public void onData(byte[] bytes) throws InterruptedException {
                        window.acquire();
                        awaitRoom(bytes.length);
                        moved.bytes().addAndGet(bytes.length);
                        session.send(new Data(id, bytes, DigestKind.XXH3_128.of(bytes)));
                    }

                    @Override
                    public void onRead(CheckedEntry entry, long readBytes) {
                        log.add(entry, readBytes);
                    }
                })
                .run();
    }

    /**
     * Waits until the session may hold data until its client has confirmed it: without room for a message, it would
     * end.
     */
    private void awaitRoom(int lengthBytes) {
        if (!session.budget().awaitRoom(Resource.HEAP, lengthBytes, ROOM_MS)) {
            throw Budget.usedUp(Resource.HEAP);
        }
        session.budget().giveBack(Resource.HEAP, lengthBytes);
    }

    private EntrySource open(ExportedRoots reachable) {
        if (operation.action() == Action.LIST) {
            RawPath path = operation.paths().get(0);
            return new ListedEntries(reachable, new OpenList(path, operation.deep(), false, 0, null));
        }
        Located.Finder finder = path -> reachable.find(path).locate();
        EntrySource entries = NamedOperation.open(
                operation, finder, service.cores(), service.pacing().apply(session), session.budget());
        OperationLog log = new OperationLog(session, service.observer(), operation, reachable);
        return log.isWanted() ? log.of(entries) : entries;
    }

    private void sendSpaces(ExportedRoots reachable) throws InterruptedException {
        List<RawPath> paths = operation.paths().isEmpty() ? reachable.paths() : operation.paths();
        for (RawPath path : paths.subList(0, Math.min(paths.size(), Bounds.MAX_SPACES))) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            try {
                FileSystemSpace space = session.budget().inTurn(() -> spaceAt(reachable, path));
                session.send(new SpaceFound(
                        id, new SpaceReport(path, space.freeBytes(), space.bytes(), space.freeFiles(), space.files())));
                moved.paths().incrementAndGet();
            } catch (TransferException failure) {
                window.acquire();
                session.send(new Found(id, List.of(CheckedEntry.unreadable(path, failure))));
            }
        }
    }

    private static FileSystemSpace spaceAt(ExportedRoots reachable, RawPath path) {
        try (Located at = reachable.find(path).locate()) {
            return ListedTree.spaceAt(at.root(), at.path());
        }
    }
}
