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
import io.fdt.core.stats.Summary;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.transport.MessageLink;
import io.fdt.core.transport.Transport;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.LaneHello;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Takes links and lanes from transports: proves who is there, opens sessions, and hands each to the {@link Service} that it
 * asks for, on a thread of its own. Sessions share nothing but the limits. Thread-safe.
 */
public final class Server implements Transport.Acceptor, AutoCloseable {
    private static final long TAKEOVER_MS = 5_000;
    private static final long LAST_WORD_MS = 300;
    private static final long LOOK_MS = 10;
    private static final long DESERTION_LOOK_MS = 100;

    private final Fingerprint fingerprint;
    private final KeyStore keys;
    private final Delegations delegations;
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
    private volatile int rdmaPort;
    private volatile boolean closed;

    public Server(
            Fingerprint fingerprint,
            KeyStore keys,
            List<Service> services,
            ServerLimits limits,
            ServerObserver observer,
            String software,
            Clock clock) {
        this(fingerprint, keys, new Delegations(clock), services, limits, observer, software, clock);
    }

    /** @param delegations by which clients are let in besides keys */
    public Server(
            Fingerprint fingerprint,
            KeyStore keys,
            Delegations delegations,
            List<Service> services,
            ServerLimits limits,
            ServerObserver observer,
            String software,
            Clock clock) {
        this.fingerprint = fingerprint;
        this.keys = keys;
        this.delegations = delegations;
        this.services = List.copyOf(services);
        this.limits = limits;
        this.observer = observer;
        this.software = software;
        this.clock = clock;
        this.timer = Timers.newTimer();
        this.memory = new MemoryBudget(limits.memoryBytes());
        KeyWatch watch = new KeyWatch(keys, observer);
        // A home on a file server that hangs must not hold heartbeats up.
        this.keyTimer = Timers.newTimer("fdt-keys");
        this.keyWatching = keyTimer.scheduleWithFixedDelay(
                () -> look(watch), KeyWatch.PERIOD_MS, KeyWatch.PERIOD_MS, TimeUnit.MILLISECONDS);
    }

    /** An observer that fails must not end the watch: a task that throws is never run again. */
    private void look(KeyWatch watch) {
        try {
            watch.check(sessions.values());
        } catch (RuntimeException mistake) {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, mistake);
        }
    }

    /** From now on sessions are told that their lanes may come over RDMA, at this port. */
    void offerRdma(int port) {
        rdmaPort = port;
    }

    @Override
    public void onLink(MessageLink link) {
        new Handshake(
                        new ControlLink(link),
                        new Reception(),
                        keys,
                        delegations,
                        fingerprint,
                        memory,
                        timer,
                        limits.handshakeMs())
                .begin(software);
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
        Session session = open.session();
        SessionHandler handler = session.handler();
        if (handler == null || !open.admission().admit(hello.lane(), hello.attempt(), hello.proof())) {
            throw refusal(lane.peer(), "a lane that does not belong to its session");
        }
        if (lane.isClear() && !session.clearLanes()) {
            throw refusal(lane.peer(), "a lane without TLS, which its session was not granted,");
        }
        lane.admitted();
        return handler.onLane(hello.lane(), hello.attempt(), lane);
    }

    private TransferException refusal(String peer, String what) {
        observer.onRefused(peer, what);
        return new TransferException(FailureKind.REFUSED, "refused " + what + " from " + peer);
    }

    /** Asks every session to stop in a resumable state and waits for them. False if some did not in time. */
    public boolean stop(FailureKind kind, String why, long timeoutMs) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        interruptAll(new TransferException(kind, why));
        for (OpenSession open : sessions.values()) {
            long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (leftMs > 0) {
                open.thread().join(leftMs);
            }
        }
        return sessions.isEmpty();
    }

    private void interruptAll(TransferException why) {
        sessions.values().forEach(open -> open.session().interrupt(why));
    }

    /**
     * Who runs a command again after a crash need not wait until the server has given the first session up, nor hear that a file
     * is being written by it.
     */
    private void endLostSessionsLike(Session session) throws InterruptedException {
        OpenSession mine = sessions.get(ByteBuffer.wrap(session.id()));
        for (OpenSession other : sessions.values()) {
            if (mine != null && mine.isSameAs(other)) {
                awaitWordOfItsEnd(other);
                if (other.session().isLost()) {
                    other.session()
                            .interrupt(new TransferException(
                                    FailureKind.CONNECTION_LOST, "its client has come back with a new one"));
                }
                if (other.session().isLost() || other.session().isOver()) {
                    other.thread().join(TAKEOVER_MS);
                }
            }
        }
    }

    /** The last word of a client that has gone may come behind the first one of the same client. */
    private static void awaitWordOfItsEnd(OpenSession other) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LAST_WORD_MS);
        while (other.thread().isAlive()
                && !other.session().isLost()
                && !other.session().isOver()
                && System.nanoTime() - deadline < 0) {
            other.thread().join(LOOK_MS);
        }
    }

    /**
     * From now on a session that its client has left without a word is ended soon, and not kept for the client's timeout. For a
     * server whose clients have no reason to come back; one that was only cut off has a moment to do so.
     */
    public void endDeserted() {
        try {
            var unused = timer.scheduleWithFixedDelay(
                    this::interruptDeserted, DESERTION_LOOK_MS, DESERTION_LOOK_MS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException closedAlready) {
            // So no session is left.
        }
    }

    private void interruptDeserted() {
        for (OpenSession open : sessions.values()) {
            if (open.session().isDeserted()) {
                open.session().interrupt(new TransferException(FailureKind.CONNECTION_LOST, "its client has gone"));
            }
        }
    }

    public int sessions() {
        return sessions.size();
    }

    /** No session outlives the server: without its timers one whose client is gone would wait for ever. */
    @Override
    public void close() {
        closed = true;
        interruptAll(closedHere());
        timer.shutdownNow();
        keyWatching.cancel(false);
        keyTimer.shutdownNow();
    }

    /** Where handshakes lead. */
    private final class Reception implements Handshake.Desk {
        @Override
        public @Nullable OpenSession find(byte[] sessionId) {
            return sessions.get(ByteBuffer.wrap(sessionId));
        }

        @Override
        public void onRefused(String peer, String why) {
            observer.onRefused(peer, why);
        }

        @Override
        public Runnable grant(ControlLink link, ControlMessage request, Handshake.Admitted client, long heldBytes) {
            return Server.this.grant(link, request, client, heldBytes);
        }
    }

    private Runnable grant(ControlLink link, ControlMessage request, Handshake.Admitted client, long heldBytes) {
        Service service = services.stream()
                .filter(each -> each.accepts(request))
                .findFirst()
                .orElseThrow(() -> new TransferException(FailureKind.REFUSED, "this server has no such service"));
        if (sessions.size() >= limits.sessions()) {
            throw new TransferException(
                    FailureKind.REFUSED,
                    "the server has its " + limits.sessions() + " sessions already, try again later");
        }
        Service.Grant grant = service.grant(request);
        int wanted = Math.min(grant.lanes(), limits.lanesPerSession());
        int lanes = memory.take(wanted, limits.laneBytes());
        if (lanes == 0 && wanted > 0) {
            throw MemoryBudget.exhausted();
        }
        long bytes = heldBytes + lanes * limits.laneBytes();
        return () -> open(service, link, request, client, grant, lanes, bytes);
    }

    private void open(
            Service service,
            ControlLink link,
            ControlMessage request,
            Handshake.Admitted client,
            Service.Grant grant,
            int lanes,
            long heldBytes) {
        byte[] id = Secrets.random(LaneHello.SESSION_ID_BYTES);
        Secret secret = Secret.random();
        ControlChannel channel = new ControlChannel(link, clock, timer, grant.timeoutMs(), lost -> {});
        AccessKey key = client.key();
        Session session = new Session(
                id,
                secret,
                channel,
                lanes,
                grant.clearLanes(),
                rdmaPort,
                key.permission(),
                client.capabilities(),
                clock);
        String purpose = service.describe(request);
        Thread thread = new Thread(() -> serve(service, session, request, purpose), "fdt-session-" + session.name());
        LaneAdmission admission = new LaneAdmission(secret, id, lanes);
        sessions.put(ByteBuffer.wrap(id), new OpenSession(session, thread, admission, key, purpose, heldBytes));
        Delegation delegation = client.delegation();
        if (delegation != null) {
            delegation.bind(session, thread);
        } else {
            session.admittedBy(key);
        }
        thread.start();
        if (closed) {
            session.interrupt(closedHere());
        }
    }

    private static TransferException closedHere() {
        return new TransferException(FailureKind.CONNECTION_LOST, "the server was closed");
    }

    private void serve(Service service, Session session, ControlMessage request, String purpose) {
        observer.onSessionStart(session.name(), session.peer(), purpose);
        observer.onSessionOpen(session.activity());
        try {
            endLostSessionsLike(session);
            Summary summary = service.serve(session, request);
            observer.onSessionEnd(session.name(), session.peer(), summary);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            session.end(new TransferException(FailureKind.CONNECTION_LOST, "the server was stopped", e));
        } finally {
            OpenSession ended = sessions.remove(ByteBuffer.wrap(session.id()));
            if (ended != null) {
                memory.giveBack(ended.heldBytes());
            }
            session.end(null);
        }
    }
}
