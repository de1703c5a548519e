package io.fdt.core.errand;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.control.Session;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.ClientTransfer;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.wire.ErrandMessage.Delegated;
import io.fdt.core.wire.ErrandMessage.OpenDelegation;
import io.fdt.core.wire.ErrandMessage.OpenErrand;
import io.fdt.core.wire.NamesAhead;
import io.fdt.core.wire.TransferMessage;
import io.fdt.core.wire.TransferMessage.OpenTransfer;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A copy between two servers as the client sees it that asked for it: has the receiving one lend a key, sends the sending one, and
 * follows. Two threads of its own: {@code fdt-session} follows the sending server, {@code fdt-delegation} holds the session
 * that the key ends with. Never throws what it can put into the summary.
 */
public final class ErrandCopy implements TransferJob {
    private final TransferPlan plan;
    private final Connector connector;
    private final TransferObserver observer;
    private final long startedNanos = System.nanoTime();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread thread;

    private volatile @Nullable Session source;
    private volatile @Nullable FollowedCopy followed;
    private volatile @Nullable TransferException interruption;
    private volatile @Nullable Summary summary;

    /** The ways to the two servers. */
    public interface Connector {
        /** Opens a session with the receiving server; blocks until it stands. */
        Session openTarget(OpenDelegation request) throws InterruptedException;

        /** Opens a session with the sending server; blocks until it stands. */
        Session openSource(List<TransferMessage.SourceNames> names, OpenErrand request) throws InterruptedException;

        /** What the receiving server is known by, here. */
        ServerAccess target();
    }

    /**
     * Begins at once.
     *
     * @param plan a push to the receiving server of what the sending one has
     */
    public ErrandCopy(TransferPlan plan, Connector connector, TransferObserver observer) {
        this.plan = plan;
        this.connector = connector;
        this.observer = observer;
        this.thread = new Thread(this::run, "fdt-session");
        this.thread.start();
    }

    private void run() {
        TransferException failure = null;
        Summary theirs = null;
        try {
            theirs = copy();
        } catch (InterruptedException e) {
            TransferException asked = interruption;
            failure = asked != null ? asked : new TransferException(FailureKind.INTERRUPTED, "interrupted", e);
        } catch (RuntimeException e) {
            TransferException asked = interruption;
            failure = asked != null ? asked : TransferException.of(e);
        } finally {
            FollowedCopy known = followed;
            summary = theirs != null
                    ? theirs
                    : ErrandSummary.of(
                            failure,
                            known == null ? null : progress(),
                            known == null ? List.of() : known.failedFiles(),
                            elapsedNanos(),
                            known == null ? "" : known.session());
            ended.countDown();
        }
    }

    private Summary copy() throws InterruptedException {
        OpenTransfer request = ClientTransfer.requestOf(plan);
        throwIfInterrupted();
        Session target = connector.openTarget(new OpenDelegation(request));
        try (HeldDelegation held = new HeldDelegation(target)) {
            Delegated lent = held.await(plan.timeoutMs());
            throwIfInterrupted();
            return errand(request, lent, held);
        }
    }

    private Summary errand(OpenTransfer request, Delegated lent, HeldDelegation held) throws InterruptedException {
        List<TransferMessage.SourceNames> names =
                NamesAhead.pages(plan.selection().names());
        OpenTransfer there = request.withSelection(plan.selection());
        OpenErrand errand = new OpenErrand(
                plan.selection().names() == null ? there : there.withNames(List.of()),
                plan.host(),
                plan.port(),
                // By what this side trusts, not by what the other one says of itself.
                connector.target().fingerprint().bytes(),
                lent.keyId(),
                lent.secret(),
                plan.limits().entries(),
                plan.limits().bytes());
        Session open = connector.openSource(names, errand);
        FollowedCopy copy = new FollowedCopy(open, plan.digest(), observer);
        TransferException failure = null;
        try {
            followed = copy;
            source = open;
            observer.onActivity(open.activity());
            open.attach(copy);
            throwIfInterrupted();
            held.whenLost(open::interrupt);
            open.run();
            return copy.summary(elapsedNanos());
        } catch (RuntimeException e) {
            failure = TransferException.of(e);
            throw failure;
        } finally {
            open.end(failure);
        }
    }

    private void throwIfInterrupted() {
        TransferException why = interruption;
        if (why != null) {
            throw why;
        }
    }

    private long elapsedNanos() {
        return System.nanoTime() - startedNanos;
    }

    @Override
    public Progress progress() {
        FollowedCopy known = followed;
        return known == null
                ? new Progress(0, 0, 0, 0, 0, 0, 0, 0, false, elapsedNanos())
                : known.progress(elapsedNanos());
    }

    @Override
    public void interrupt(FailureKind why, String message) {
        TransferException reason = new TransferException(why, message);
        interruption = reason;
        Session open = source;
        if (open != null) {
            open.interrupt(reason);
        } else {
            thread.interrupt();
        }
    }

    @Override
    public Summary await() throws InterruptedException {
        ended.await();
        Summary result = summary;
        if (result == null) {
            throw new IllegalStateException("a copy ended without a summary");
        }
        return result;
    }

    /** Waits for the end for at most this long; false if it has not come. */
    public boolean await(long timeoutMs) throws InterruptedException {
        return ended.await(timeoutMs, TimeUnit.MILLISECONDS);
    }
}
