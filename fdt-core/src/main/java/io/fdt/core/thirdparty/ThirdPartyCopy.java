package io.fdt.core.thirdparty;

import io.fdt.core.control.Client;
import io.fdt.core.control.Session;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.receipt.FetchedReceipt;
import io.fdt.core.run.Resources;
import io.fdt.core.run.RunningThread;
import io.fdt.core.security.Credential;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.NamesAhead;
import io.fdt.core.wire.ThirdPartyMessage;
import io.fdt.core.wire.ThirdPartyMessage.Delegated;
import io.fdt.core.wire.ThirdPartyMessage.OpenDelegation;
import io.fdt.core.wire.ThirdPartyMessage.OpenThirdParty;
import io.fdt.core.wire.TransferMessage;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A copy between two servers at the client that requests it: has the receiving server lend a key, starts the push at
 * the sending server, and follows it. Has two threads: {@code fdt-session} follows the sending server, {@code
 * fdt-delegation} keeps the session open whose end revokes the key. Failures are put into the summary instead of
 * thrown, if possible.
 */
public final class ThirdPartyCopy extends RunningThread<Summary> implements TransferJob {
    private final TransferPlan plan;
    private final Server source;
    private final Server target;
    private final TransferObserver observer;
    private final long retryMs;

    private volatile @Nullable FollowedCopy followed;
    /** The servers' summary of the copy; used only by this thread. */
    private @Nullable Summary theirs;

    public record Server(Client client, InetSocketAddress address, Credential access) {
        private Session open(List<TransferMessage.SourceNames> names, ControlMessage message, TransferPlan request)
                throws InterruptedException {
            return client.open(address, null, names, message, request.stepMs(), request.get(CopyValue.TIMEOUT_MS));
        }
    }

    /**
     * Starts at once: a push from the sending server. The resources are closed with the copy.
     *
     * @param retryMs for how long a copy that outlives this process is retried: then this ends as soon as the copy
     *     runs, with its name in place of the session's; or {@link ThirdPartyMessage#ATTACHED}
     */
    public ThirdPartyCopy(
            TransferPlan plan,
            Server source,
            Server target,
            long retryMs,
            TransferObserver observer,
            Resources resources) {
        super("fdt-session", resources);
        this.retryMs = retryMs;
        this.plan = plan;
        this.source = source;
        this.target = target;
        this.observer = observer;
        begin();
    }

    @Override
    protected void work() throws InterruptedException {
        boolean waits = retryMs == ThirdPartyMessage.ATTACHED && !plan.dryRun();
        RawPath file = waits ? plan.find(CopyValue.RECEIPT) : null;
        // Before a server is contacted: whoever wants a receipt does not want a copy without one.
        try (@Nullable FetchedReceipt receipt = file == null ? null : new FetchedReceipt(file)) {
            copy(receipt);
        }
    }

    private void copy(@Nullable FetchedReceipt receipt) throws InterruptedException {
        TransferPlan request = NamesAhead.without(plan.request());
        List<TransferMessage.SourceNames> names = NamesAhead.pages(plan.find(CopyValue.NAMES));
        throwIfInterrupted();
        Session receiving = target.open(names, new OpenDelegation(request, retryMs), request);
        try (HeldDelegation held = new HeldDelegation(receiving)) {
            try {
                Delegated lent = held.await(request.stepMs());
                throwIfInterrupted();
                Summary end = push(names, request, lent, held, receipt);
                Failure failure = end.failure();
                if (failure != null) {
                    held.abandon(failure.exception());
                }
                theirs = end;
            } catch (RuntimeException e) {
                held.abandon(TransferException.of(e));
                throw e;
            }
        }
    }

    @Override
    protected Summary sumUp(@Nullable TransferException failure) {
        Summary reported = theirs;
        if (reported != null && failure == null) {
            return reported;
        }
        FollowedCopy known = followed;
        return Summary.of(
                failure,
                progress(),
                known == null ? List.of() : known.failedFiles(),
                "none",
                known == null ? "" : known.session());
    }

    /** Of a server with a key: what this side trusts, not what the server claims. */
    private static byte[] identity(Credential access, Delegated lent) {
        // A server with a certificate has proven its name to this side.
        return access instanceof ServerAccess key ? key.fingerprint().bytes() : lent.identity();
    }

    private Summary push(
            List<TransferMessage.SourceNames> names,
            TransferPlan request,
            Delegated lent,
            HeldDelegation held,
            @Nullable FetchedReceipt receipt)
            throws InterruptedException {
        OpenThirdParty asked = new OpenThirdParty(
                request,
                new ThirdPartyMessage.Target(
                        plan.server().host(),
                        plan.server().port(),
                        identity(target.access(), lent),
                        lent.keyId(),
                        lent.secret()),
                plan.get(CopyValue.LIMITS).entries(),
                plan.get(CopyValue.LIMITS).bytes(),
                retryMs,
                plan.find(CopyValue.RECEIPT) == null ? null : plan.hashesOfReceipt());
        boolean detached = retryMs != ThirdPartyMessage.ATTACHED;
        Session open = source.open(names, asked, request);
        FollowedCopy copy = new FollowedCopy(open, request.get(CopyValue.DIGEST), request.dryRun(), receipt, observer);
        TransferException failure = null;
        try {
            followed = copy;
            stoppedBy(open::interrupt);
            observer.onActivity(open.activity());
            if (detached) {
                copy.leaveAtStart();
            }
            open.attach(copy);
            throwIfInterrupted();
            if (!detached) {
                // A detached copy goes on without it, and may be over already.
                held.whenLost(open::interrupt);
            }
            open.run();
            Summary end = copy.isLeft() ? null : copy.summary(elapsedNanos());
            return end == null || (detached && end.failure() == null)
                    ? Summary.of(null, 0, 0, 0, 0, elapsedNanos(), open.name())
                    : end;
        } catch (RuntimeException e) {
            failure = TransferException.of(e);
            throw failure;
        } finally {
            open.end(failure);
        }
    }

    @Override
    public Progress progress() {
        FollowedCopy known = followed;
        return known == null ? Progress.NONE.after(elapsedNanos()) : known.progress(elapsedNanos());
    }
}
