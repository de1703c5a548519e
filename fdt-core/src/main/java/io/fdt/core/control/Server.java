package io.fdt.core.control;

import io.fdt.core.Clock;
import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.security.AccessKey;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.LaneAdmission;
import io.fdt.core.security.Secret;
import io.fdt.core.security.Secrets;
import io.fdt.core.security.SessionProof;
import io.fdt.core.stats.Summary;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.transport.MessageLink;
import io.fdt.core.transport.Transport;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.LaneHello;
import io.fdt.core.wire.NamesAhead;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.TransferMessage;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Takes links and lanes from transports: proves who is there, opens sessions, and hands each to the {@link Service} that it
 * asks for, on a thread of its own. Sessions share nothing but the limits. Thread-safe.
 */
public final class Server implements Transport.Acceptor, AutoCloseable {
    private static final int NONCE_BYTES = 32;
    private static final long TAKEOVER_MS = 5_000;
    private static final long NAMES_EXPANSION = 4;

    private final Fingerprint fingerprint;
    private final KeyStore keys;
    private final List<Service> services;
    private final ServerLimits limits;
    private final ServerObserver observer;
    private final String software;
    private final Clock clock;
    private final ScheduledExecutorService timer;
    private final ScheduledExecutorService keyTimer;
    private final ScheduledFuture<?> keyWatching;
    private final MemoryBudget memory;
    private final Map<ByteBuffer, OpenSession> sessions = new ConcurrentHashMap<>();

    /** A session that lanes may join, and what its client may prove to be the same by. */
    private record OpenSession(
            Session session, Thread thread, LaneAdmission admission, AccessKey key, String purpose, long heldBytes)
            implements KeyWatch.Held {

        @Override
        public void end(TransferException why) {
            session.interrupt(why);
        }

        /** Whether the other is the same client's same request, by another session. */
        boolean isSameAs(OpenSession other) {
            return !session.name().equals(other.session.name())
                    && key.equals(other.key)
                    && purpose.equals(other.purpose)
                    && hostOf(session.peer()).equals(hostOf(other.session.peer()));
        }

        private static String hostOf(String peer) {
            return peer.substring(0, Math.max(0, peer.lastIndexOf(':')));
        }
    }

    public Server(
            Fingerprint fingerprint,
            KeyStore keys,
            List<Service> services,
            ServerLimits limits,
            ServerObserver observer,
            String software,
            Clock clock) {
        this.fingerprint = fingerprint;
        this.keys = keys;
        this.services = List.copyOf(services);
        this.limits = limits;
        this.observer = observer;
        this.software = software;
        this.clock = clock;
        this.timer = Timers.newTimer();
        this.memory = new MemoryBudget(limits.memoryBytes());
        KeyWatch watch = new KeyWatch(keys, observer::onWarning);
        // A home on a file server that hangs must not hold heartbeats up.
        this.keyTimer = Timers.newTimer("fdt-keys");
        this.keyWatching = keyTimer.scheduleWithFixedDelay(
                () -> watch.check(sessions.values()), KeyWatch.PERIOD_MS, KeyWatch.PERIOD_MS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void onLink(MessageLink link) {
        new Handshake(new ControlLink(link), Secrets.random(NONCE_BYTES)).begin();
    }

    @Override
    public void onLane(Lane lane) {
        new LaneGate(lane, this::admit).open(limits.handshakeMs());
    }

    @Override
    public void onGarbage(String peer, String what) {
        observer.onRefused(peer, what);
    }

    /** A lane is admitted once for each (lane, attempt) of a live session whose secret its peer knows. */
    private LaneHandler admit(LaneHello hello, Lane lane) {
        OpenSession open = sessions.get(ByteBuffer.wrap(hello.sessionId()));
        if (open == null) {
            throw refusal(lane.peer(), "a lane for a session that is not open");
        }
        Session session = open.session;
        SessionHandler handler = session.handler();
        if (handler == null || !open.admission.admit(hello.lane(), hello.attempt(), hello.proof())) {
            throw refusal(lane.peer(), "a lane that does not belong to its session");
        }
        if (lane.isClear() && !session.clearLanes()) {
            throw refusal(lane.peer(), "a lane without TLS, which its session was not granted,");
        }
        lane.admitted();
        return handler.onLane(hello.lane(), hello.attempt(), lane);
    }

    private static TransferException busy() {
        return new TransferException(
                FailureKind.REFUSED, "the server's memory is taken by other clients (--max-memory): try again later");
    }

    private TransferException refusal(String peer, String what) {
        observer.onRefused(peer, what);
        return new TransferException(FailureKind.REFUSED, "refused " + what + " from " + peer);
    }

    /** Asks every session to stop in a resumable state and waits for them. False if some did not in time. */
    public boolean stop(FailureKind kind, String why, long timeoutMs) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        for (OpenSession open : sessions.values()) {
            open.session.interrupt(new TransferException(kind, why));
        }
        for (OpenSession open : sessions.values()) {
            long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (leftMs > 0) {
                open.thread.join(leftMs);
            }
        }
        return sessions.isEmpty();
    }

    /** Who runs a command again after a crash need not wait until the server has given the first session up. */
    private void endLostSessionsLike(Session session) throws InterruptedException {
        OpenSession mine = sessions.get(ByteBuffer.wrap(session.id()));
        for (OpenSession other : sessions.values()) {
            if (mine != null && mine.isSameAs(other) && other.session.isLost()) {
                other.session.interrupt(
                        new TransferException(FailureKind.CONNECTION_LOST, "its client has come back with a new one"));
                other.thread.join(TAKEOVER_MS);
            }
        }
    }

    public int sessions() {
        return sessions.size();
    }

    @Override
    public void close() {
        timer.shutdownNow();
        keyWatching.cancel(false);
        keyTimer.shutdownNow();
    }

    /** A link from its first message to its session. Belongs to the link's thread. */
    private final class Handshake implements ControlLink.Handler {
        private final ControlLink link;
        private final byte[] nonce;
        private @Nullable AccessKey key;
        private long namesBytes;
        private volatile boolean finished;
        private final NamesAhead names = new NamesAhead();
        private volatile @Nullable ScheduledFuture<?> expiry;

        Handshake(ControlLink link, byte[] nonce) {
            this.link = link;
            this.nonce = nonce;
        }

        void begin() {
            link.open(this);
            link.send(new SessionMessage.Challenge(software, nonce));
            expectMore();
        }

        private void expectMore() {
            ScheduledFuture<?> earlier = expiry;
            if (earlier != null) {
                earlier.cancel(false);
            }
            expiry = timer.schedule(this::expire, limits.handshakeMs(), TimeUnit.MILLISECONDS);
        }

        private void expire() {
            if (!finished) {
                observer.onRefused(link.peer(), "connected and opened no session");
                link.abort(new TransferException(FailureKind.REFUSED, link.peer() + " opened no session in time"));
            }
        }

        @Override
        public void onMessage(ControlMessage message, int lengthBytes) {
            try {
                AccessKey admitted = key;
                if (admitted == null && message instanceof SessionMessage.Authenticate authenticate) {
                    authenticate(authenticate);
                } else if (admitted != null && message instanceof SessionMessage.Reattach reattach) {
                    reattach(reattach, admitted);
                } else if (admitted != null && message instanceof TransferMessage.SourceNames more) {
                    holdNames(lengthBytes);
                    names.add(more);
                    expectMore();
                } else if (admitted != null) {
                    open(names.completed(message), admitted);
                } else {
                    throw new TransferException(FailureKind.REFUSED, "authenticate first");
                }
            } catch (TransferException refused) {
                refuse(refused);
            }
        }

        private void authenticate(SessionMessage.Authenticate message) {
            AccessKey named = keys.byId(message.keyId());
            if (named == null || !SessionProof.verifyClient(named, fingerprint, nonce, message.proof())) {
                throw new TransferException(FailureKind.REFUSED, "the key is unknown here or does not fit");
            }
            requireGood(named);
            key = named;
            link.admitted();
        }

        private void requireGood(AccessKey admitted) {
            String objection = keys.objectionTo(admitted);
            if (objection != null) {
                throw new TransferException(FailureKind.REFUSED, objection);
            }
        }

        private void holdNames(int lengthBytes) {
            // As objects they take a few times what they took on the wire.
            long bytes = NAMES_EXPANSION * lengthBytes;
            if (memory.take(1, bytes) == 0) {
                throw busy();
            }
            namesBytes += bytes;
        }

        private void reattach(SessionMessage.Reattach message, AccessKey admittedKey) {
            OpenSession open = sessions.get(ByteBuffer.wrap(message.sessionId()));
            if (open == null) {
                throw new TransferException(FailureKind.REFUSED, "the session is not open here any more");
            }
            Session session = open.session;
            if (!open.key.equals(admittedKey)
                    || !SessionProof.verifyReattachment(session.secret(), session.id(), nonce, message.proof())) {
                throw new TransferException(FailureKind.REFUSED, "the session is another client's");
            }
            settle();
            link.pause();
            link.send(new SessionMessage.Reattached(session.channel().release()));
            session.channel().adopt(link, message.heard());
        }

        private void open(ControlMessage message, AccessKey admittedKey) {
            requireGood(admittedKey);
            Service service = services.stream()
                    .filter(each -> each.accepts(message))
                    .findFirst()
                    .orElseThrow(() -> new TransferException(FailureKind.REFUSED, "this server has no such service"));
            if (sessions.size() >= limits.sessions()) {
                throw new TransferException(
                        FailureKind.REFUSED,
                        "the server has its " + limits.sessions() + " sessions already, try again later");
            }
            Service.Grant grant = service.grant(message);
            int wanted = Math.min(grant.lanes(), limits.lanesPerSession());
            int lanes = memory.take(wanted, limits.laneBytes());
            if (lanes == 0 && wanted > 0) {
                throw busy();
            }
            long heldBytes = lanes * limits.laneBytes() + namesBytes;
            namesBytes = 0;
            settle();
            link.pause();
            startSession(service, message, grant, lanes, admittedKey, heldBytes);
        }

        private void startSession(
                Service service,
                ControlMessage message,
                Service.Grant grant,
                int lanes,
                AccessKey admittedKey,
                long heldBytes) {
            byte[] id = Secrets.random(LaneHello.SESSION_ID_BYTES);
            Secret secret = Secret.random();
            ControlChannel channel = new ControlChannel(link, clock, timer, grant.timeoutMs(), lost -> {});
            Session session =
                    new Session(id, secret, channel, lanes, grant.clearLanes(), admittedKey.permission(), clock);
            Thread thread = new Thread(() -> serve(service, session, message), "fdt-session-" + session.name());
            LaneAdmission admission = new LaneAdmission(secret, id, lanes);
            String purpose = service.describe(message);
            sessions.put(
                    ByteBuffer.wrap(id), new OpenSession(session, thread, admission, admittedKey, purpose, heldBytes));
            thread.start();
        }

        private void serve(Service service, Session session, ControlMessage message) {
            observer.onSessionStart(session.name(), session.peer(), service.describe(message));
            try {
                endLostSessionsLike(session);
                Summary summary = service.serve(session, message);
                observer.onSessionEnd(session.name(), session.peer(), summary);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                session.end(new TransferException(FailureKind.CONNECTION_LOST, "the server was stopped", e));
            } finally {
                OpenSession ended = sessions.remove(ByteBuffer.wrap(session.id()));
                if (ended != null) {
                    memory.giveBack(ended.heldBytes);
                }
                session.end(null);
            }
        }

        private void refuse(TransferException refused) {
            settle();
            observer.onRefused(link.peer(), String.valueOf(refused.getMessage()));
            link.send(new SessionMessage.Failed(refused.kind().exitCode(), String.valueOf(refused.getMessage())));
            link.close();
        }

        private void settle() {
            finished = true;
            memory.giveBack(namesBytes);
            namesBytes = 0;
            ScheduledFuture<?> pending = expiry;
            if (pending != null) {
                pending.cancel(false);
            }
        }

        @Override
        public void onClosed(@Nullable TransferException cause) {
            settle();
        }
    }
}
