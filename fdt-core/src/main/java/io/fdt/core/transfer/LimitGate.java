package io.fdt.core.transfer;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferLimits;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Enforces the limits of this side on a session. Entries are counted on the session's thread, chunks on any lane's. */
public final class LimitGate {
    private final TransferLimits limits;
    private final boolean ofServer;
    private final @Nullable LimitGate next;
    private final AtomicLong bytes = new AtomicLong();
    private long declaredBytes;
    private long entries;

    private LimitGate(TransferLimits limits, boolean ofServer, @Nullable LimitGate next) {
        this.limits = limits;
        this.ofServer = ofServer;
        this.next = next;
    }

    /** Limits of the user who runs the transfer. */
    public static LimitGate ofClient(TransferLimits limits) {
        return new LimitGate(limits, false, null);
    }

    /** Limits of the server, which its client cannot change. */
    public static LimitGate ofServer(TransferLimits limits) {
        return new LimitGate(limits, true, null);
    }

    public LimitGate and(LimitGate other) {
        return new LimitGate(limits, ofServer, next == null ? other : next.and(other));
    }

    /** Counts an entry; throws if it must end the session. */
    public void countEntry() {
        if (++entries > limits.entries()) {
            throw reached(limits.entries() + " files and directories in one transfer (--max-entries)");
        }
        if (next != null) {
            next.countEntry();
        }
    }

    /** Throws if this entry alone must fail. */
    public void requirePath(FileEntry entry) {
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
        if (next != null) {
            next.requirePath(entry);
        }
    }

    /**
     * Declares data of a file that is needed; throws if that must end the session, before any of it is written to disk.
     */
    public void declare(long lengthBytes) {
        declaredBytes += lengthBytes;
        if (declaredBytes < 0 || declaredBytes > limits.bytes()) {
            throw tooManyBytes();
        }
        if (next != null) {
            next.declare(lengthBytes);
        }
    }

    private TransferException tooManyBytes() {
        return reached(limits.bytes() + " bytes in one transfer (--max-bytes)");
    }

    /** Counts a chunk that is about to be moved; throws if that must end the session. */
    public void countBytes(int lengthBytes) {
        if (bytes.addAndGet(lengthBytes) > limits.bytes()) {
            throw tooManyBytes();
        }
        if (next != null) {
            next.countBytes(lengthBytes);
        }
    }

    /** Counts what a few bytes from the peer make this side read; a user's own limit is not about that. */
    public void countRead(int lengthBytes) {
        if (ofServer) {
            countBytes(lengthBytes);
        }
    }

    private TransferException reached(String limit) {
        return ofServer
                ? Cause.REFUSED.advise("copy in parts").failure("the server takes at most " + limit)
                : Cause.LIMIT.failure("stopped at the limit of " + limit);
    }
}
