package io.fdt.core.storage.target;

import io.fdt.core.budget.Budget;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * Determines how a file system stores a time: some keep only seconds, some end in 2038. Sets the time of a nameless
 * file and reads it back. Opens that file on first use. For one thread.
 */
final class TimeProbe implements AutoCloseable {
    private static final SecureRandom NUMBERS = new SecureRandom();

    private final boolean changes;
    private final Budget budget;
    private boolean tried;
    private @Nullable Descriptor probe;
    private final FileStatus status = new FileStatus();

    /** @param changes whether it may create a file with a name where there are no others */
    TimeProbe(Budget budget, boolean changes) {
        this.budget = budget;
        this.changes = changes;
    }

    /** Whether a file that was given the entry's time would show the existing one's. */
    boolean wouldShow(int dirFd, FileEntry entry, FileStatus there) {
        if (!tried) {
            tried = true;
            int opened = open(dirFd);
            probe = opened < 0 ? null : new Descriptor(opened, budget);
        }
        Descriptor own = probe;
        return own != null
                && FileMetadata.setModified(own.fd(), entry.modifiedSeconds(), entry.modifiedNanos()) == 0
                && FileMetadata.stat(own.fd(), status) == 0
                && status.modifiedSeconds == there.modifiedSeconds
                && status.modifiedNanos == there.modifiedNanos;
    }

    /**
     * Opens a file without a name, if the file system supports that: a named one would stay if it could not be removed.
     */
    private int open(int dirFd) {
        int nameless = Paths.openat(dirFd, RawPath.HERE, Paths.O_TMPFILE | Paths.O_RDWR, 0600);
        return nameless >= 0 || !changes ? nameless : openNamed(dirFd);
    }

    private static int openNamed(int dirFd) {
        RawPath name = RawPath.ofText(String.format(".fdt.%016x.part", NUMBERS.nextLong()));
        int opened = Paths.openat(dirFd, name, Paths.O_RDWR | Paths.O_CREAT | Paths.O_EXCL | Paths.O_NOFOLLOW, 0600);
        if (opened >= 0) {
            Paths.unlinkat(dirFd, name, 0);
        }
        return opened;
    }

    @Override
    public void close() {
        tried = true;
        if (probe != null) {
            probe.close();
            probe = null;
        }
    }
}
