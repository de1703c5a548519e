package io.fdt.core.control;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.plan.CopyRequest;
import io.fdt.core.security.AccessKey;
import io.fdt.core.security.Secret;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.TransferMessage.OpenTransfer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The right to make one push, which a client gives to somebody who comes in its place: a key of its own, kept in memory
 * only, that opens one session with one request, and allows what the giver's key allows. It ends with the giver's
 * session. Thread-safe.
 */
public final class Delegation {
    private final Delegations all;
    private final AccessKey key;
    private final AccessKey giver;
    private final CopyRequest request;
    private final long madeNanos;
    private final long unusedNanos;

    private boolean claimed;
    private boolean over;
    private @Nullable Session session;
    private @Nullable Thread thread;

    Delegation(Delegations all, AccessKey key, AccessKey giver, CopyRequest request, long madeNanos, long unusedNanos) {
        this.all = all;
        this.key = key;
        this.giver = giver;
        this.request = request;
        this.madeNanos = madeNanos;
        this.unusedNanos = unusedNanos;
    }

    public String keyId() {
        return key.id();
    }

    public Secret secret() {
        return key.secret();
    }

    /** What its bearer proves to hold. */
    AccessKey key() {
        return key;
    }

    /** By whose rights its bearer comes; when it is revoked, so is this. */
    AccessKey giver() {
        return giver;
    }

    /**
     * Uses it up, and returns the request to serve: the bearer's, with the sources that the giver named, so that the
     * bearer can send nothing else. It opens no second session, whatever happens to the first. Any other request
     * revokes it.
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

    /** Fewer lanes than was told are no other push. Pushes name no sources. */
    private boolean fits(CopyRequest push) {
        return push.lanes().max() <= request.lanes().max()
                && push.withLanes(request.lanes()).equals(request.forServer());
    }

    /** The session that was opened by it, and the thread that serves that. */
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

    /** Whether this is the session that was opened by it. */
    synchronized boolean opened(Session other) {
        return session == other;
    }

    /** From now on it admits no client; ends the session that it opened, and waits for that end for so long. */
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
