package io.fdt.core.transfer;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferLimits;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Holds a session against the limits of this side. Entries are the session's thread's, chunks any lane's.
 */
final class LimitGate {
    private final TransferLimits limits;
    private final boolean ofServer;
    private final AtomicLong bytes = new AtomicLong();
    private long entries;

    private LimitGate(TransferLimits limits, boolean ofServer) {
        this.limits = limits;
        this.ofServer = ofServer;
    }

    /** Limits of the user who runs the transfer. */
    static LimitGate ofClient(TransferLimits limits) {
        return new LimitGate(limits, false);
    }

    /** Limits of the server, which its client can only be told. */
    static LimitGate ofServer(TransferLimits limits) {
        return new LimitGate(limits, true);
    }

    /** One more entry; throws what ends the session. */
    void countEntry() {
        if (++entries > limits.entries()) {
            throw reached(limits.entries() + " files and directories in one transfer (--max-entries)");
        }
    }

    /** Throws what fails the entry alone. */
    void requirePath(FileEntry entry) {
        RawPath path = entry.path();
        if (path.lengthBytes() > limits.pathBytes()) {
            throw reached("paths of " + limits.pathBytes() + " bytes (--max-path-bytes)");
        }
        int depth = 1;
        for (int i = 0; i < path.lengthBytes(); i++) {
            if (path.byteAt(i) == '/') {
                depth++;
            }
        }
        if (depth > limits.pathDepth()) {
            throw reached("paths of " + limits.pathDepth() + " components (--max-path-depth)");
        }
    }

    /** One more chunk is about to be moved; throws what ends the session. */
    void countBytes(int lengthBytes) {
        if (bytes.addAndGet(lengthBytes) > limits.bytes()) {
            throw reached(limits.bytes() + " bytes in one transfer (--max-bytes)");
        }
    }

    private TransferException reached(String limit) {
        return ofServer
                ? new TransferException(FailureKind.REFUSED, "the server takes at most " + limit)
                : new TransferException(FailureKind.LIMIT, "stopped at " + limit);
    }
}
