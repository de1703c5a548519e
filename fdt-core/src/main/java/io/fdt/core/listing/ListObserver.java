package io.fdt.core.listing;

import io.fdt.core.plan.RawPath;
import org.jspecify.annotations.Nullable;

/**
 * What a listing finds, in the order in which the server meets it. Called on the listing's threads; what blocks here
 * holds the server back.
 */
public interface ListObserver {
    /** One entry; when cleaning: one that was removed. */
    void onEntry(Entry entry);

    /** When cleaning: a file of an unfinished copy that stays, with its path and the reason in one line for people. */
    default void onKept(Entry entry, String reason) {}

    /** What could not be read, or removed, with the path and the reason: one line for people, already escaped. */
    default void onUnreadable(String reason) {}

    /** The room on a file system that is listed. */
    default void onSpace(Space space) {}

    /** Something the operator should know; one line. */
    default void onWarning(String message) {}

    enum Kind {
        FILE,
        DIR,
        LINK,
        /** A device, pipe or socket. */
        OTHER
    }

    /**
     * One entry of a listing.
     *
     * @param path below the directory that is listed, as the server says; a file that is listed alone has its name
     * @param bytes of a file; 0 for everything else
     * @param mode permission bits, with setuid, setgid and sticky
     * @param linkTarget of a symbolic link
     */
    record Entry(
            RawPath path,
            Kind kind,
            long bytes,
            int mode,
            long modifiedSeconds,
            int modifiedNanos,
            @Nullable RawPath linkTarget) {}

    /**
     * The room on a file system.
     *
     * @param path that was listed
     * @param freeBytes that a user who is not root may still write; this and the others are -1 where the file system
     *     does not know
     * @param files inodes
     */
    record Space(RawPath path, long freeBytes, long bytes, long freeFiles, long files) {}
}
