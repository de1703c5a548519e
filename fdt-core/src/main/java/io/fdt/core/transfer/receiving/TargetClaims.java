package io.fdt.core.transfer.receiving;

import io.fdt.core.budget.HeapPieces;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.control.Session;
import io.fdt.core.digest.Sha256;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.ServedFile;
import io.fdt.core.stats.LaneActivity;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.storage.FileClaims;
import io.fdt.core.storage.posix.ClaimLocks;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Assigns each file that is open for writing to one session of a server: to the one that opened it first, for as long
 * as that session makes progress. What another session wants or began earlier does not count. A session that comes to a
 * file of another one ends, unless it has something to lose: if it has held a file before, it waits, so that no client
 * can end the copy of another key by opening a file that is still to come. Of two sessions with one key, which are most
 * likely the same copy, only the one that began earlier waits.
 *
 * <p>If two sessions wait for each other, one of them ends: with one key, the one that began later; with two keys, the
 * one that has received less. A client that returns takes over from its own lost session.
 *
 * <p>The sessions of other processes of the same server, which work as other budgets, are seen by {@link ClaimLocks}: a
 * partial would not do, because a budget cannot open that of another. {@link
 * io.fdt.core.storage.partial.Seniority} keeps the sessions of several servers apart. Thread-safe.
 */
public final class TargetClaims {
    /** The last message of a client that has ended may arrive after the first one of its next run. */
    private static final long LAST_WORD_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    private static final long END_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long LOOK_MS = 10;
    private static final String FAILED = "failed";
    private static final String WAITS = "waits";
    private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The heap of one claim, besides its path. */
    private static final long CLAIM_BYTES = 192;

    private final Map<ClaimedPath, Claim> holders = new HashMap<>();
    private final ClaimLocks locks;
    private final ServerObserver observer;
    private final long lookMs;
    private final MessageDigest sha256 = Sha256.begin();
    private long claims;
    private long holds;
    private int waiting;

    /**
     * @param locks of all processes of the server
     * @param observer is told of each session that waits, ends, or gives up its files, for another one
     */
    public TargetClaims(ClaimLocks locks, ServerObserver observer) {
        this(locks, observer, LOOK_MS);
    }

    /** @param lookMs how often a waiting session looks what no other one wakes it for; 0 for never */
    TargetClaims(ClaimLocks locks, ServerObserver observer, long lookMs) {
        this.locks = locks;
        this.observer = observer;
        this.lookMs = lookMs;
        locks.whenShared(this::showAll);
    }

    /** Another process begins to look. */
    private synchronized void showAll() {
        holders.forEach((place, holder) -> {
            if (holder.isShown()) {
                locks.take(holder.shown, hash(place));
            }
        });
    }

    private long hash(ClaimedPath place) {
        sha256.update(place.path.toBytes());
        FileRange range = place.range;
        if (range != null) {
            sha256.update(ByteBuffer.allocate(1 + 3 * Long.BYTES)
                    .putLong(1, range.offset())
                    .putLong(1 + Long.BYTES, range.fileBytes())
                    .putLong(1 + 2 * Long.BYTES, range.rangeBytes()));
        }
        return ByteBuffer.wrap(sha256.digest()).getLong();
    }

    /** The identity of a file for claims: no path is held twice, except for different ranges of one file. */
    record ClaimedPath(RawPath path, @Nullable FileRange range) {
        static ClaimedPath of(FileEntry entry) {
            return new ClaimedPath(entry.path(), entry.range());
        }

        long heapBytes() {
            return CLAIM_BYTES + path.lengthBytes();
        }

        // By hand, for a short start.

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof ClaimedPath place && place.path.equals(path) && Objects.equals(place.range, range);
        }

        @Override
        public int hashCode() {
            return 31 * path.hashCode() + Objects.hashCode(range);
        }
    }

    public synchronized Claim begin(Session session) {
        return new Claim(session, claims++);
    }

    /** What a session sees when it comes to a file. */
    private enum Seen {
        FREE,
        /** The session that holds it is ending. */
        ENDS,
        /** The session that holds it goes on. */
        GOES_ON
    }

    /** One session that comes to one file. Guarded by the claims. */
    private static final class Asking {
        final ClaimedPath place;
        final long sinceNanos = System.nanoTime();
        /** A session of this process that holds it. */
        @Nullable Claim holder;
        /** A session of this process that it waits for. */
        @Nullable Claim awaited;
        /** A session of another process that holds it. */
        int other = ClaimLocks.NONE;

        Asking(ClaimedPath place) {
            this.place = place;
        }

        /** It was reported that the session waits. */
        boolean reported;

        boolean isWithin(long nanos) {
            return System.nanoTime() - sinceNanos <= nanos;
        }
    }

    /** The claims of one session. Paths are absolute. Thread-safe. */
    public final class Claim implements FileClaims, AutoCloseable {
        private final Session session;
        private final HeapPieces heap;
        private final long number;
        /** Among the sessions of all processes, once it has shown something. */
        private int shown = ClaimLocks.NONE;

        /** When it first held a file, among all sessions; negative before. */
        private long firstHold = -1;

        private long achieved = -1;
        private long tickNanos;
        /** How long it has achieved nothing, as of its last tick. */
        private long idleNanos;

        /** 0 if it goes on. */
        private long endsSinceNanos;

        /** It takes nothing more. */
        private boolean stopped;
        /** It has closed everything. */
        private boolean over;
        /** The sessions that it waits for, once for each of its lanes. */
        private final List<Claim> awaited = new ArrayList<>();

        private Claim(Session session, long number) {
            this.session = session;
            this.heap = new HeapPieces(session.budget());
            this.number = number;
        }

        @Override
        public boolean mayHold(RawPath path) {
            ClaimedPath place = new ClaimedPath(path, null);
            synchronized (TargetClaims.this) {
                Claim holder = holders.get(place);
                if (holder == null) {
                    return firstHold < 0 || !locks.isShared() || locks.other(hash(place)) == ClaimLocks.NONE;
                }
                return holder == this || !mayWaitFor(holder) || makesWay(holder);
            }
        }

        @Override
        public boolean tryHold(RawPath path, @Nullable FileRange range) {
            Asking asking = new Asking(new ClaimedPath(path, range));
            synchronized (TargetClaims.this) {
                try {
                    Seen seen = ask(asking);
                    while (seen == Seen.ENDS) {
                        pause();
                        seen = ask(asking);
                    }
                    return seen == Seen.FREE;
                } finally {
                    endAsking(asking);
                }
            }
        }

        @Override
        public void hold(RawPath path) {
            Asking asking = new Asking(new ClaimedPath(path, null));
            synchronized (TargetClaims.this) {
                try {
                    for (Seen seen = ask(asking); seen != Seen.FREE; seen = ask(asking)) {
                        if (seen == Seen.GOES_ON) {
                            requireWait(asking);
                        }
                        pause();
                    }
                } catch (TransferException failure) {
                    // Whoever waits for a file of this session need not end as well.
                    beginEnd();
                    throw failure;
                } finally {
                    endAsking(asking);
                }
            }
        }

        /** Takes the file if it is free. */
        private Seen ask(Asking asking) {
            requireGoesOn();
            ClaimedPath place = asking.place;
            Claim holder = holders.get(place);
            if (holder == this) {
                return Seen.FREE;
            }
            Claim last = asking.holder;
            if (holder == null && last != null && last.endsSinceNanos != 0 && !last.over) {
                // What it has in place is certain only when it is over.
                holder = last;
            }
            asking.holder = holder;
            Seen seen = holder != null
                    ? look(holder, asking)
                    : locks.isShared() && isShown() ? askOthers(asking) : Seen.FREE;
            if (seen == Seen.FREE) {
                heap.take(place.heapBytes());
                holders.put(place, this);
                firstHold = firstHold < 0 ? holds++ : firstHold;
            }
            return seen;
        }

        /** Ends the session of the holder if it must make way. */
        private Seen look(Claim holder, Asking asking) {
            if (holder.endsSinceNanos == 0) {
                if (isGoneFor(holder)) {
                    holder.interrupt(Cause.CONNECTION_LOST.failure("its client reconnected with a new session"));
                } else if (holder.hasStalled()) {
                    holder.giveUpFor(this, asking, "it has achieved nothing for its time-out");
                } else {
                    boolean mayBeGone = session.isOfSameClientAs(holder.session) && asking.isWithin(LAST_WORD_NANOS);
                    return mayBeGone ? Seen.ENDS : Seen.GOES_ON;
                }
            }
            if (System.nanoTime() - holder.endsSinceNanos > END_NANOS) {
                throw refused(asking);
            }
            return Seen.ENDS;
        }

        private boolean makesWay(Claim holder) {
            return holder.endsSinceNanos != 0 || isGoneFor(holder) || holder.hasStalled();
        }

        /** Whether it is a session that this one's client has left behind. */
        private boolean isGoneFor(Claim holder) {
            return session.isOfSameClientAs(holder.session) && holder.session.hasLostClient();
        }

        /** @throws TransferException BUSY, if this session must not wait for one that goes on */
        private void requireWait(Asking asking) {
            Claim holder = asking.holder;
            if (holder == null ? firstHold < 0 : !mayWaitFor(holder)) {
                throw refused(asking);
            }
            if (holder == null) {
                locks.want(shown, asking.other, received());
                if (locks.isWantedBy(shown, asking.other) && locks.outranks(asking.other, shown)) {
                    throw refused(asking);
                }
            } else if (holder.awaited.contains(this)) {
                if (!outranks(holder)) {
                    throw refused(asking);
                }
                holder.giveUpFor(this, asking, "each had a file that the other one needed");
            }
            awaitInstead(asking, holder);
            if (!asking.reported) {
                asking.reported = true;
                RawPath path = asking.place.path;
                String why = "it is being written by " + holderOf(asking);
                observer.onWarning(this + " waits for " + path.display() + ": " + why);
                report(path, WAITS, why, null);
            }
        }

        private String holderOf(Asking asking) {
            Claim holder = asking.holder;
            return holder == null ? nameOf(asking.other) : holder.toString();
        }

        private String nameOf(int other) {
            String name = other == ClaimLocks.NONE ? "" : locks.nameOf(other);
            return name.isEmpty() ? "a key of another account" : name;
        }

        /** Notifies of one file of this session; the client does not learn whose key the other one is. */
        private void report(RawPath path, String outcome, @Nullable String note, @Nullable TransferException why) {
            if (observer.watchesFiles()) {
                observer.onFile(
                        session.name(),
                        session.peer(),
                        session.keyName(),
                        new ServedFile(
                                new ServedFile.Place(path, null, path),
                                true,
                                0,
                                ServedFile.Moved.NOTHING,
                                0,
                                new ServedFile.Hashes(null, Map.of()),
                                new ServedFile.Result(outcome, note, why == null ? null : why.failure())));
            }
        }

        private void awaitInstead(Asking asking, @Nullable Claim holder) {
            if (asking.awaited != holder) {
                awaited.remove(asking.awaited);
                asking.awaited = holder;
                if (holder != null) {
                    awaited.add(holder);
                }
            }
        }

        /** Asks the sessions of other processes. What it shows is withdrawn by {@link #endAsking}. */
        private Seen askOthers(Asking asking) {
            long hash = hash(asking.place);
            locks.take(shown, hash);
            int other = locks.other(hash);
            if (other != asking.other) {
                unwant(asking);
                asking.other = other;
            }
            if (other == ClaimLocks.NONE) {
                return Seen.FREE;
            }
            if (other < shown) {
                // It may only be asking, too, and the one with the lower number does not withdraw.
                locks.release(shown, hash);
                return Seen.GOES_ON;
            }
            return asking.isWithin(LAST_WORD_NANOS) ? Seen.ENDS : Seen.GOES_ON;
        }

        private void unwant(Asking asking) {
            if (asking.other != ClaimLocks.NONE) {
                locks.unwant(shown, asking.other);
            }
        }

        private void endAsking(Asking asking) {
            awaitInstead(asking, null);
            unwant(asking);
            if (holders.get(asking.place) != this && shown != ClaimLocks.NONE) {
                locks.release(shown, hash(asking.place));
            }
        }

        private boolean mayWaitFor(Claim holder) {
            return firstHold >= 0 && (!hasKeyOf(holder) || number < holder.number || firstHold < holder.firstHold);
        }

        private boolean outranks(Claim holder) {
            long more = hasKeyOf(holder) ? 0 : received() - holder.received();
            return more > 0 || (more == 0 && number < holder.number);
        }

        private boolean hasKeyOf(Claim other) {
            return session.keyId().equals(other.session.keyId());
        }

        private long received() {
            return session.counters().sum(Counter.RECEIVED_BYTES);
        }

        private boolean isShown() {
            if (shown == ClaimLocks.NONE) {
                shown = locks.begin(toString());
            }
            return shown != ClaimLocks.NONE;
        }

        private void pause() {
            waiting++;
            try {
                if (lookMs > 0) {
                    TargetClaims.this.wait(lookMs);
                } else {
                    TargetClaims.this.wait();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw Cause.INTERRUPTED.failure("interrupted", e);
            } finally {
                waiting--;
            }
        }

        private void requireGoesOn() {
            session.throwIfInterrupted();
            session.budget().requireOpen();
            if (stopped) {
                throw Cause.INTERRUPTED.failure("the session has ended");
            }
        }

        private TransferException refused(Asking asking) {
            RawPath path = asking.place.path;
            String why = "is being written by " + holderOf(asking);
            observer.onWarning(this + " ends: " + path.display() + " " + why);
            report(path, FAILED, null, Cause.BUSY.at(path.display()).failure(why));
            return isWritten(path);
        }

        private static TransferException isWritten(RawPath path) {
            return Cause.BUSY.failure(path.name().display() + ": another copy is writing this target");
        }

        private void giveUpFor(Claim other, Asking asking, String why) {
            RawPath path = asking.place.path;
            String what = "gives up " + path.display() + " for " + other + ": " + why;
            observer.onWarning(this + " " + what);
            report(path, FAILED, null, Cause.BUSY.at(path.display()).failure(what));
            interrupt(isWritten(path));
        }

        private void interrupt(TransferException why) {
            beginEnd();
            session.interrupt(why);
            wake();
        }

        private void beginEnd() {
            endsSinceNanos = endsSinceNanos == 0 ? System.nanoTime() | 1 : endsSinceNanos;
        }

        private boolean hasStalled() {
            return idleNanos > session.timeoutNanos();
        }

        /**
         * Called regularly by the session.
         *
         * @param flushing whether this side works for the session, whatever its client does
         * @throws TransferException BUSY, if it has stalled and a session of another process needs a file of it
         */
        void onTick(boolean flushing) {
            long now = session.clock().nanoTime();
            long bytes = received()
                    + session.activity().lanes().stream()
                            .mapToLong(LaneActivity::bytes)
                            .sum();
            synchronized (TargetClaims.this) {
                // A tick that is late was delayed by work for the session.
                idleNanos = flushing || bytes != achieved ? 0 : idleNanos + Math.min(now - tickNanos, LATE_NANOS);
                achieved = bytes;
                tickNanos = now;
                int other = hasStalled() && shown != ClaimLocks.NONE ? locks.wantedBy(shown) : ClaimLocks.NONE;
                if (other != ClaimLocks.NONE) {
                    observer.onWarning(this + " gives up its files for " + nameOf(other)
                            + ": it has achieved nothing for its time-out");
                    beginEnd();
                    throw Cause.BUSY.failure("another copy is writing this target, as another account");
                }
            }
        }

        @Override
        public void release(RawPath path, @Nullable FileRange range) {
            synchronized (TargetClaims.this) {
                ClaimedPath place = new ClaimedPath(path, range);
                if (holders.remove(place, this)) {
                    heap.give(place.heapBytes());
                    if (shown != ClaimLocks.NONE) {
                        locks.release(shown, hash(place));
                    }
                    wake();
                }
            }
        }

        private void wake() {
            if (waiting > 0) {
                TargetClaims.this.notifyAll();
            }
        }

        /** Ends all waits: the session ends. */
        void stopWaiting() {
            synchronized (TargetClaims.this) {
                stopped = true;
                beginEnd();
                wake();
            }
        }

        @Override
        public void close() {
            synchronized (TargetClaims.this) {
                stopped = true;
                over = true;
                holders.entrySet().removeIf(each -> {
                    boolean own = each.getValue() == this;
                    if (own) {
                        if (shown != ClaimLocks.NONE) {
                            locks.release(shown, hash(each.getKey()));
                        }
                    }
                    return own;
                });
                heap.close();
                if (shown != ClaimLocks.NONE) {
                    locks.end(shown);
                    shown = ClaimLocks.NONE;
                }
                wake();
            }
        }

        /** For the server's log. */
        @Override
        public String toString() {
            String key = session.keyName();
            return (key.isEmpty() ? "a lent key" : "the key " + key) + " (session " + session.name() + ")";
        }
    }
}
