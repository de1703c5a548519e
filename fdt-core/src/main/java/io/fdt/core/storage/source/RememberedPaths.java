package io.fdt.core.storage.source;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.plan.RawPath;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Paths that a receiver must remember although its sender determines their number, as a {@link PathHashes}. All such
 * sets of a process together use a bounded share of the heap. For one thread.
 */
public final class RememberedPaths implements AutoCloseable {
    /** A set needs up to 24 bytes a path after it has grown. */
    private static final Share HEAP = new Share(Runtime.getRuntime().maxMemory() / 4 / 24);

    private final PathHashes known = new PathHashes();
    private final Share share;
    private final String what;
    private final String remedy;
    private long held;

    /** The limit that several sets share. */
    static final class Share {
        private final long max;
        private final AtomicLong count = new AtomicLong();

        Share(long max) {
            this.max = max;
        }
    }

    /**
     * @param what the option that needs the paths
     * @param remedy what the user can do if there are too many
     */
    public RememberedPaths(String what, String remedy) {
        this(what, remedy, HEAP);
    }

    RememberedPaths(String what, String remedy, Share share) {
        this.what = what;
        this.remedy = remedy;
        this.share = share;
    }

    /** @throws TransferException LIMIT, if there are too many: the session cannot be completed */
    public void add(RawPath path) {
        held++;
        if (share.count.incrementAndGet() > share.max) {
            throw FailureKind.LIMIT.failure(
                    what + " can remember " + share.max + " paths in the heap of the receiver, but there are more; "
                            + remedy + ", or give the receiver a larger heap (java -Xmx)");
        }
        known.add(path);
    }

    public boolean contains(RawPath path) {
        return known.contains(path);
    }

    @Override
    public void close() {
        share.count.addAndGet(-held);
        held = 0;
    }
}
