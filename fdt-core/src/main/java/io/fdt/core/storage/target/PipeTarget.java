package io.fdt.core.storage.target;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileData;
import io.fdt.core.storage.posix.Zeros;
import java.util.List;

/**
 * Receives one file and writes its bytes in order, for example to standard output. Each write must begin where the
 * previous one ended; the component that assigns the ranges ensures that. Bytes that were written out cannot be taken
 * back. The descriptor still belongs to the process.
 */
public final class PipeTarget extends UnkeptTarget {
    private static final int STANDARD_OUTPUT = 1;

    private final int fd;
    private final RawPath path;
    private boolean given;

    PipeTarget(int fd, RawPath path) {
        this.fd = fd;
        this.path = path;
    }

    public static PipeTarget of(int fd) {
        return new PipeTarget(fd, RawPath.ofText(fd == STANDARD_OUTPUT ? "standard output" : "descriptor " + fd));
    }

    @Override
    public boolean takesOneFile() {
        return true;
    }

    @Override
    public Outcome prepare(FileEntry entry) {
        return prepareChanged(entry);
    }

    @Override
    public Outcome prepareChanged(FileEntry entry) {
        if (!entry.hasData() || given) {
            throw Cause.USAGE.at(entry.path().display()).failure(path.display() + " takes one file");
        }
        given = true;
        return new Outcome.Wanted(new PipeFile(), List.of(), null);
    }

    private final class PipeFile extends UnkeptFile {
        private long position;
        private boolean damaged;

        @Override
        public synchronized void onDamaged() {
            damaged = true;
        }

        @Override
        public synchronized void write(long address, int lengthBytes, long offset) {
            if (offset < position) {
                throw damaged
                        ? Cause.INTEGRITY
                                .at(path.display())
                                .failure("byte " + offset + " was already written out and did not verify")
                        : Cause.CONNECTION_LOST
                                .at(path.display())
                                .failure("a lane was lost after byte " + offset
                                        + " had been written out, which cannot be taken back");
            }
            if (offset > position) {
                throw Cause.CONNECTION_LOST
                        .at(path.display())
                        .failure("byte " + offset + " arrived, but byte " + position + " is next");
            }
            int done = 0;
            while (done < lengthBytes) {
                int count = FileData.writeTo(fd, address + done, lengthBytes - done);
                Errno.require(count, FailureKind.TARGET, "write", path);
                done += count;
                position += count;
            }
        }

        @Override
        public synchronized void zero(long offset, long lengthBytes) {
            for (long done = 0; done < lengthBytes; done += Zeros.LENGTH_BYTES) {
                write(Zeros.ADDRESS, (int) Math.min(Zeros.LENGTH_BYTES, lengthBytes - done), offset + done);
            }
        }
    }
}
