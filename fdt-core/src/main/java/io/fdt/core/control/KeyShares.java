package io.fdt.core.control;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.security.AccessKey;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * How much of a server's memory, or of its descriptors, its clients hold, together and by key. Where there are several
 * keys, one may hold no more than is free. Thread-safe.
 */
final class KeyShares {
    private final long limit;
    private final BooleanSupplier severalKeys;
    private final Map<String, Long> heldByKey = new HashMap<>();
    private long held;

    KeyShares(long limit, BooleanSupplier severalKeys) {
        this.limit = limit;
        this.severalKeys = severalKeys;
    }

    /** Takes as many pieces of this size for a key as there is room for, and says how many; at most the wanted ones. */
    synchronized int take(AccessKey key, int wanted, long pieceSize) {
        long own = heldByKey.getOrDefault(key.id(), 0L);
        long room = limit - held;
        if (severalKeys.getAsBoolean()) {
            // With what it takes it must not hold more than is free then.
            room = (limit - (held - own)) / 2 - own;
        }
        int taken = (int) Math.max(0, Math.min(wanted, room / pieceSize));
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

    /** What a client is told for whom nothing is left. */
    static TransferException memoryExhausted() {
        return new TransferException(
                FailureKind.REFUSED, "other sessions use all of the server's memory (--max-memory); try again later");
    }
}
