package io.fdt.core.verify;

import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.VerifyMessage.VerifyName;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Names on their way from a client to the walk that looks them up, a bounded number of them. Thread-safe. */
final class NameQueue implements NamedListing.Names {
    private final ArrayDeque<VerifyName> names = new ArrayDeque<>();
    private boolean ended;

    /** False when these are more than a client may send ahead, or come behind the end. */
    synchronized boolean add(List<VerifyName> more) {
        if (ended || names.size() + more.size() > Bounds.MAX_VERIFY_NAMES) {
            return false;
        }
        names.addAll(more);
        notifyAll();
        return true;
    }

    synchronized void end() {
        ended = true;
        notifyAll();
    }

    /** A client that sends nothing more is given up with its session, which interrupts whoever waits here. */
    @Override
    public synchronized @Nullable VerifyName next() throws InterruptedException {
        while (names.isEmpty() && !ended) {
            wait();
        }
        return names.poll();
    }
}
