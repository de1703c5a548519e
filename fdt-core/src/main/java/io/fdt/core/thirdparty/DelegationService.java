package io.fdt.core.thirdparty;

import io.fdt.core.basic.Right;
import io.fdt.core.control.Delegation;
import io.fdt.core.control.Delegations;
import io.fdt.core.control.Service;
import io.fdt.core.control.Session;
import io.fdt.core.control.SessionHandler;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TransferPlan.Direction;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.Summary;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.ThirdPartyMessage;
import io.fdt.core.wire.ThirdPartyMessage.Delegated;
import io.fdt.core.wire.ThirdPartyMessage.OpenDelegation;
import org.jspecify.annotations.Nullable;

/**
 * Lets another server push on behalf of a client: creates a key for one push, and revokes it, with the session that
 * used it, when the client's own session ends. A client whose link is lost has its session's timeout to return. For a
 * detached copy, the session outlives its client and ends with the push.
 *
 * @param unusedMs after which an unused key expires
 */
public record DelegationService(ExportedRoots roots, Delegations delegations, Fingerprint identity, long unusedMs)
        implements Service {
    /** The time for the two servers to connect, from the creation of a key to its use. */
    public static final long UNUSED_MS = 60_000;

    /** The time for a push to reach a state from which it can be resumed. */
    private static final long STOP_MS = 5_000;

    @Override
    public String describe(ControlMessage open) {
        return "delegate a push to "
                + ((OpenDelegation) open).request().target().display();
    }

    @Override
    public SessionActivity.Kind kind(ControlMessage open) {
        return new SessionActivity.Kind(SessionActivity.Service.COPY, SessionActivity.Direction.IN);
    }

    @Override
    public Grant grant(ControlMessage open) {
        TransferPlan request = ((OpenDelegation) open).request();
        if (request.direction() != Direction.PUSH) {
            throw Cause.MALFORMED.failure("only a push can be delegated");
        }
        return new Grant(0, false, request.get(CopyValue.TIMEOUT_MS));
    }

    @Override
    public Summary serve(Session session, ControlMessage open) throws InterruptedException {
        OpenDelegation asked = (OpenDelegation) open;
        TransferPlan request = asked.request();
        boolean detached = asked.retryMs() != ThirdPartyMessage.ATTACHED;
        TransferException failure = null;
        Delegation given = null;
        try {
            requirePossible(session, request);
            given = delegations.give(session, request, unusedMs, asked.retryMs());
            if (detached) {
                session.outliveClient();
            }
            session.attach(new Holding(session, given, detached));
            session.announce();
            session.send(new Delegated(given.keyId(), given.secret().bytes(), identity.bytes()));
            session.run();
        } catch (RuntimeException | Error e) {
            failure = TransferException.of(e);
        } finally {
            if (given != null) {
                given.end(endOf(failure), STOP_MS);
                if (given.wasUsed()) {
                    session.activity().passOn();
                }
            }
        }
        session.end(failure);
        return Summary.of(failure, 0, 0, 0, 0, session.elapsedNanos(), session.name());
    }

    /** Tells the push the reason, and whether it is a failure. */
    private static TransferException endOf(@Nullable TransferException failure) {
        return failure == null
                ? Cause.CONNECTION_LOST.failure("the client that requested this copy is gone")
                : failure.within("the client that requested this copy is gone");
    }

    /** Refuses at once, and to the client that can change it, what would be refused later. */
    private void requirePossible(Session session, TransferPlan request) {
        if (request.target().equals(TransferPlan.DEV_NULL)) {
            return;
        }
        if (request.has(CopyValue.MIRROR)) {
            session.require(Right.DELETE);
        }
        ExportedRoots allowed = roots.within(session.reach(request.rights()));
        allowed.find(request.target());
        if (!request.dryRun()) {
            allowed.requireWritable();
        }
    }

    /** Waits until the client leaves, or until a detached push is over. */
    private static final class Holding implements SessionHandler {
        private final Session session;
        private final Delegation given;
        private final boolean detached;
        private boolean gone;

        Holding(Session session, Delegation given, boolean detached) {
            this.session = session;
            this.given = given;
            this.detached = detached;
        }

        @Override
        public void onTick() {
            if (given.isRunning()) {
                session.beUseful();
            }
            gone = gone || (detached && given.isFinished(session.clock().nanoTime()));
        }

        @Override
        public boolean takes(Class<? extends ControlMessage> type) {
            return false;
        }

        @Override
        public void onMessage(ControlMessage message) {
            throw SessionHandler.unexpected(session, message);
        }

        @Override
        public boolean isDone() {
            return gone;
        }

        @Override
        public void onLinkClosed(@Nullable TransferException cause) {
            if (detached) {
                return;
            }
            if (cause != null) {
                throw cause;
            }
            gone = true;
        }
    }
}
