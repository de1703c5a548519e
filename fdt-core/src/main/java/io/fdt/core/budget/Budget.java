package io.fdt.core.budget;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.run.Threads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.NullUnmarked;
import org.jspecify.annotations.Nullable;

/**
 * What one session of a client makes this process hold. Take from it before the thing exists, in what it costs here,
 * and give back when it is gone; {@link #close} gives back the rest. At its share a session waits or ends, and nobody
 * else notices. Thread-safe; no call blocks, except {@link #awaitRoom}.
 */
public final class Budget implements AutoCloseable {
    /** What a thread does in one turn; its result may be null where the caller says so. */
    @FunctionalInterface
    @NullUnmarked
    public interface Step<T, X extends Exception> {
        T run() throws X;
    }

    /** What is only useful is divided among several sessions. */
    private static final int SPARE_PARTS = 4;

    private final Budgets budgets;
    private final Budgets.Key key;
    private final Amounts held = new Amounts();
    /** Of that, what the server granted as a whole. */
    private final Amounts granted = new Amounts();
    /** At least this much is charged, so that what the session needs at once has a part of its own. */
    private final Amounts reserved = new Amounts();
    /** Of what is held, what still exists after the session. */
    private final Amounts lasting = new Amounts();

    private boolean closed;
    private boolean suspended;
    private volatile @Nullable TransferException end;

    Budget(Budgets budgets, Budgets.Key key) {
        this.budgets = budgets;
        this.key = key;
    }

    /** @throws TransferException LIMIT, if its share is used up: the session cannot continue */
    public void take(Resource resource, long amount) {
        if (!tryTake(resource, amount)) {
            throw usedUp(resource);
        }
    }

    /**
     * Throws the reason why the session is ending, if it is, and passes the turn on if it was long. For everything that
     * works for a client between two steps: the session's own thread may be the one that is busy.
     */
    public void requireOpen() {
        requireNotEnded();
        Turns turns = budgets.turns();
        if (turns != null) {
            turns.pass();
        }
    }

    /**
     * Hashes, walks or looks at files for the client, when it is the turn of this thread. A {@linkplain #suspend
     * suspended} session has no turn. For a step that waits for nobody; {@link #requireOpen} divides a long one.
     *
     * @throws TransferException what ends the session, or INTERRUPTED
     */
    public <T extends @Nullable Object, X extends Exception> T inTurn(Step<T, X> step) throws X {
        Turns turns = budgets.turns();
        if (turns == null || turns.isMine()) {
            requireNotEnded();
            return step.run();
        }
        awaitClient();
        turns.take(this);
        try {
            return step.run();
        } finally {
            turns.give();
        }
    }

    /** Like {@link #inTurn}. */
    public void runInTurn(Runnable step) {
        var unused = inTurn(() -> {
            step.run();
            return true;
        });
    }

    private void awaitClient() {
        synchronized (budgets) {
            try {
                while (suspended && end == null && !closed) {
                    budgets.wait();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw Cause.INTERRUPTED.failure("interrupted");
            }
        }
        requireNotEnded();
    }

    /** The client has no connection: until {@link #resume} or the end, nothing is done for it. */
    public void suspend() {
        synchronized (budgets) {
            suspended = true;
        }
    }

    public void resume() {
        synchronized (budgets) {
            suspended = false;
            budgets.notifyAll();
        }
    }

    /**
     * Starts a thread that works for the session, with a priority below that of lanes and links.
     *
     * @throws TransferException LIMIT, if the session's share of threads is used up
     */
    public Thread start(String name, Threads.Work work) {
        return startLikeLane(name, () -> {
            if (budgets.turns() != null) {
                LowPriority.take();
            }
            work.run();
        });
    }

    /** Likewise, with the priority of lanes: for a thread that the lanes of the session wait for. */
    public Thread startLikeLane(String name, Threads.Work work) {
        takeLasting(Resource.THREADS);
        try {
            return Threads.start(name, () -> {
                try {
                    work.run();
                } finally {
                    giveBack(Resource.THREADS);
                }
            });
        } catch (RuntimeException | Error noThread) {
            giveBack(Resource.THREADS);
            throw noThread;
        }
    }

    /**
     * Runs the work on this thread, and at the same time on up to this many others, as far as there is room for what is
     * only useful. Returns when all have ended, whoever interrupts; throws the first failure of any of them.
     */
    public void runOnSeveral(String name, int helpers, Runnable work) {
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        Runnable guarded = () -> {
            try {
                work.run();
            } catch (RuntimeException | Error e) {
                failure.compareAndSet(null, e);
            }
        };
        List<Thread> started = new ArrayList<>();
        try {
            for (int i = 1; i <= helpers && hasSpare(Resource.THREADS, 1); i++) {
                started.add(start(name + "-" + i, guarded::run));
            }
        } catch (TransferException noRoom) {
            // Those that run do all of it.
        }
        guarded.run();
        started.forEach(Budget::awaitEnd);
        if (failure.get() instanceof Error mistake) {
            throw mistake;
        }
        if (failure.get() instanceof RuntimeException failed) {
            throw failed;
        }
    }

    private static void awaitEnd(Thread helper) {
        boolean interrupted = false;
        while (helper.isAlive()) {
            try {
                helper.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    void requireNotEnded() {
        TransferException why = end;
        if (why != null) {
            throw why.failure().exception();
        }
    }

    String key() {
        return key.id();
    }

    /** The failure of a session whose share is used up. */
    public static TransferException usedUp(Resource resource) {
        return Cause.SHARE_USED_UP.failure(
                "the client's sessions use up their share of this side's " + resource.shown());
    }

    /** Returns false, and takes nothing, if its share is used up. */
    public boolean tryTake(Resource resource, long amount) {
        synchronized (budgets) {
            if (amount == 0) {
                return true;
            }
            if (closed || !fits(resource, amount)) {
                return false;
            }
            boolean fits = add(resource, amount, 0);
            if (!fits) {
                add(resource, -amount, 0);
            }
            return fits;
        }
    }

    /**
     * Reserves the resource's floor for what the session will need at once, until it ends. Returns false if there is no
     * room for it.
     */
    public boolean reserve(Resource resource) {
        synchronized (budgets) {
            boolean fits = tryTake(resource, resource.floor());
            if (fits) {
                reserved.set(resource, resource.floor());
                give(resource, resource.floor());
            }
            return fits;
        }
    }

    /** How much more it could take now; negative if others have left it less than it holds. */
    public long room(Resource resource) {
        synchronized (budgets) {
            return closed ? 0 : roomFor(resource);
        }
    }

    /** Whether this much more is within its share. */
    public boolean hasRoom(Resource resource, long amount) {
        synchronized (budgets) {
            return !closed && fits(resource, amount);
        }
    }

    /**
     * Whether this session may hold this much more of what is only useful: up to half of its share. The other half is
     * for what it needs.
     */
    public boolean hasSpare(Resource resource, long amount) {
        synchronized (budgets) {
            return !closed && fits(resource, held.get(resource) + 2 * amount - granted.get(resource));
        }
    }

    private boolean fits(Resource resource, long amount) {
        return amount <= roomFor(resource);
    }

    private long roomFor(Resource resource) {
        Budgets.Pool pool = budgets.pool(resource);
        long charged = charged(resource) - granted.get(resource);
        long free = budgets.shareOf(key, pool) - (pool.heldBy(key) - charged);
        // Likewise, it must leave to other sessions of its key as much as it holds.
        long share = Math.max(Math.min(resource.floor(), free), free / 2);
        long most = Math.max(charged, Math.min(share, pool.limit - pool.held() + charged));
        return most - (held.get(resource) - granted.get(resource));
    }

    /**
     * Like {@link #take}, for one thing that may exist for a moment after the session, in a thread that a disk delays:
     * until its owner {@linkplain #giveBack gives it back}, it is charged.
     */
    public void takeLasting(Resource resource) {
        if (!tryTakeLasting(resource)) {
            throw usedUp(resource);
        }
    }

    public boolean tryTakeLasting(Resource resource) {
        synchronized (budgets) {
            boolean taken = tryTake(resource, 1);
            if (taken) {
                lasting.add(resource, 1);
            }
            return taken;
        }
    }

    /** For one thing that {@link #takeLasting} took. */
    public void giveBack(Resource resource) {
        giveBack(resource, 1);
    }

    /** For what {@link #takeLasting} or {@link #awaitRoom} took. */
    public void giveBack(Resource resource, long amount) {
        synchronized (budgets) {
            lasting.add(resource, -amount);
            give(resource, amount);
            if (closed) {
                budgets.forgetUnused(key);
            }
        }
    }

    /**
     * Waits until it has taken this much, until it is {@linkplain #giveBack(Resource, long) given back} like what is
     * {@linkplain #takeLasting lasting}; returns false if it could not in time, or was interrupted. Not for a thread
     * that others wait for before they give some of it back.
     */
    public boolean awaitRoom(Resource resource, long amount, long timeoutMs) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        synchronized (budgets) {
            while (!tryTake(resource, amount)) {
                long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                if (leftMs <= 0 || closed || end != null) {
                    return false;
                }
                try {
                    budgets.wait(leftMs);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return false;
                }
            }
            lasting.add(resource, amount);
            return true;
        }
    }

    /**
     * Takes pieces of this size from the share of its key, for something that the server grants as a whole. Returns
     * their number: as many of the needed ones as possible, and of those that are only useful a part of what is free
     * while less than half is held.
     */
    public int takePieces(Resource resource, int needed, int useful, long pieceSize) {
        synchronized (budgets) {
            Budgets.Pool pool = budgets.pool(resource);
            long held = pool.held();
            // Without its floor, what is granted would be of no use.
            long room = Math.min(pool.limit - held, budgets.shareOf(key, pool) - pool.heldBy(key)) - resource.floor();
            int taken = (int) Math.max(0, Math.min(needed, room / pieceSize));
            long spare = Math.min(room - taken * pieceSize, (pool.limit / 2 - held - taken * pieceSize) / SPARE_PARTS);
            taken += (int) Math.max(0, Math.min(useful - needed, spare / pieceSize));
            add(resource, taken * pieceSize, taken * pieceSize);
            // As in tryTake.
            int tooMany = (int) Math.min(taken, Math.max(0, (pool.held() - pool.limit + pieceSize - 1) / pieceSize));
            givePieces(resource, tooMany, pieceSize);
            return taken - tooMany;
        }
    }

    /** For what {@link #takePieces} took. */
    public void givePieces(Resource resource, int pieces, long pieceSize) {
        synchronized (budgets) {
            // As in give.
            long freed = Math.min(pieces * pieceSize, granted.get(resource));
            add(resource, -freed, -freed);
            budgets.notifyAll();
        }
    }

    public void give(Resource resource, long amount) {
        synchronized (budgets) {
            // After the end, everything else has been given back already.
            add(resource, -Math.min(amount, held.get(resource) - lasting.get(resource)), 0);
            budgets.notifyAll();
        }
    }

    public long held(Resource resource) {
        synchronized (budgets) {
            return held.get(resource);
        }
    }

    private long charged(Resource resource) {
        long whole = granted.get(resource);
        return whole + Math.max(reserved.get(resource), held.get(resource) - whole);
    }

    /** Returns false if all processes hold too much with it: another one may have taken the same at the same moment. */
    private boolean add(Resource resource, long amount, long asAWhole) {
        long before = charged(resource);
        held.add(resource, amount);
        granted.add(resource, asAWhole);
        return charge(resource, before);
    }

    private boolean charge(Resource resource, long before) {
        long more = charged(resource) - before;
        Budgets.Pool pool = budgets.pool(resource);
        if (more != 0) {
            pool.add(key, more);
        }
        return more <= 0 || pool.held() <= pool.limit;
    }

    /** Ends all waits, and from now on {@link #requireOpen} throws this: the session is ending. */
    public void end(TransferException why) {
        synchronized (budgets) {
            if (end == null) {
                end = why;
            }
            budgets.notifyAll();
        }
    }

    /** Opens another budget of the same key, for what outlives this one. */
    public Budget another() {
        return budgets.open(key.id());
    }

    @Override
    public void close() {
        synchronized (budgets) {
            if (closed) {
                return;
            }
            closed = true;
            for (Resource resource : Resource.values()) {
                long before = charged(resource);
                held.set(resource, lasting.get(resource));
                granted.set(resource, 0);
                reserved.set(resource, 0);
                var unused = charge(resource, before);
            }
            budgets.closed(key);
            budgets.notifyAll();
        }
    }
}
