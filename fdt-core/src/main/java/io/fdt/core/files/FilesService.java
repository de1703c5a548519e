package io.fdt.core.files;

import io.fdt.core.control.ServerObserver;
import io.fdt.core.control.Service;
import io.fdt.core.control.Session;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.FileOperation;
import io.fdt.core.plan.RawPath;
import io.fdt.core.stats.Summary;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.FileMessage.OpenFiles;
import io.fdt.core.wire.FileMessage.Operate;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntConsumer;

/**
 * Operations on files below the exported roots: looking at them, summing, making, moving and removing.
 *
 * @param cores for hashing
 * @param pacing limits what is read for hashing to the rate and the bytes of the session's key
 */
public record FilesService(
        ExportedRoots roots, int cores, ServerObserver observer, Function<Session, IntConsumer> pacing)
        implements Service {
    @Override
    public String describe(ControlMessage open) {
        Operate first = ((OpenFiles) open).first();
        FileOperation operation = first == null ? null : first.operation();
        if (operation == null) {
            return "operations on files";
        }
        List<RawPath> paths = operation.paths();
        String what = operation.action().word() + " "
                + (paths.isEmpty() ? "the roots" : paths.get(0).display());
        if (operation.action() == FileOperation.Action.MOVE) {
            return what + " to " + paths.get(1).display();
        }
        return paths.size() > 1 ? what + " and " + (paths.size() - 1) + " more" : what;
    }

    @Override
    public Grant grant(ControlMessage open) {
        return new Grant(0, false, ((OpenFiles) open).timeoutMs());
    }

    @Override
    public Summary serve(Session session, ControlMessage open) throws InterruptedException {
        session.endWithLink();
        Operate first = ((OpenFiles) open).first();
        TransferException failure = null;
        ServedOperations served = new ServedOperations(session, this);
        try (served) {
            session.serve(served, () -> {
                if (first != null) {
                    served.onMessage(first);
                }
            });
        } catch (RuntimeException | Error e) {
            failure = TransferException.of(e);
            session.end(failure);
        }
        long bytes = served.moved().bytes().get();
        return session.summary(failure, served.moved().paths().get(), bytes, bytes);
    }
}
