package io.fdt.core.control;

import io.fdt.core.basic.Clock;
import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Budgets;
import io.fdt.core.budget.Resource;
import io.fdt.core.budget.ServerTotals;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.Printable;
import io.fdt.core.run.Threads;
import io.fdt.core.security.AccessKey;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.LaneAdmission;
import io.fdt.core.security.Secret;
import io.fdt.core.security.Secrets;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.Summary;
import io.fdt.core.token.Issuers;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.MessageLink;
import io.fdt.core.transport.Transport;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.LaneHello;
import io.fdt.core.wire.SessionMessage;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Accepts links and lanes from transports: authenticates clients, opens sessions, and passes each to the requested
 * {@link Service}, on its own thread. Sessions share only the limits. Thread-safe.
 */
public final class Server implements Transport.Acceptor, AutoCloseable {
    /** A socket, and the descriptors that its thread waits with. */
    private static final long LANE_DESCRIPTORS = 4;

    private static final long ROOM_MS = 10_000;
    private static final long DESERTION_LOOK_MS = 100;
    /** A running client dials at once when it has lost its link. */
    private static final long FOUND_MS = 1_000;

    /** In this part of the time that they may be idle, idle sessions are looked for. */
    private static final int IDLE_LOOKS = 1000;

    private final KeyWatch keys;
    private final Function<ControlMessage, @Nullable Service> services;
    private final ServerLimits limits;
    private final ServerObserver observer;
    private final Clock clock;
    private final ThreadFactory threads;
    private final ScheduledExecutorService timer;
    private final RefusalLimit refusals;
    private final OpenSessions sessions;
    private final Handshake.Terms handshakes;
    private final AccountProcesses accounts;
    private final ServerTotals totals;
    private volatile int rdmaPort;
    private volatile boolean closed;

    private record Granted(Service service, ControlMessage request, Service.Grant grant, int lanes) {}

    /**
     * The key of the server and those of its clients.
     *
     * @param fingerprint of the server's identity
     * @param delegations that admit clients in addition to keys
     * @param issuers whose tokens admit clients as keys do; the server closes them
     * @param accounts the processes that serve the keys of other accounts
     */
    public record Keys(
            Fingerprint fingerprint,
            KeyStore store,
            Delegations delegations,
            Issuers issuers,
            AccountProcesses accounts) {
        /** For a server whose keys name no account, and that accepts no tokens. */
        public Keys(Fingerprint fingerprint, KeyStore store, Delegations delegations) {
            this(fingerprint, store, delegations, Issuers.NONE, AccountProcesses.NONE);
        }
    }

    public Server(
            Keys keys,
            Function<ControlMessage, @Nullable Service> services,
            ServerLimits limits,
            ServerObserver observer,
            String software,
            Clock clock) {
        this(keys, services, limits, observer, software, clock, Thread::new);
    }

    /**
     * @param services returns the one for a request; null for none
     * @param threads creates the threads of sessions
     */
    Server(
            Keys keys,
            Function<ControlMessage, @Nullable Service> services,
            ServerLimits limits,
            ServerObserver observer,
            String software,
            Clock clock,
            ThreadFactory threads) {
        this.services = services;
        this.limits = limits;
        this.observer = observer;
        this.clock = clock;
        this.threads = threads;
        this.timer = Timers.newTimer();
        this.refusals = new RefusalLimit(observer);
        this.accounts = keys.accounts();
        this.totals = accounts.totals();
        this.sessions = new OpenSessions(limits.sessions(), this::hasSeveralKeys, totals);
        this.keys = new KeyWatch(keys.store(), keys.issuers(), observer, sessions::all);
        this.keys.passOn(accounts::onRead);
        this.handshakes = new Handshake.Terms(
                this::grant,
                new Handshake.Admission(
                        this.keys,
                        keys.delegations(),
                        keys.fingerprint(),
                        accounts,
                        new Budgets(limits.totals(), this::hasSeveralKeys, totals)),
                sessions,
                refusals,
                timer,
                limits.times().handshakeMs(),
                software);
        long idleMs = limits.times().idleMs();
        long lookMs = Math.max(1, idleMs / IDLE_LOOKS);
        var unusedLooks = timer.scheduleWithFixedDelay(() -> endIdle(idleMs), lookMs, lookMs, TimeUnit.MILLISECONDS);
        var unused = timer.scheduleWithFixedDelay(
                refusals::reportRest, RefusalLimit.PERIOD_MS, RefusalLimit.PERIOD_MS, TimeUnit.MILLISECONDS);
    }

    private void endIdle(long idleMs) {
        for (OpenSession open : sessions.all()) {
            if (TimeUnit.NANOSECONDS.toMillis(open.idleNanos()) > idleMs) {
                open.end(Cause.CONNECTION_LOST.failure(
                        "nothing was moved for " + TimeUnit.MILLISECONDS.toMinutes(idleMs) + " minutes"));
            }
        }
    }

    private boolean hasSeveralKeys() {
        return keys.known().size() > 1 || !keys.issuers().isEmpty() || totals.isShared();
    }

    /** Sessions announce this port for lanes over RDMA from now on. */
    void offerRdma(int port) {
        rdmaPort = port;
    }

    @Override
    public void onLink(MessageLink link) {
        new Handshake(ControlLink.toClient(link), handshakes).begin();
    }

    @Override
    public void onLane(Lane lane) {
        try {
            new LaneGate(lane, sessions, refusals, this::chargedWithLane, clock)
                    .open(limits.times().handshakeMs());
        } catch (RuntimeException | Error noThread) {
            // Nothing else would close it.
            TransferException failure = TransferException.of(noThread);
            lane.abort(failure);
            refusals.report(lane.peer(), failure.failure());
        }
    }

    @Override
    public void onGarbage(String peer, Failure why) {
        refusals.report(peer, why);
    }

    @Override
    public boolean onRouted(byte[] route, int fd) {
        return accounts.pass(route, fd);
    }

    @Override
    public void onWarning(String text) {
        observer.onWarning(text);
    }

    /** The keys in the store are others now: sessions whose key has gone end soon. */
    public void onKeysChanged() {
        keys.whenRead(() -> {});
    }

    /** Has what admits clients read and fetched anew. */
    public void reload() {
        keys.issuers().fetchNow();
        onKeysChanged();
    }

    /**
     * Asks every session to stop in a resumable state, and waits for them. Returns false if some did not stop in time.
     */
    public boolean stop(Failure why, long timeoutMs) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        interruptAll(why.exception());
        for (OpenSession open : sessions.all()) {
            long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (leftMs > 0) {
                open.thread().join(leftMs);
            }
        }
        return sessions.all().isEmpty();
    }

    private void interruptAll(TransferException why) {
        sessions.all().forEach(open -> open.end(why));
    }

    /**
     * From now on, ends a session soon after its client has left without a message, and does not keep it for the
     * client's timeout. For a server whose clients have no reason to return; one that only lost its connection has a
     * moment to reconnect.
     */
    public void endDeserted() {
        try {
            var unused = timer.scheduleWithFixedDelay(
                    this::interruptDeserted, DESERTION_LOOK_MS, DESERTION_LOOK_MS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException closedAlready) {
            // Then there is no such session.
        }
    }

    private void interruptDeserted() {
        for (OpenSession open : sessions.all()) {
            if (open.session().isDeserted()) {
                open.end(hasGone());
            }
        }
    }

    public int sessions() {
        return sessions.all().size();
    }

    /** No session outlives the server: without its timers, a session without a client would never end. */
    @Override
    public void close() {
        closed = true;
        interruptAll(closedHere());
        timer.shutdownNow();
        keys.close();
    }

    private Runnable grant(ControlLink link, ControlMessage request, Handshake.Admitted client, Budget budget) {
        Service service = services.apply(request);
        if (service == null) {
            throw Cause.REFUSED.failure("this server does not have that service");
        }
        Service.Grant grant = service.grant(request);
        int wanted = Math.min(grant.lanes(), limits.lanes().perSession());
        int useful = Math.min(grant.usefulLanes(), limits.lanes().perSession());
        AccessKey key = client.key();
        int lanes = takeLanes(budget, key, wanted, useful);
        boolean forOthers = service.isForOthers(request);
        if (!forOthers && !budget.reserve(Resource.DESCRIPTORS)) {
            throw noRoom(key, Resource.DESCRIPTORS);
        }
        OpenSession before = sessions.makeRoom(key, forOthers);
        Granted granted = new Granted(service, request, grant, lanes);
        return () -> open(link, granted, client, budget, before);
    }

    private Map<Resource, Long> costsOfLane() {
        return Map.of(
                Resource.DIRECT_MEMORY,
                limits.lanes().laneBytes(),
                Resource.DESCRIPTORS,
                LANE_DESCRIPTORS,
                Resource.CONNECTIONS,
                1L);
    }

    /** For a lane that waits for a session, if that leaves room for a lane that is needed. */
    private @Nullable Budget chargedWithLane(Budget sameKey) {
        Budget charged = sameKey.another();
        for (Map.Entry<Resource, Long> cost : costsOfLane().entrySet()) {
            if (charged.takePieces(cost.getKey(), 1, 1, 2 * cost.getValue()) == 0) {
                charged.close();
                return null;
            }
            charged.givePieces(cost.getKey(), 1, cost.getValue());
        }
        return charged;
    }

    /** Takes what each lane costs; returns the number of lanes. */
    private int takeLanes(Budget budget, AccessKey key, int wanted, int useful) {
        Map<Resource, Long> costs = costsOfLane();
        Map<Resource, Integer> taken = new EnumMap<>(Resource.class);
        int lanes = useful;
        for (Map.Entry<Resource, Long> cost : costs.entrySet()) {
            int here = budget.takePieces(cost.getKey(), Math.min(wanted, lanes), lanes, cost.getValue());
            taken.put(cost.getKey(), here);
            lanes = here;
            if (lanes == 0 && wanted > 0) {
                throw noRoom(key, cost.getKey());
            }
        }
        for (Map.Entry<Resource, Long> cost : costs.entrySet()) {
            int unused = taken.getOrDefault(cost.getKey(), 0) - lanes;
            budget.givePieces(cost.getKey(), unused, cost.getValue());
        }
        return lanes;
    }

    private TransferException noRoom(AccessKey key, Resource resource) {
        sessions.endLongestDisconnected(key);
        return Budget.usedUp(resource).failure().because(Cause.UNAVAILABLE).exception();
    }

    private void open(
            ControlLink link, Granted granted, Handshake.Admitted client, Budget budget, @Nullable OpenSession before) {
        int lanes = granted.lanes();
        Service.Grant grant = granted.grant();
        byte[] id = Secrets.random(LaneHello.SESSION_ID_BYTES);
        Secret secret = Secret.random();
        long timeoutMs = Math.min(grant.timeoutMs(), limits.times().disconnectedMs());
        ControlChannel channel = new ControlChannel(link, clock, timer, timeoutMs, this::onLost);
        AccessKey key = client.key();
        SessionMessage.Opened opening =
                new SessionMessage.Opened(id, secret.bytes(), lanes, grant.clearLanes(), rdmaPort, grant.checksums());
        Session session = new Session(opening, channel, key.permission(), budget, clock);
        String purpose = Printable.shortened(granted.service().describe(granted.request()));
        Delegation delegation = client.delegation();
        session.admittedBy(key, delegation == null);
        OpenSession opened = new OpenSession(
                threads,
                session,
                new LaneAdmission(secret, id, lanes),
                delegation == null ? session::key : delegation::giver,
                self -> serve(self, granted, purpose, before),
                () -> {
                    session.channel().whenLinkClosed(budget::close);
                    // Last, because the client's next session needs what this one held.
                    session.leave();
                });
        if (granted.service().isForOthers(granted.request())) {
            opened.beForOthers();
        }
        sessions.add(opened);
        keys.onSessionOpened(opened);
        if (delegation != null) {
            delegation.bind(session, opened.thread());
        } else {
            session.whenShown(token -> renew(session, token, false));
            session.whenLeft(left -> new Handshake(left, handshakes).goOn(session.key()));
            renewLeft(key);
        }
        try {
            Threads.start(opened.thread());
        } catch (RuntimeException | Error noThread) {
            // Nothing else would end it, and its place and memory would stay occupied.
            TransferException failure = TransferException.of(noThread);
            sessions.remove(opened);
            session.end(failure);
            opened.close();
            refusals.report(session.peer(), failure.failure());
            return;
        }
        if (closed) {
            session.interrupt(closedHere());
        }
    }

    /**
     * The client of a session shows a newer token. One that is no good changes nothing.
     *
     * @param fetched whether the keys of its issuer were fetched for it
     */
    private void renew(Session session, String token, boolean fetched) {
        Issuers issuers = keys.issuers();
        if (issuers.decides(token)) {
            try {
                Runnable again = () -> session.execute(() -> renew(session, token, true));
                AccessKey newer = fetched ? issuers.verify(token, null) : issuers.verifyPatiently(token, again);
                if (newer == null) {
                    return;
                }
                if (!newer.continues(session.key())) {
                    throw Cause.REFUSED.failure("a newer token of a session must be of the same subject and scopes");
                }
                session.renew(newer);
                renewLeft(newer);
            } catch (TransferException refused) {
                refusals.report(session.peer(), refused.failure());
            }
        } else {
            // It comes back by way of the process that does.
            session.channel().breakLink();
        }
        session.onVerified(token);
    }

    /** Sessions whose client has left them to themselves end with the newest token that its subject has shown. */
    private void renewLeft(AccessKey shown) {
        Instant ends = shown.expires();
        if (shown.subject() == null || ends == null) {
            return;
        }
        for (OpenSession open : sessions.all()) {
            Instant now = open.key().expires();
            if (open.outlivesClient() && shown.continues(open.key()) && now != null && ends.isAfter(now)) {
                open.session().renew(shown);
            }
        }
    }

    /** Nothing is done for a client without a connection, and a session that ends with it has a moment to be found. */
    private void onLost(ControlChannel lost) {
        for (OpenSession open : sessions.all()) {
            if (open.session().channel() == lost && !open.session().outlivesClient()) {
                open.session().budget().suspend();
                if (open.session().endsWithLink()) {
                    endUnlessFound(open);
                }
            }
        }
    }

    private void endUnlessFound(OpenSession open) {
        try {
            var unused = timer.schedule(
                    () -> {
                        if (open.session().channel().lostNanos() >= TimeUnit.MILLISECONDS.toNanos(FOUND_MS)) {
                            open.end(hasGone());
                        }
                    },
                    FOUND_MS,
                    TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException closedAlready) {
            open.end(closedHere());
        }
    }

    private static TransferException hasGone() {
        return Cause.CONNECTION_LOST.failure("its client has gone");
    }

    private static TransferException closedHere() {
        return Cause.CONNECTION_LOST.failure("the server was closed");
    }

    private void serve(OpenSession open, Granted granted, String purpose, @Nullable OpenSession before) {
        Session session = open.session();
        boolean started = false;
        try {
            if (before != null) {
                before.awaitRoom(ROOM_MS);
            }
            observer.onSessionStart(session.name(), session.peer(), session.keyName(), purpose);
            started = true;
            session.activity()
                    .admit(new SessionActivity.Admission(
                            session.keyName(), purpose, granted.service().kind(granted.request())));
            session.activity().traceBelow(granted.service().trace(granted.request()));
            observer.onSessionOpen(session.activity());
            Summary summary = granted.service().serve(session, granted.request());
            session.activity().conclude(summary);
            observer.onSessionEnd(session.name(), session.peer(), session.keyName(), summary);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            session.end(Cause.CONNECTION_LOST.failure("the server was stopped", e));
        } catch (RuntimeException | Error failure) {
            // Whatever happened to this session, the others continue.
            TransferException reason = TransferException.of(failure);
            Summary summary = session.summary(reason, 0, 0, 0);
            session.activity().conclude(summary);
            session.end(reason);
            if (started) {
                observer.onSessionEnd(session.name(), session.peer(), session.keyName(), summary);
            }
            if (failure instanceof TransferException) {
                refusals.report(session.peer(), reason.failure());
            } else {
                observer.onWarning("session " + session.name() + " from " + session.peer() + " ended: " + failure);
            }
        } finally {
            sessions.remove(open);
            if (session.channel().hasPeerLeft()) {
                // Its lanes end from now on, and none of them is lost.
                session.activity().end();
            } else {
                session.end(null);
            }
            open.close();
        }
    }
}
