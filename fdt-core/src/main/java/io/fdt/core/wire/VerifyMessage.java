package io.fdt.core.wire;

import io.fdt.core.digest.HashKind;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.Cleaning;
import io.fdt.core.plan.RawPath;
import java.util.List;
import org.jspecify.annotations.Nullable;

public sealed interface VerifyMessage extends ControlMessage {

    /**
     * Client to server: the session reports what is at a path.
     *
     * @param digest of contents
     * @param device contents are read from the device and not from the page cache
     * @param named report only what the client names, where a copy to this path would have put it; otherwise everything
     *     below the path, in tree order
     * @param single the copy had one entry, which was not a directory
     * @param threads for hashing, at most
     */
    record OpenVerify(
            RawPath path, HashKind digest, boolean device, boolean named, boolean single, int threads, long timeoutMs)
            implements VerifyMessage {
        public OpenVerify {
            path.requireShort();
        }
    }

    /** Client: the next entries to report. */
    record VerifyNames(List<VerifyName> names) implements VerifyMessage {}

    /**
     * The path of a copied entry.
     *
     * @param directory whether it was one
     * @param above whether it was a directory that is only above copied names: it may be there through a link
     */
    record VerifyName(RawPath path, boolean directory, boolean above) {}

    /** Server: the next entries, in tree order or in the order of the names. */
    record VerifyPage(List<CheckedEntry> entries) implements VerifyMessage {}

    /** Client: this many pages have been processed. */
    record VerifyMore(int pages) implements VerifyMessage {}

    /**
     * Client to server: the session lists a directory, or what a pattern matches, in the order of the file system and
     * without digests.
     *
     * @param path empty for the exported roots themselves
     * @param recursive also everything below
     * @param space also unfinished files, after the space on each listed file system
     * @param cleaning null for a listing; otherwise remove and report what unfinished copies left, and nothing else
     */
    record OpenList(
            RawPath path,
            boolean recursive,
            boolean space,
            long timeoutMs,
            @Nullable Cleaning cleaning) implements VerifyMessage {
        public OpenList {
            path.requireShort();
        }
    }

    /**
     * Server: the space on the file system of a listed path.
     *
     * @param freeBytes for a user who is not root; like the others, -1 if the file system does not report it
     * @param files inodes
     */
    record SpaceReport(RawPath path, long freeBytes, long bytes, long freeFiles, long files) implements VerifyMessage {}

    /** Client: there are no more names. Server: there are no more entries. */
    record VerifyEnd() implements VerifyMessage {}
}
