package io.fdt.core.files;

import io.fdt.core.basic.Right;
import io.fdt.core.control.Service;
import io.fdt.core.control.Session;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.stats.Summary;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.posix.FileSystemSpace;
import io.fdt.core.storage.source.ListedTree;
import io.fdt.core.verify.ServedEntries;
import io.fdt.core.verify.WarningLimit;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.VerifyMessage.OpenList;
import io.fdt.core.wire.VerifyMessage.SpaceReport;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Lists the exported roots that a client's key may reach. Only reads, unless a client that may write has it remove what
 * unfinished copies left.
 */
public record ListService(ExportedRoots roots) implements Service {
    @Override
    public String describe(ControlMessage open) {
        OpenList request = (OpenList) open;
        String what = request.cleaning() == null ? "list " : "clean ";
        return what + (request.path().isEmpty() ? "the roots" : request.path().display());
    }

    @Override
    public Grant grant(ControlMessage open) {
        return new Grant(0, false, ((OpenList) open).timeoutMs());
    }

    @Override
    public Summary serve(Session session, ControlMessage open) throws InterruptedException {
        session.endWithLink();
        OpenList request = (OpenList) open;
        WarningLimit warnings = new WarningLimit(text -> session.send(new SessionMessage.Warning(text)));
        TransferException failure = null;
        TransferFigures counts = new TransferFigures();
        try {
            Right needed = request.cleaning() == null ? Right.LIST : Right.DELETE;
            ExportedRoots reachable =
                    roots.within(session.reach(Set.of(needed))).chargedTo(session.budget());
            session.require(needed);
            if (request.cleaning() != null) {
                reachable.requireWritable();
            }
            try (ListedEntries entries = new ListedEntries(reachable, request);
                    ServedEntries served = new ServedEntries(session, entries, warnings, counts)) {
                List<SpaceReport> spaces = request.space() ? spaces(reachable, request.path(), warnings) : List.of();
                session.serve(served, () -> {
                    spaces.forEach(session::send);
                    served.begin();
                });
            }
        } catch (RuntimeException | Error e) {
            failure = TransferException.of(e);
            session.end(failure);
        }
        return session.summary(failure, counts.filesDone.get(), counts.bytesDone.get(), 0);
    }

    private static List<SpaceReport> spaces(ExportedRoots roots, RawPath path, WarningLimit warnings) {
        List<RawPath> paths = path.isEmpty() ? roots.paths() : List.of(path);
        return paths.stream()
                .limit(Bounds.MAX_SPACES)
                .map(each -> space(roots, each, warnings))
                .filter(counts -> counts != null)
                .toList();
    }

    /** The path may be a broken link, or a root that no longer exists. */
    private static @Nullable SpaceReport space(ExportedRoots roots, RawPath path, WarningLimit warnings) {
        ExportedRoots.ExportedPath place = roots.find(path);
        try (Root root = place.openRoot()) {
            FileSystemSpace space = ListedTree.spaceAt(root, place.path());
            return new SpaceReport(path, space.freeBytes(), space.bytes(), space.freeFiles(), space.files());
        } catch (TransferException unknown) {
            warnings.accept("no figures about space: " + unknown.getMessage());
            return null;
        }
    }
}
