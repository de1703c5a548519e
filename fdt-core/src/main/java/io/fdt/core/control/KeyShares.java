package io.fdt.core.control;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.security.AccessKey;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * The shares of a server's memory, or of its descriptors, that its clients hold, in total and by key. If there are
 * several keys, one may hold no more than is free. Thread-safe.
 */
final class KeyShares {
    /** The spare part is divided among several sessions. */
    private static final int SPARE_PARTS = 4;

    private final long limit;
    private final BooleanSupplier severalKeys;
    private final Map<String, Long> heldByKey = new HashMap<>();
    private long held;

    KeyShares(long limit, BooleanSupplier severalKeys) {
        this.limit = limit;
        this.severalKeys = severalKeys;
    }

    /**
     * Takes pieces of this size for a key, and returns their number: as many of the needed ones as possible, and of
     * those that are only useful a part of what is free while less than half is held.
     */
    synchronized int take(AccessKey key, int needed, int useful, long pieceSize) {
        long own = heldByKey.getOrDefault(key.id(), 0L);
        long room = limit - held;
        if (severalKeys.getAsBoolean()) {
            // Including what it takes, it must not hold more than is free afterwards.
            room = (limit - (held - own)) / 2 - own;
        }
        int taken = (int) Math.max(0, Math.min(needed, room / pieceSize));
        long spare = Math.min(room - taken * pieceSize, (limit / 2 - held - taken * pieceSize) / SPARE_PARTS);
        taken += (int) Math.max(0, Math.min(useful - needed, spare / pieceSize));
        add(key, taken * pieceSize);
        return taken;
    }

    synchronized void giveBack(AccessKey key, long bytes) {
        add(key, -bytes);
    }

    private void add(AccessKey key, long bytes) {
        held += bytes;
        long own = heldByKey.getOrDefault(key.id(), 0L) + bytes;
        if (own == 0) {
            heldByKey.remove(key.id());
        } else {
            heldByKey.put(key.id(), own);
        }
    }

    /** The refusal when no memory is left. */
    static TransferException memoryExhausted() {
        return FailureKind.UNAVAILABLE.failure(
                "other sessions use all of the server's memory (--max-memory); try again later");
    }
}
