package io.fdt.core.errand;

import io.fdt.core.Clock;
import io.fdt.core.account.Account;
import io.fdt.core.account.Resource;
import io.fdt.core.receipt.KeptReceipt;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
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
     * @param account of the session that makes it, whose key is charged
     */
    synchronized DetachedCopy add(String id, String keyId, Account account, String from, String to) {
        dropOld();
        Account own = account.another();
        boolean hasRoom = own.tryTake(Resource.HEAP, DetachedCopy.HEAP_BYTES);
        while (ended(keyId) > (hasRoom ? MAX_KEPT - 1 : 0)) {
            dropOldest(keyId);
            hasRoom = hasRoom || own.tryTake(Resource.HEAP, DetachedCopy.HEAP_BYTES);
        }
        if (!hasRoom) {
            throw Account.usedUp(Resource.HEAP);
        }
        DetachedCopy added = new DetachedCopy(id, keyId, from, to, own, clock);
        all.add(added);
        return added;
    }

    /** Returns the receipt of a copy, to be written, which is kept with it; ended copies of its key give way to it. */
    KeptReceipt keepReceipt(DetachedCopy copy) {
        return copy.keepReceipt(() -> makeRoom(copy.keyId));
    }

    private synchronized boolean makeRoom(String keyId) {
        dropOld();
        boolean found = ended(keyId) > 0;
        if (found) {
            dropOldest(keyId);
        }
        return found;
    }

    /** Those that a client with this key may see, the oldest first. */
    synchronized List<DetachedCopy> of(String keyId) {
        dropOld();
        return all.stream().filter(copy -> copy.keyId.equals(keyId)).toList();
    }

    synchronized @Nullable DetachedCopy find(String keyId, String id) {
        return of(keyId).stream().filter(copy -> copy.id.equals(id)).findFirst().orElse(null);
    }

    private long ended(String keyId) {
        return all.stream()
                .filter(copy -> copy.keyId.equals(keyId) && !copy.isRunning())
                .count();
    }

    private void dropOldest(String keyId) {
        for (DetachedCopy copy : new ArrayList<>(all)) {
            if (copy.keyId.equals(keyId) && !copy.isRunning()) {
                all.remove(copy);
                copy.forget();
                return;
            }
        }
    }

    private void dropOld() {
        for (Iterator<DetachedCopy> copies = all.iterator(); copies.hasNext(); ) {
            DetachedCopy copy = copies.next();
            if (copy.endedForNanos() > KEPT_NANOS) {
                copies.remove();
                copy.forget();
            }
        }
    }
}
