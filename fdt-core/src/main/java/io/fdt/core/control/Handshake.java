package io.fdt.core.control;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Budgets;
import io.fdt.core.budget.Resource;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.security.AccessKey;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.security.Secrets;
import io.fdt.core.security.SessionProof;
import io.fdt.core.token.Issuers;
import io.fdt.core.transport.MessageLink;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.ControlCodec;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.NamesAhead;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.TransferMessage;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A server's link from its first message to its session: authentication and the request; or from the end of a session
 * to the next request. Keys are read before the client is asked, so nothing here waits for a file. For the link's
 * thread, except {@link #begin}, {@link #goOn}, the deadlines, and the answer to a client that another process serves.
 */
final class Handshake implements MessageLink.Handler {
    /**
     * The heap of a link and its session without anything that is charged in detail: a whole message that is not
     * decoded yet, messages that wait for the session's thread, and the session's own records.
     */
    static final long LINK_BYTES = Bounds.MAX_MESSAGE_BYTES + (512 << 10);

    /** As an object, a request needs up to this many times its encoded size, because of globs. */
    private static final long REQUEST_EXPANSION = 8;

    /** A process for an account may have to be started, on a busy host. */
    private static final long PROCESS_MS = 60_000;

    /** Between the proof of the key and the request, a client may send names for this many steps. */
    private static final int NAMES_STEPS = 6;

    /** How long a client that has left its session may take to ask for another one. */
    static final long NEXT_MS = 60_000;

    /** How long a client that returns to its session waits for a home that does not respond. */
    private static final long KEYS_MS = 1_000;

    private final ControlLink link;
    private final Terms terms;
    private final byte[] nonce = Secrets.random(SessionProof.NONCE_BYTES);
    private final NamesAhead names = new NamesAhead();

    private @Nullable Admitted client;
    /** Another process will serve the client, which does not know that yet. */
    private volatile boolean leaves;
    /** The client has had a session on this link. */
    private volatile boolean goesOn;

    /** Of the client, from its proof until a session has taken it over. */
    private @Nullable Budget budget;

    private final AtomicBoolean begun = new AtomicBoolean();
    private volatile boolean keysRead;
    private volatile boolean finished;
    private volatile @Nullable ScheduledFuture<?> expiry;

    /**
     * The authenticated client.
     *
     * @param delegation if another server acts on behalf of the key's holder; null for the holder
     */
    record Admitted(AccessKey key, @Nullable Delegation delegation) {}

    interface Granter {
        /**
         * Returns the action that opens the session with this budget, which must not fail; throws REFUSED if the
         * request cannot be granted. On the link's thread.
         */
        Runnable grant(ControlLink link, ControlMessage request, Admitted client, Budget budget);
    }

    /** What decides whom a server admits. */
    record Admission(
            KeyWatch keys,
            Delegations delegations,
            Fingerprint fingerprint,
            AccountProcesses processes,
            Budgets budgets) {}

    /**
     * What all handshakes of a server share.
     *
     * @param timeoutMs for the proof of the key; the request may take some more
     */
    record Terms(
            Granter granter,
            Admission admission,
            OpenSessions sessions,
            RefusalLimit refusals,
            ScheduledExecutorService timer,
            long timeoutMs,
            String software) {}

    Handshake(ControlLink link, Terms terms) {
        this.link = link;
        this.terms = terms;
    }

    /** Returns at once. */
    void begin() {
        whenKeysAreRead(() -> {
            expectWithin(terms.timeoutMs());
            link.open(this);
            link.send(new SessionMessage.Challenge(terms.software(), nonce));
        });
    }

    /** Continues on a link whose client has left its session; returns at once. */
    void goOn(AccessKey key) {
        client = new Admitted(key, null);
        goesOn = true;
        Budget opened = terms.admission().budgets().open(key.id());
        budget = opened;
        try {
            charge(opened);
        } catch (TransferException full) {
            end();
            link.close();
            return;
        }
        whenKeysAreRead(() -> {
            expectWithin(NEXT_MS);
            link.resume(this);
        });
    }

    /** The action sets its deadline first: what it causes arrives on another thread, and then none may remain. */
    private void whenKeysAreRead(Runnable action) {
        Runnable once = () -> {
            if (begun.compareAndSet(false, true)) {
                try {
                    action.run();
                } catch (RejectedExecutionException closed) {
                    onServerClosed();
                }
            }
        };
        ScheduledFuture<?> latest;
        try {
            latest = terms.timer().schedule(once, KEYS_MS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException closed) {
            onServerClosed();
            return;
        }
        terms.admission().keys().whenRead(() -> {
            // It would keep this object until then, and a batch brings many of them.
            latest.cancel(false);
            keysRead = true;
            once.run();
        });
    }

    private void onServerClosed() {
        end();
        link.abort(Cause.UNAVAILABLE.failure("the server was closed"));
    }

    /** Messages do not extend the time. */
    private void expectWithin(long timeoutMs) {
        ScheduledFuture<?> earlier = expiry;
        if (earlier != null) {
            earlier.cancel(false);
        }
        expiry = terms.timer().schedule(this::expire, timeoutMs, TimeUnit.MILLISECONDS);
    }

    private void expire() {
        if (!finished && goesOn) {
            link.close();
        } else if (!finished) {
            terms.refusals().report(link.peer(), Failure.of(Cause.NO_ANSWER, "connected but opened no session"));
            link.abort(Cause.NO_ANSWER.failure(link.peer() + " opened no session in time"));
        }
    }

    @Override
    public void onMessage(byte[] encoded) {
        if (finished || leaves) {
            // The peer sent more before it received the answer.
            return;
        }
        try {
            Admitted admitted = client;
            Budget charged = budget;
            if (admitted == null || charged == null) {
                Class<?> type = ControlCodec.typeOf(encoded, link.peer());
                if (type != SessionMessage.Authenticate.class && type != SessionMessage.Bearer.class) {
                    throw Cause.REFUSED.failure("authenticate first");
                }
                ControlMessage first = link.decode(encoded);
                if (first instanceof SessionMessage.Bearer bearer) {
                    authenticate(bearer);
                } else {
                    authenticate((SessionMessage.Authenticate) first);
                }
            } else {
                onRequest(encoded, admitted, charged);
            }
        } catch (TransferException refused) {
            refuse(refused);
        }
    }

    private void onRequest(byte[] encoded, Admitted admitted, Budget charged) {
        long heapBytes =
                Math.max(ControlCodec.heapBytes(encoded, link.peer()), REQUEST_EXPANSION * (long) encoded.length);
        take(charged, Resource.HEAP, heapBytes);
        ControlMessage message = link.decode(encoded);
        if (message instanceof SessionMessage.Reattach reattach) {
            reattach(reattach, admitted, charged);
        } else if (message instanceof TransferMessage.SourceNames more) {
            names.add(more);
            charged.give(Resource.HEAP, heapBytes - Math.min(heapBytes, more.heapBytes()));
        } else {
            open(names.completed(message), admitted, charged);
        }
    }

    private static void charge(Budget budget) {
        take(budget, Resource.CONNECTIONS, 1);
        take(budget, Resource.HEAP, LINK_BYTES);
    }

    private static void take(Budget budget, Resource resource, long amount) {
        if (!budget.tryTake(resource, amount)) {
            // A later attempt may succeed.
            throw Budget.usedUp(resource).failure().because(Cause.UNAVAILABLE).exception();
        }
    }

    private void authenticate(SessionMessage.Authenticate message) {
        Delegation delegation = terms.admission().delegations().byId(message.keyId());
        AccessKey named = delegation != null
                ? delegation.key()
                : terms.admission().keys().known().get(message.keyId());
        byte[] lender = named != null ? null : terms.admission().processes().lender(message.keyId());
        if (lender != null) {
            // That process checks the proof.
            send(lender);
            return;
        }
        if (named == null
                || !SessionProof.verifyClient(named, terms.admission().fingerprint(), nonce, message.proof())) {
            requireKeysRead();
            throw Cause.UNKNOWN_KEY.failure("the key is unknown on the server or does not match");
        }
        AccessKey rights = delegation != null ? delegation.giver() : named;
        requireGood(rights);
        terms.admission().keys().onProven(rights.id());
        admit(rights, delegation, "");
    }

    /** While the issuer's keys are being fetched, the link is not read. */
    private void authenticate(SessionMessage.Bearer message) {
        Issuers issuers = terms.admission().keys().issuers();
        if (!issuers.decides(message.token())) {
            send(SessionMessage.Elsewhere.firstProcess());
            return;
        }
        CompletableFuture<Void> paused = new CompletableFuture<>();
        AccessKey verified = issuers.verify(message.token(), () -> {
            var unused = paused.thenRun(() -> goOnWith(message));
        });
        if (verified == null) {
            link.pause();
            boolean unused = paused.complete(null);
        } else {
            admit(verified, null, message.token());
        }
    }

    /** The keys have been fetched, or could not be. On the thread that did it, or on the link's. */
    private void goOnWith(SessionMessage.Bearer message) {
        try {
            AccessKey verified = terms.admission().keys().issuers().verify(message.token(), null);
            if (verified != null && !finished) {
                admit(verified, null, message.token());
                link.resume(this);
            }
        } catch (TransferException refused) {
            refuse(refused);
        }
    }

    /** @param token which became the rights; empty if a key did */
    private void admit(AccessKey rights, @Nullable Delegation delegation, String token) {
        client = new Admitted(rights, delegation);
        Budget opened = terms.admission().budgets().open(rights.id());
        budget = opened;
        charge(opened);
        expectWithin(NAMES_STEPS * terms.timeoutMs());
        link.admitted();
        String user = rights.permission().user();
        if (user != null && !terms.admission().processes().isOwn(user)) {
            leaves = true;
            expectWithin(PROCESS_MS);
            terms.admission().processes().find(rights, token, this::send, this::refuse);
        }
    }

    /** Any thread. */
    private void send(byte[] route) {
        end();
        link.send(new SessionMessage.Elsewhere(route));
        link.close();
    }

    private @Nullable Failure objectionTo(AccessKey admitted) {
        return terms.admission().keys().objectionTo(admitted);
    }

    private void requireGood(AccessKey admitted) {
        Failure objection = objectionTo(admitted);
        if (objection != null) {
            throw objection.exception();
        }
    }

    private void requireKeysRead() {
        if (!keysRead) {
            // A later attempt may succeed.
            throw Cause.UNAVAILABLE.advise("see its log").failure("the server cannot read its keys now");
        }
    }

    private void reattach(SessionMessage.Reattach message, Admitted admitted, Budget charged) {
        OpenSession open = terms.sessions().find(message.sessionId());
        if (open == null) {
            throw Cause.NO_SESSION.failure("the session no longer exists on the server");
        }
        Session session = open.session();
        Delegation delegation = admitted.delegation();
        if (!admitted.key().continues(open.key())
                || (delegation != null && !delegation.opened(session))
                || !SessionProof.verifyReattachment(session.secret(), session.id(), nonce, message.proof())) {
            throw Cause.NO_SESSION.failure("the session belongs to another client");
        }
        end();
        link.pause();
        session.renew(admitted.key());
        link.send(new SessionMessage.Reattached(session.channel().release()));
        session.channel().adopt(link, message.heard());
        session.budget().resume();
        // The session has paid for a link already.
        charged.close();
    }

    private void open(ControlMessage request, Admitted admitted, Budget charged) {
        if (goesOn && (!keysRead || objectionTo(admitted.key()) != null)) {
            // Without an answer: on another link the client proves its key as it is now, or learns why it cannot.
            end();
            link.close();
            return;
        }
        requireKeysRead();
        requireGood(admitted.key());
        Delegation delegation = admitted.delegation();
        ControlMessage granted = delegation == null
                ? request
                : delegation.claim(request, terms.admission().delegations().nowNanos());
        Runnable opening = terms.granter().grant(link, granted, admitted, charged);
        // It belongs to the session now.
        budget = null;
        end();
        link.pause();
        opening.run();
    }

    private void refuse(TransferException refused) {
        end();
        terms.refusals().report(link.peer(), refused.failure());
        link.send(new SessionMessage.Failed(refused.failure()));
        link.close();
    }

    /** The link may last longer, for as long as its client does not read the answer. */
    private synchronized void end() {
        finished = true;
        Budget unused = budget;
        if (unused != null) {
            link.whenClosed(unused::close);
        }
        budget = null;
        ScheduledFuture<?> pending = expiry;
        if (pending != null) {
            pending.cancel(false);
        }
    }

    @Override
    public void onClosed(@Nullable TransferException cause) {
        end();
    }
}
