package io.fdt.core.nettest;

import io.fdt.core.FailureKind;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The resources of a server for all network tests together: memory for their objects and lanes, and a directory for the
 * log of objects, which clients cannot choose. Thread-safe.
 */
public final class NettestResources {
    public static final long DEFAULT_MEMORY_BYTES = 256L << 20;
    public static final long DEFAULT_LOG_BYTES = 4L << 30;

    private final long memoryBytes;
    private final @Nullable Path logDirectory;
    private final long logBytes;

    // Guarded by this.
    private long usedBytes;

    /** Without a directory nothing is made durable; otherwise the log may grow to this size. */
    public NettestResources(long memoryBytes, @Nullable Path logDirectory, long logBytes) {
        this.memoryBytes = memoryBytes;
        this.logDirectory = logDirectory;
        this.logBytes = logBytes;
    }

    public static NettestResources inMemory() {
        return new NettestResources(DEFAULT_MEMORY_BYTES, null, DEFAULT_LOG_BYTES);
    }

    /** The same for a process that may not write to the log. */
    public NettestResources withoutLog() {
        return new NettestResources(memoryBytes, null, logBytes);
    }

    /** The directory of the log; refuses a test with a log if the server has none. */
    public Path logDirectory() {
        Path directory = logDirectory;
        if (directory == null) {
            throw FailureKind.REFUSED.failure(
                    "the server has no directory for --durable log; start it with --nettest-log DIR");
        }
        return directory;
    }

    public long logBytes() {
        return logBytes;
    }

    /** The caller must release it. */
    public synchronized void reserve(long bytes) {
        if (bytes > memoryBytes - usedBytes) {
            throw FailureKind.REFUSED.failure("this network test needs " + mebibytes(bytes)
                    + " MiB and the server has " + mebibytes(memoryBytes - usedBytes) + " of "
                    + mebibytes(memoryBytes) + " MiB left for such tests; use fewer or smaller objects, lanes or"
                    + " blocks, or raise --nettest-memory on the server");
        }
        usedBytes += bytes;
    }

    private static long mebibytes(long bytes) {
        return (bytes + (1 << 20) - 1) >> 20;
    }

    public synchronized void release(long bytes) {
        usedBytes -= bytes;
    }
}
