package io.fdt.core.storage.source;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileData;

/**
 * Bytes that can be read once and in order, for example from standard input. Each read must begin where the previous
 * one ended; the component that claims the ranges ensures that. Reads are full until the end of the stream. The
 * descriptor still belongs to the process.
 */
public final class PipeSource implements SourceFile {
    private static final int STANDARD_INPUT = 0;

    private final int fd;
    private final RawPath path;
    private long position;

    public PipeSource(int fd, RawPath path) {
        this.fd = fd;
        this.path = path;
    }

    public static PipeSource standardInput() {
        return new PipeSource(STANDARD_INPUT, RawPath.ofText("standard input"));
    }

    @Override
    public synchronized int read(long address, int lengthBytes, long offset) {
        if (offset != position) {
            throw Cause.CONNECTION_LOST
                    .at(path.display())
                    .failure("byte " + offset + " was read once and lost on the way; a pipe cannot be read again");
        }
        int done = 0;
        while (done < lengthBytes) {
            int count = FileData.readFrom(fd, address + done, lengthBytes - done);
            Errno.require(count, FailureKind.SOURCE, "read", path);
            if (count == 0) {
                break;
            }
            done += count;
            position += count;
        }
        return done;
    }

    @Override
    public void close() {
        // Standard input belongs to the process.
    }
}
