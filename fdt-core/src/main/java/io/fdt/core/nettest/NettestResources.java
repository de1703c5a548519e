package io.fdt.core.nettest;

import io.fdt.core.failure.Cause;
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
            throw Cause.REFUSED
                    .advise("start it with --nettest-log DIR")
                    .failure("the server has no directory for --durable log");
        }
        return directory;
    }

    /** For what all tests together hold; each is charged to the account of its session. */
    public long memoryBytes() {
        return memoryBytes;
    }

    public long logBytes() {
        return logBytes;
    }
}
