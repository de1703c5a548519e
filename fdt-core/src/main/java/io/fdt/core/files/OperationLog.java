package io.fdt.core.files;

import io.fdt.core.control.ServerObserver;
import io.fdt.core.control.Session;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileOperation;
import io.fdt.core.plan.FileOperation.Action;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.ServedFile;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.verify.EntrySource;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reports each path of an operation to the server's observer, if that wants to know of it. For one thread. */
final class OperationLog {
    private final Session session;
    private final ServerObserver observer;
    private final FileOperation operation;
    private final ExportedRoots reachable;
    private final long begunNanos;

    OperationLog(Session session, ServerObserver observer, FileOperation operation, ExportedRoots reachable) {
        this.session = session;
        this.observer = observer;
        this.operation = operation;
        this.reachable = reachable;
        this.begunNanos = session.clock().nanoTime();
    }

    boolean isWanted() {
        return observer.watchesFiles() && operation.action().outcome() != null;
    }

    /** Reports each answer before it is sent. */
    EntrySource of(EntrySource entries) {
        return new LoggedEntries(entries);
    }

    /** A path in no exported directory has failed. */
    private ServedFile.Place place(RawPath path) {
        try {
            ExportedRoots.ExportedPath found = reachable.find(path);
            return new ServedFile.Place(path, found.root(), found.onHost(found.path()));
        } catch (TransferException nowhere) {
            return new ServedFile.Place(path, null, null);
        }
    }

    void add(CheckedEntry answer, long bytes) {
        if (!isWanted()) {
            return;
        }
        Action action = operation.action();
        boolean failed = answer.failure() != null;
        String digest = answer.digest().length == 0
                ? null
                : operation.hash().label() + ":" + HexFormat.of().formatHex(answer.digest());
        String movedFrom =
                action == Action.MOVE ? "from " + operation.paths().get(0).display() : null;
        ServedFile file = new ServedFile(
                place(answer.path()),
                action.changes(),
                bytes,
                ServedFile.Moved.NOTHING,
                session.clock().nanoTime() - begunNanos,
                new ServedFile.Hashes(digest, Map.of()),
                new ServedFile.Result(
                        failed ? "failed" : String.valueOf(action.outcome()), movedFrom, answer.failure()));
        observer.onFile(session.name(), session.peer(), session.keyName(), file);
    }

    private final class LoggedEntries implements EntrySource {
        private final EntrySource entries;

        LoggedEntries(EntrySource entries) {
            this.entries = entries;
        }

        @Override
        public @Nullable CheckedEntry next() throws InterruptedException {
            CheckedEntry next = entries.next();
            if (next != null) {
                FileEntry entry = next.entry();
                add(next, entry == null ? 0 : entry.dataBytes());
            }
            return next;
        }

        @Override
        public boolean isReady() {
            return entries.isReady();
        }

        @Override
        public void close() {
            entries.close();
        }
    }
}
