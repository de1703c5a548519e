package io.fdt.core.control;

import io.fdt.core.budget.ServerTotals;
import io.fdt.core.failure.Cause;
import io.fdt.core.security.AccessKey;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The open sessions of a server, and the admission of new ones. If there are several keys, one may hold no more
 * sessions than are free, so there is always room for a key without sessions. A client that exceeds its share, or finds
 * the server full, replaces the session that has been disconnected longest. Thread-safe.
 */
final class OpenSessions {
    /** A running client that lost its link redials at once, and a few more times within this period. */
    static final long RECONNECT_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** Lanes of a session that has just ended may still arrive. */
    private static final int MAX_ENDED = 4096;

    private final int limit;
    private final BooleanSupplier severalKeys;
    private final ServerTotals all;
    private final Map<ByteBuffer, OpenSession> byId = new ConcurrentHashMap<>();
    private final Set<ByteBuffer> ended = new LinkedHashSet<>();

    /**
     * @param limit of the sessions of all processes of the server
     * @param all with those of the others
     */
    OpenSessions(int limit, BooleanSupplier severalKeys, ServerTotals all) {
        this.limit = limit;
        this.severalKeys = severalKeys;
        this.all = all;
    }

    @Nullable OpenSession find(byte[] id) {
        return byId.get(ByteBuffer.wrap(id));
    }

    Collection<OpenSession> all() {
        return byId.values();
    }

    synchronized void add(OpenSession opened) {
        byId.put(ByteBuffer.wrap(opened.session().id()), opened);
        all.sessions(byId.size());
    }

    synchronized void remove(OpenSession closed) {
        ByteBuffer id = ByteBuffer.wrap(closed.session().id());
        byId.remove(id);
        all.sessions(byId.size());
        if (ended.size() >= MAX_ENDED) {
            ended.remove(ended.iterator().next());
        }
        ended.add(id);
    }

    /** The session that a lane names; throws CONNECTION_LOST if it has ended recently, otherwise REFUSED. */
    OpenSession require(byte[] id) {
        OpenSession open = find(id);
        if (open != null) {
            return open;
        }
        synchronized (this) {
            throw ended.contains(ByteBuffer.wrap(id))
                    ? Cause.CONNECTION_LOST.failure("its session has ended")
                    : Cause.NO_SESSION.failure("a lane for a session that does not exist");
        }
    }

    /**
     * Makes room for a session of this key, or throws UNAVAILABLE or LIMIT; returns the session that was ended for it,
     * if any.
     *
     * @param forOthers there is always room for one such session of a key that has sessions without a client
     */
    synchronized @Nullable OpenSession makeRoom(AccessKey key, boolean forOthers) {
        boolean made = false;
        // Shown before the others are counted: another process may open one at the same moment.
        all.sessions(byId.size() + 1);
        try {
            boolean hasRoom = forOthers
                    && ofKey(key).anyMatch(OpenSession::outlivesClient)
                    && ofKey(key).noneMatch(OpenSession::isForOthers);
            OpenSession ended = hasRoom ? null : makeRoomAmong(key);
            made = true;
            return ended;
        } finally {
            if (!made) {
                all.sessions(byId.size());
            }
        }
    }

    private @Nullable OpenSession makeRoomAmong(AccessKey key) {
        long used = byId.values().stream().filter(each -> !each.makesRoom()).count();
        long free = limit - used - all.sessionsOfOthers();
        long own = heldBy(key);
        int ownLimit = key.permission().limits().sessions();
        if (own >= ownLimit) {
            return longestOr(
                    longestDisconnected(key, false),
                    Cause.SHARE_USED_UP,
                    "this key already has as many sessions as it may: " + ownLimit);
        }
        if (free > 0 && (own < free || !severalKeys.getAsBoolean())) {
            return null;
        }
        return longestOr(
                longestDisconnected(key, free <= 0),
                Cause.UNAVAILABLE,
                free > 0
                        ? "this key has " + own + " of the server's " + limit
                                + " sessions, and the rest is reserved for other keys"
                        : "the server is full: it has at most " + limit + (limit == 1 ? " session" : " sessions"));
    }

    private static OpenSession longestOr(@Nullable OpenSession longest, Cause cause, String full) {
        if (longest == null) {
            throw cause.advise("try again later, or use --retry").failure(full);
        }
        longest.makeRoom();
        return longest;
    }

    /**
     * Frees memory: of the sessions of this key, and of keys that hold as many, ends the one that has been disconnected
     * longest.
     */
    synchronized void endLongestDisconnected(AccessKey key) {
        OpenSession longest = longestDisconnected(key, true);
        if (longest != null) {
            longest.end(Cause.CONNECTION_LOST.failure(
                    "its client was disconnected, and the server needed its memory for another session"));
        }
    }

    private @Nullable OpenSession longestDisconnected(AccessKey key, boolean alsoOfOthers) {
        long own = heldBy(key);
        return byId.values().stream()
                .filter(each -> !each.makesRoom() && each.disconnectedNanos() >= RECONNECT_NANOS)
                .filter(each -> each.key().id().equals(key.id()) || (alsoOfOthers && heldBy(each.key()) >= own))
                .max(Comparator.comparingLong(OpenSession::disconnectedNanos))
                .orElse(null);
    }

    private long heldBy(AccessKey key) {
        return ofKey(key).count();
    }

    private Stream<OpenSession> ofKey(AccessKey key) {
        return byId.values().stream()
                .filter(each -> !each.makesRoom() && each.key().id().equals(key.id()));
    }
}
