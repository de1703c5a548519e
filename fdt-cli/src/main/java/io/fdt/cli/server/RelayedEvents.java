package io.fdt.cli.server;

import io.fdt.core.basic.Clock;
import io.fdt.core.control.ServerLimits;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.security.AccessKey;
import io.fdt.core.stats.LaneActivity;
import io.fdt.core.stats.LaneCounters;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.stats.PeerHost;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.SessionCounters;
import io.fdt.core.stats.Summary;
import io.fdt.core.token.PassedTokens;
import io.fdt.core.wire.AccountMessage;
import io.fdt.core.wire.AccountMessage.CountedRefusal;
import io.fdt.core.wire.AccountMessage.Ended;
import io.fdt.core.wire.AccountMessage.Figures;
import io.fdt.core.wire.AccountMessage.FileEnded;
import io.fdt.core.wire.AccountMessage.LaneFigures;
import io.fdt.core.wire.AccountMessage.Opened;
import io.fdt.core.wire.AccountMessage.Refused;
import io.fdt.core.wire.AccountMessage.Warned;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * In the server's first process: reports what {@link EventRelay} passes on from the process of an account, as far as
 * that process may say it: names go into logs, metrics and the environment of commands, and the operator takes the key
 * for the one that was admitted. It holds no more sessions and lanes than the process may have. For one thread, except
 * {@link #sessions} and {@link #allow}.
 */
final class RelayedEvents {
    private final ServerObserver observer;
    /** Before what the account's process says in its own words. */
    private final String account;

    private final int maxSessions;
    private final int maxLanes;
    /** By the number that the other process gives them: names come twice in a copy from a server to itself. */
    private final Map<Long, Mirrored> mirrored = new HashMap<>();

    /** The names of the keys that admit clients there, now or before; empty for what has none. */
    private final Set<String> keys = ConcurrentHashMap.newKeySet();

    /** Likewise for the last tokens. */
    private final PassedTokens<String> tokens = new PassedTokens<>();

    private volatile int sessions;

    /** A session of the other process, as it was a moment ago. */
    private static final class Mirrored {
        final SessionActivity activity;
        private final Map<Integer, AtomicLong> bytes = new HashMap<>();
        private volatile boolean peerGone;

        /** Whether a client has opened it, so that its end is reported. */
        boolean isServed() {
            return !activity.key().isEmpty();
        }

        Mirrored(Opened as) {
            activity = new SessionActivity(as.session(), as.peer(), new SessionCounters());
            activity.admit(as.admission());
            activity.meet(new PeerHost() {
                @Override
                public boolean isGone() {
                    return peerGone;
                }
            });
        }

        void show(Figures newest, int maxLanes) throws IOException {
            peerGone = newest.peerGone();
            activity.show(newest.state());
            SessionCounters counters = activity.counters();
            counters.addFlushNanos(newest.flushNanos() - counters.flushNanos());
            for (LaneFigures lane : newest.lanes()) {
                if (bytes.size() >= maxLanes && !bytes.containsKey(lane.index())) {
                    throw new IOException("it reports too many lanes");
                }
                show(lane, newest.state().transport());
            }
            if (newest.state().isEnded()) {
                // Its result follows.
                activity.end();
            }
        }

        private void show(LaneFigures newest, String transport) {
            AtomicLong moved = bytes.computeIfAbsent(newest.index(), index -> new AtomicLong());
            moved.set(newest.bytes());
            LaneActivity lane = activity.lane(newest.index());
            if (lane == null || (newest.open() && !lane.isOpen())) {
                lane = activity.join(newest.index(), newest.direction(), transport, moved::get);
            }
            LaneCounters counters = activity.counters().lane(newest.index());
            for (Counter counter : Counter.values()) {
                counters.add(counter, newest.counters().get(counter) - counters.get(counter));
            }
            if (newest.ends() != null) {
                lane.connects(newest.ends().local(), newest.ends().remote());
            }
            if (newest.stream() != null) {
                lane.publish(newest.stream());
            }
            if (!newest.open()) {
                lane.close();
            }
        }
    }

    /**
     * @param user of the account
     * @param limits of the other process; a session may start before the end of another is reported
     */
    RelayedEvents(ServerObserver observer, String user, ServerLimits limits) {
        this.observer = observer;
        this.account = "account " + user + ": ";
        this.maxSessions = 2 * limits.sessions();
        this.maxLanes = limits.lanes().perSession();
        keys.add("");
    }

    /** The other process admits clients with these keys, too. Any thread. */
    void allow(Collection<AccessKey> more) {
        more.forEach(key -> keys.add(key.name()));
    }

    /** And a client with a token of this name. Any thread. */
    void allowToken(String name) {
        tokens.add(name);
    }

    private boolean isAllowed(String key) {
        return keys.contains(key) || tokens.contains(key);
    }

    void warn(String text) {
        observer.onWarning(text);
    }

    /** How many sessions are running. Any thread. */
    int sessions() {
        return sessions;
    }

    /** Reports an event; throws an IOException for what the other process may not say. */
    void report(AccountMessage message) throws IOException {
        if (message instanceof Figures figures) {
            show(figures);
        } else if (message instanceof FileEnded file) {
            Mirrored session = mirrored.get(file.number());
            // Other threads tell of files, too, and may be late.
            if (session != null) {
                SessionActivity of = session.activity;
                observer.onFile(of.name(), of.peer(), of.key(), file.file());
            }
        } else if (message instanceof Opened open) {
            open(open);
        } else if (message instanceof Ended end) {
            Mirrored session = mirrored.remove(end.number());
            if (session == null || !session.isServed()) {
                throw new IOException("it reports the end of a session that it has not");
            }
            count();
            conclude(session, end.summary());
        } else if (message instanceof Warned warned) {
            observer.onWarning(account + warned.text());
        } else if (message instanceof Refused refused) {
            observer.onRefused(refused.peer(), account + refused.why());
        } else if (message instanceof CountedRefusal refusal) {
            observer.onRefusal(refusal.cause());
        } else {
            throw new IOException("it sent a message that is none of an account's process");
        }
    }

    private void open(Opened open) throws IOException {
        String key = open.admission().key();
        if (!isAllowed(key)) {
            throw new IOException("it reports a key that is none of the account's");
        }
        if (mirrored.size() >= maxSessions) {
            throw new IOException("it reports too many sessions");
        }
        Mirrored session = new Mirrored(open);
        if (mirrored.putIfAbsent(open.number(), session) != null) {
            throw new IOException("it reports a session twice");
        }
        count();
        if (session.isServed()) {
            observer.onSessionStart(
                    open.session(), open.peer(), key, open.admission().purpose());
        }
        observer.onSessionOpen(session.activity);
    }

    private void count() {
        sessions = (int) mirrored.values().stream().filter(Mirrored::isServed).count();
    }

    private void show(Figures figures) throws IOException {
        Mirrored session = mirrored.get(figures.number());
        if (session != null) {
            session.show(figures, maxLanes);
            if (figures.state().isEnded() && !session.isServed()) {
                mirrored.remove(figures.number());
            }
        }
    }

    private void conclude(Mirrored session, Summary summary) {
        SessionActivity of = session.activity;
        of.conclude(summary);
        of.end();
        observer.onSessionEnd(of.name(), of.peer(), of.key(), summary);
    }

    /** The other process has ended, and with it all its sessions. */
    void endAll(String why) {
        for (Mirrored each : mirrored.values()) {
            if (each.isServed()) {
                long nanos = Clock.SYSTEM.nanoTime() - each.activity.startNanos();
                TransferException lost = Cause.CONNECTION_LOST.failure(why);
                conclude(each, Summary.of(lost, 0, 0, 0, 0, nanos, each.activity.name()));
            } else {
                each.activity.end();
            }
        }
        mirrored.clear();
        sessions = 0;
    }
}
