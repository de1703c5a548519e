package io.fdt.core.files;

import io.fdt.core.failure.Failure;
import io.fdt.core.plan.RawPath;
import org.jspecify.annotations.Nullable;

/**
 * Receives the entries of a listing in the server's order. Called on the listing's threads; blocking here slows the
 * server down.
 */
public interface ListObserver {
    /** An entry; when cleaning, one that was removed. */
    void onEntry(Entry entry);

    /** When cleaning: a file of an unfinished copy that is kept, and the reason, as one line for display. */
    default void onKept(Entry entry, String reason) {}

    /** What could not be read or removed, and why. */
    default void onUnreadable(Failure why) {}

    default void onSpace(Space space) {}

    /** A warning for the operator; one line. */
    default void onWarning(String message) {}

    enum ListedKind {
        FILE,
        DIR,
        LINK,
        /** A device, pipe or socket. */
        OTHER
    }

    /**
     * One entry of a listing.
     *
     * @param path below the listed directory, as the server sent it; a file that is listed alone has its name
     * @param bytes of a file; 0 for everything else
     * @param mode permission bits, with setuid, setgid and sticky
     */
    record Entry(
            RawPath path,
            ListedKind kind,
            long bytes,
            int mode,
            long modifiedSeconds,
            int modifiedNanos,
            @Nullable RawPath linkTarget) {}

    /**
     * The space on a file system.
     *
     * @param path that was listed
     * @param freeBytes available to a user who is not root; like the others, -1 if the file system does not report it
     * @param files inodes
     */
    record Space(RawPath path, long freeBytes, long bytes, long freeFiles, long files) {}
}
