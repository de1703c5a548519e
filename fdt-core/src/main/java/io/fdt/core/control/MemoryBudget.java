package io.fdt.core.control;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;

/** What a server may hold for all its clients together. Thread-safe. */
final class MemoryBudget {
    private final long limitBytes;
    private long heldBytes;

    MemoryBudget(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** Takes as many pieces of this size as there is room for, and says how many; at most the wanted ones. */
    synchronized int take(int wanted, long pieceBytes) {
        long room = (limitBytes - heldBytes) / pieceBytes;
        int taken = (int) Math.max(0, Math.min(wanted, room));
        heldBytes += taken * pieceBytes;
        return taken;
    }

    synchronized void giveBack(long bytes) {
        heldBytes -= bytes;
    }

    /** What a client is told for whom nothing is left. */
    static TransferException exhausted() {
        return new TransferException(
                FailureKind.REFUSED, "the server's memory is taken by other clients (--max-memory): try again later");
    }

    synchronized long heldBytes() {
        return heldBytes;
    }
}
