package io.fdt.core.storage.source;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.plan.RawPath;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Paths that a receiver has to remember although its sender decides how many there are, as a {@link PathHashes}. All
 * such sets of a process together hold a bounded share of the heap. One thread.
 */
public final class RememberedPaths implements AutoCloseable {
    /** A set that grows holds 24 bytes a path at most. */
    private static final Share HEAP = new Share(Runtime.getRuntime().maxMemory() / 4 / 24);

    private final PathHashes known = new PathHashes();
    private final Share share;
    private final String what;
    private final String remedy;
    private long held;

    /** What several sets share. */
    static final class Share {
        private final long max;
        private final AtomicLong count = new AtomicLong();

        Share(long max) {
            this.max = max;
        }
    }

    /**
     * @param what the option that they are remembered for
     * @param remedy what its user can do when there are too many
     */
    public RememberedPaths(String what, String remedy) {
        this(what, remedy, HEAP);
    }

    RememberedPaths(String what, String remedy, Share share) {
        this.what = what;
        this.remedy = remedy;
        this.share = share;
    }

    /** @throws TransferException LIMIT, when there are too many: the session cannot be completed */
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
