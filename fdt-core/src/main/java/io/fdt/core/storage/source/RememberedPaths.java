package io.fdt.core.storage.source;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Resource;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;

/**
 * Paths that a receiver must remember although its sender determines their number, as a {@link PathHashes}. They are
 * charged to a budget before they are added. For one thread.
 */
public final class RememberedPaths implements AutoCloseable {
    /** A set needs up to this much for a path after it has grown. */
    private static final long PATH_BYTES = 24;

    private static final int BLOCK_PATHS = 1024;

    private final PathHashes known = new PathHashes();
    private final Budget budget;
    private final String what;
    private final String remedy;
    private int count;
    private long heldBytes;

    /**
     * @param what the option that needs the paths
     * @param remedy what the user can do if there are too many
     */
    public RememberedPaths(String what, String remedy, Budget budget) {
        this.what = what;
        this.remedy = remedy;
        this.budget = budget;
    }

    /** @throws TransferException LIMIT, if there are too many: the session cannot be completed */
    public void add(RawPath path) {
        if (count % BLOCK_PATHS == 0) {
            if (!budget.tryTake(Resource.HEAP, BLOCK_PATHS * PATH_BYTES)) {
                throw Cause.LIMIT
                        .advise(remedy + ", or give the receiver a larger heap (java -Xmx)")
                        .failure(what + " needs more paths than fit into this session's share of the receiver's heap, "
                                + count);
            }
            heldBytes += BLOCK_PATHS * PATH_BYTES;
        }
        count++;
        known.add(path);
    }

    public boolean contains(RawPath path) {
        return known.contains(path);
    }

    @Override
    public void close() {
        budget.give(Resource.HEAP, heldBytes);
        heldBytes = 0;
    }
}
