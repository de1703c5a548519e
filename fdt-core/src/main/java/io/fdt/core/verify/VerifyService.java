package io.fdt.core.verify;

import io.fdt.core.basic.Right;
import io.fdt.core.budget.Resource;
import io.fdt.core.control.Service;
import io.fdt.core.control.Session;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.Summary;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.storage.Root;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.VerifyMessage.OpenVerify;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Reports what is below the exported roots to clients, with digests. Only reads. */
public record VerifyService(ExportedRoots roots, int cores, Function<Session, IntConsumer> pacing) implements Service {
    @Override
    public String describe(ControlMessage open) {
        return "verify " + ((OpenVerify) open).path().display();
    }

    @Override
    public SessionActivity.Kind kind(ControlMessage open) {
        return new SessionActivity.Kind(SessionActivity.Service.VERIFY, SessionActivity.Direction.OUT);
    }

    @Override
    public Grant grant(ControlMessage open) {
        return new Grant(0, false, ((OpenVerify) open).timeoutMs());
    }

    @Override
    public Summary serve(Session session, ControlMessage open) throws InterruptedException {
        session.endWithLink();
        OpenVerify request = (OpenVerify) open;
        NameQueue names = request.named() ? new NameQueue() : null;
        WarningLimit warnings = new WarningLimit(text -> session.send(new SessionMessage.Warning(text)));
        TransferException failure = null;
        TransferFigures figures = new TransferFigures();
        // The total is unknown before the walk is over.
        figures.endless = true;
        session.activity()
                .begin(new SessionActivity.Work(
                        SessionActivity.Service.VERIFY,
                        SessionActivity.Direction.OUT,
                        request.digest().label(),
                        figures,
                        () -> 0));
        int count = request.digest() == DigestKind.NONE ? 1 : Math.min(request.threads(), 2 * cores);
        session.budget().take(Resource.DIRECT_MEMORY, (long) count * HashThreads.BUFFER_BYTES);
        try (HashThreads threads = new HashThreads(request.digest(), count, session.budget(), pacing.apply(session));
                HashedEntries entries = new HashedEntries(
                        listing(session, request, names, warnings),
                        threads,
                        new RunningTotals(),
                        request.device(),
                        warnings);
                ServedEntries served = new ServedEntries(session, entries, names, warnings, figures)) {
            session.serve(served, served::begin);
        } catch (RuntimeException | Error e) {
            failure = TransferException.of(e);
            session.end(failure);
        }
        return session.summary(failure, figures.filesDone.get(), figures.bytesDone.get(), 0);
    }

    private Listing listing(Session session, OpenVerify request, @Nullable NameQueue names, Consumer<String> warnings) {
        session.require(Right.READ);
        ExportedRoots.ExportedPath place = roots.within(session.reach(Set.of(Right.READ)))
                .chargedTo(session.budget())
                .find(request.path());
        Root root = place.openRoot();
        return names == null
                ? new WalkListing(root, place.path(), warnings)
                : new NamedListing(root, place.path(), request.single(), Set.of(), names);
    }
}
