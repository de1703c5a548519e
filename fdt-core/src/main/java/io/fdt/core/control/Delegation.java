package io.fdt.core.control;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.security.AccessKey;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.Secret;
import io.fdt.core.stats.Summary;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.TransferMessage.OpenTransfer;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The right to make one push on behalf of a client: a separate key, kept only in memory, that opens one session with
 * one request, and permits what the client's own key permits. A push that is retried may open another session for the
 * same request after one that failed for a reason that may pass. It ends with the session that lent it. Thread-safe.
 */
public final class Delegation {
    /**
     * How long a push that is retried may have no session. The other server tries again at least every minute and a
     * half; one that is gone must not hold a session here for the whole time of its retries.
     */
    public static final long MAX_ABSENT_NANOS = TimeUnit.HOURS.toNanos(1);

    private final Delegations all;
    private final IssuedKey key;
    private final Supplier<AccessKey> giver;
    private final TransferPlan request;
    private final long madeNanos;
    private final long unusedNanos;
    private final long retryNanos;

    private boolean claimed;
    private boolean over;
    /** Whether a check found that its push, which had begun, has no session, and when the first one did. */
    private boolean absent;

    private long absentNanos;
    private @Nullable Session session;
    private @Nullable Thread thread;

    /** @param retryNanos for how long the push may be opened again; not positive for never */
    Delegation(
            Delegations all,
            IssuedKey key,
            Supplier<AccessKey> giver,
            TransferPlan request,
            long madeNanos,
            long unusedNanos,
            long retryNanos) {
        this.all = all;
        this.key = key;
        this.giver = giver;
        this.request = request;
        this.madeNanos = madeNanos;
        this.unusedNanos = unusedNanos;
        this.retryNanos = retryNanos;
    }

    public String keyId() {
        return key.key().id();
    }

    public Secret secret() {
        return key.secret();
    }

    AccessKey key() {
        return key.key();
    }

    /** The key of the client that delegates, as it is now; if it is revoked, so is this delegation. */
    AccessKey giver() {
        return giver.get();
    }

    /**
     * Uses the delegation up, and returns the request to serve: that of the pushing server, with the sources that the
     * client specified, so that nothing else can be sent. Unless the client allowed retries, it does not open a second
     * session, whatever happens to the first. Any other request revokes it.
     *
     * @throws TransferException REFUSED
     */
    synchronized OpenTransfer claim(ControlMessage asked, long nowNanos) {
        boolean again = claimed;
        if (over || (again && !mayOpenAgain(nowNanos))) {
            throw Cause.REFUSED.failure("this one-time key was already used");
        }
        claimed = true;
        if (!again && nowNanos - madeNanos > unusedNanos) {
            throw Cause.REFUSED.failure(
                    "this one-time key was not used within " + TimeUnit.NANOSECONDS.toSeconds(unusedNanos) + " s");
        }
        if (!(asked instanceof OpenTransfer push) || !fits(push.request())) {
            over = true;
            throw Cause.REFUSED.failure("this one-time key is valid only for the push that was requested with it");
        }
        Session before = session;
        if (before != null) {
            // The other server has given it up already.
            before.interrupt(Cause.CONNECTION_LOST.failure("a newer session of the same copy replaces it"));
        }
        absent = false;
        return new OpenTransfer(request.with(CopyValue.LANES, push.request().get(CopyValue.LANES)));
    }

    private boolean mayOpenAgain(long nowNanos) {
        return mayBeRetried(nowNanos) && !hasEndedForGood();
    }

    private boolean mayBeRetried(long nowNanos) {
        return retryNanos > 0 && nowNanos - madeNanos - unusedNanos <= retryNanos;
    }

    /** Whether its session has ended, and not for a reason that may pass. */
    private boolean hasEndedForGood() {
        Summary end = session == null ? null : session.activity().state().summary();
        return end != null && !Retry.mayPass(end, false);
    }

    /** Whether its push has a session. */
    public synchronized boolean isRunning() {
        Thread.State state = thread == null ? Thread.State.NEW : thread.getState();
        return state != Thread.State.NEW && state != Thread.State.TERMINATED;
    }

    /** Whether nothing will use it any more, as far as its server can tell. For a server that checks this often. */
    public synchronized boolean isFinished(long nowNanos) {
        if (over || isRunning()) {
            absent = false;
            return over;
        }
        if (!absent) {
            absent = claimed;
            absentNanos = nowNanos;
        }
        boolean wasUsed = thread != null && thread.getState() == Thread.State.TERMINATED;
        boolean mayBegin = !wasUsed && nowNanos - madeNanos <= unusedNanos;
        boolean mayReturn = claimed && mayBeRetried(nowNanos) && nowNanos - absentNanos <= MAX_ABSENT_NANOS;
        return hasEndedForGood() || !(mayBegin || mayReturn);
    }

    /** Fewer lanes are still the same push. Pushes do not send the names of sources. */
    private boolean fits(TransferPlan push) {
        return push.get(CopyValue.LANES).max() <= request.get(CopyValue.LANES).max()
                && push.with(CopyValue.LANES, request.get(CopyValue.LANES)).equals(request.forServer());
    }

    void bind(Session opened, Thread serving) {
        boolean late;
        synchronized (this) {
            session = opened;
            thread = serving;
            absent = false;
            late = over;
        }
        if (late) {
            opened.interrupt(Cause.CONNECTION_LOST.failure("the client that requested this copy is gone"));
        }
    }

    /** Whether its push has or had a session, which counts as the copy. */
    public synchronized boolean wasUsed() {
        return session != null;
    }

    synchronized boolean opened(Session other) {
        return session == other;
    }

    /** Admits no more clients, ends the session that it opened, and waits up to the timeout for its end. */
    public void end(TransferException why, long timeoutMs) throws InterruptedException {
        all.forget(this);
        Session running;
        Thread serving;
        synchronized (this) {
            over = true;
            running = session;
            serving = thread;
        }
        if (running != null && serving != null) {
            running.interrupt(why);
            serving.join(timeoutMs);
        }
    }
}
