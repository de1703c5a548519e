package io.fdt.core.thirdparty;

import io.fdt.core.basic.Clock;
import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Resource;
import io.fdt.core.receipt.KeptReceipt;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The copies of a server that outlive their clients. Running ones are sessions, so the limits of sessions bound them.
 * Ended ones are kept for a day, in memory only and at the expense of their key. Thread-safe.
 */
public final class DetachedCopies {
    static final long KEPT_NANOS = TimeUnit.DAYS.toNanos(1);
    /** Of ended copies of a key. */
    static final int MAX_KEPT = 256;

    private final Clock clock;
    /** The oldest first. */
    private final Deque<DetachedCopy> all = new ArrayDeque<>();

    public DetachedCopies(Clock clock) {
        this.clock = clock;
    }

    /**
     * Adds a copy; throws LIMIT if its key has no room for it, even without its ended copies.
     *
     * @param budget of the session that makes it, whose key is charged
     */
    DetachedCopy add(String id, String keyId, Budget budget, String from, String to) {
        dropOld();
        Budget own = budget.another();
        boolean hasRoom = own.tryTake(Resource.HEAP, DetachedCopy.HEAP_BYTES);
        while (ended(keyId) > (hasRoom ? MAX_KEPT - 1 : 0)) {
            dropOldest(keyId, copy -> true);
            hasRoom = hasRoom || own.tryTake(Resource.HEAP, DetachedCopy.HEAP_BYTES);
        }
        if (!hasRoom) {
            throw Budget.usedUp(Resource.HEAP);
        }
        DetachedCopy added = new DetachedCopy(id, keyId, from, to, own, clock);
        synchronized (this) {
            all.add(added);
        }
        return added;
    }

    /**
     * Returns the receipt of a copy, to be written, which is kept with it; ended copies of its key whose receipts
     * nobody is reading give way to it.
     */
    KeptReceipt keepReceipt(DetachedCopy copy) {
        return copy.keepReceipt(() -> {
            dropOld();
            return dropOldest(copy.keyId, DetachedCopy::hasReceiptToGive);
        });
    }

    /** Those that a client with this key may see, the oldest first. */
    List<DetachedCopy> of(String keyId) {
        dropOld();
        synchronized (this) {
            return all.stream().filter(copy -> copy.keyId.equals(keyId)).toList();
        }
    }

    @Nullable DetachedCopy find(String keyId, String id) {
        return of(keyId).stream().filter(copy -> copy.id.equals(id)).findFirst().orElse(null);
    }

    private synchronized long ended(String keyId) {
        return all.stream()
                .filter(copy -> copy.keyId.equals(keyId) && !copy.isRunning())
                .count();
    }

    /** Returns false if there is none. */
    private boolean dropOldest(String keyId, Predicate<DetachedCopy> which) {
        Predicate<DetachedCopy> ended = copy -> copy.keyId.equals(keyId) && !copy.isRunning();
        return drop(ended.and(which), 1) > 0;
    }

    private void dropOld() {
        int unused = drop(copy -> copy.endedForNanos() > KEPT_NANOS, Integer.MAX_VALUE);
    }

    /** Forgets them when no lock is held; returns how many there were. */
    private int drop(Predicate<DetachedCopy> which, int max) {
        List<DetachedCopy> dropped;
        synchronized (this) {
            dropped = all.stream().filter(which).limit(max).toList();
            all.removeAll(dropped);
        }
        dropped.forEach(DetachedCopy::forget);
        return dropped.size();
    }
}
