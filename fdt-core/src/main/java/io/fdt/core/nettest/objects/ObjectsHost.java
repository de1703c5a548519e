package io.fdt.core.nettest.objects;

import io.fdt.core.FailureKind;
import io.fdt.core.objects.ObjectLog;
import io.fdt.core.wire.NettestMessage.OpenNettest;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The resources of a server for the objects of all tests together: memory, and a directory for their log, which clients
 * cannot choose. Thread-safe.
 */
public final class ObjectsHost {
    public static final long USUAL_MEMORY_BYTES = 256L << 20;
    public static final long USUAL_LOG_BYTES = 4L << 30;

    private final long memoryBytes;
    private final @Nullable Path logDirectory;
    private final long logBytes;

    // Guarded by this.
    private long usedBytes;

    /** Without a directory nothing is made durable; otherwise the log may grow to this size. */
    public ObjectsHost(long memoryBytes, @Nullable Path logDirectory, long logBytes) {
        this.memoryBytes = memoryBytes;
        this.logDirectory = logDirectory;
        this.logBytes = logBytes;
    }

    /** The default memory, and no log. */
    public static ObjectsHost inMemory() {
        return new ObjectsHost(USUAL_MEMORY_BYTES, null, USUAL_LOG_BYTES);
    }

    /** Refuses a request that exceeds the limits of this server. */
    public void check(OpenNettest request) {
        if (request.objects() != null && request.objects().logged() && logDirectory == null) {
            throw FailureKind.REFUSED.failure(
                    "the server has no directory for --durable log; start it with --nettest-log DIR");
        }
    }

    /** The caller must release it. */
    synchronized void reserve(long bytes) {
        if (bytes > memoryBytes - usedBytes) {
            throw FailureKind.REFUSED.failure("the objects need " + mebibytes(bytes) + " MiB and the server has "
                    + mebibytes(memoryBytes - usedBytes)
                    + " of " + mebibytes(memoryBytes)
                    + " MiB left for them; use fewer --objects or smaller --sizes, or raise"
                    + " --nettest-memory on the server");
        }
        usedBytes += bytes;
    }

    private static long mebibytes(long bytes) {
        return (bytes + (1 << 20) - 1) >> 20;
    }

    synchronized void release(long bytes) {
        usedBytes -= bytes;
    }

    ObjectLog openLog(boolean keep) {
        Path directory = logDirectory;
        if (directory == null) {
            throw new IllegalStateException("a test with a log was admitted without a log directory");
        }
        return ObjectLog.open(directory, keep, logBytes);
    }
}
