package io.fdt.core.control;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.plan.CopyRequest;
import io.fdt.core.security.AccessKey;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.Secret;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.TransferMessage.OpenTransfer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The right to make one push on behalf of a client: a separate key, kept only in memory, that opens one session with
 * one request, and permits what the client's own key permits. It ends with the client's session. Thread-safe.
 */
public final class Delegation {
    private final Delegations all;
    private final IssuedKey key;
    private final AccessKey giver;
    private final CopyRequest request;
    private final long madeNanos;
    private final long unusedNanos;

    private boolean claimed;
    private boolean over;
    private @Nullable Session session;
    private @Nullable Thread thread;

    Delegation(Delegations all, IssuedKey key, AccessKey giver, CopyRequest request, long madeNanos, long unusedNanos) {
        this.all = all;
        this.key = key;
        this.giver = giver;
        this.request = request;
        this.madeNanos = madeNanos;
        this.unusedNanos = unusedNanos;
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

    /** The key of the client that delegates; if it is revoked, so is this delegation. */
    AccessKey giver() {
        return giver;
    }

    /**
     * Uses the delegation up, and returns the request to serve: that of the pushing server, with the sources that the
     * client specified, so that nothing else can be sent. It does not open a second session, whatever happens to the
     * first. Any other request revokes it.
     *
     * @throws TransferException REFUSED
     */
    synchronized OpenTransfer claim(ControlMessage asked, long nowNanos) {
        if (over || claimed) {
            throw FailureKind.REFUSED.failure("this one-time key was already used");
        }
        claimed = true;
        if (nowNanos - madeNanos > unusedNanos) {
            throw FailureKind.REFUSED.failure(
                    "this one-time key was not used within " + TimeUnit.NANOSECONDS.toSeconds(unusedNanos) + " s");
        }
        if (!(asked instanceof OpenTransfer push) || !fits(push.request())) {
            throw FailureKind.REFUSED.failure(
                    "this one-time key is valid only for the push that was requested with it");
        }
        return new OpenTransfer(push.request().withSelection(request.selection()));
    }

    /** Fewer lanes are still the same push. Pushes do not send the names of sources. */
    private boolean fits(CopyRequest push) {
        return push.lanes().count().max() <= request.lanes().count().max()
                && push.withLanes(request.lanes().count()).equals(request.forServer());
    }

    void bind(Session opened, Thread serving) {
        boolean late;
        synchronized (this) {
            session = opened;
            thread = serving;
            late = over;
        }
        if (late) {
            opened.interrupt(FailureKind.CONNECTION_LOST.failure("the client that requested this copy is gone"));
        }
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
