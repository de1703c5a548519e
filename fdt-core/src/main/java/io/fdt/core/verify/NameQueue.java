package io.fdt.core.verify;

import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.VerifyMessage.VerifyName;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A bounded queue of names from a client to the walk that looks them up. Thread-safe. */
final class NameQueue implements NamedListing.Names {
    private final ArrayDeque<VerifyName> names = new ArrayDeque<>();
    private boolean ended;

    /** Returns false if these exceed what a client may send ahead, or follow the end. */
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

    /** If a client sends nothing more, its session is given up, which interrupts the waiting thread. */
    @Override
    public synchronized @Nullable VerifyName next() throws InterruptedException {
        while (names.isEmpty() && !ended) {
            wait();
        }
        return names.poll();
    }
}
