package io.fdt.core.wire;

import io.fdt.core.digest.HashKind;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.Cleaning;
import io.fdt.core.plan.RawPath;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The messages of a verification or a listing. */
public sealed interface VerifyMessage extends ControlMessage {

    /**
     * Client to server: the session tells what stands at a path.
     *
     * @param digest of contents; a {@link io.fdt.core.digest.FileHash} only to a peer with {@link Capability#MANIFESTS}
     * @param device contents are read from the device and not from the page cache
     * @param named only what the client names is told, where a copy to this path would have put it; otherwise
     *     everything below the path, in tree order
     * @param single of a copy: it had one entry, and that was no directory
     * @param threads that hash, at most
     */
    record OpenVerify(
            RawPath path, HashKind digest, boolean device, boolean named, boolean single, int threads, long timeoutMs)
            implements VerifyMessage {}

    /** Client: the next entries that it wants to hear of. */
    record VerifyNames(List<VerifyName> names) implements VerifyMessage {}

    /** The path of a copied entry, and whether it was a directory. */
    record VerifyName(RawPath path, boolean directory) {}

    /** Server: the next entries, in tree order or in the order of their names. */
    record VerifyPage(List<CheckedEntry> entries) implements VerifyMessage {}

    /** Client: so many pages are done with. */
    record VerifyMore(int pages) implements VerifyMessage {}

    /**
     * Client to server: the session tells what a directory holds, or what a pattern matches, in the order of the file
     * system and without digests.
     *
     * @param path empty for the exported roots themselves
     * @param recursive also what is below
     * @param space also unfinished files, and first the room on each file system that is listed
     * @param cleaning null for a listing; otherwise what unfinished copies left is removed and told, and nothing else,
     *     which only a peer with {@link Capability#CLEANS} does
     */
    record OpenList(
            RawPath path,
            boolean recursive,
            boolean space,
            long timeoutMs,
            @Nullable Cleaning cleaning) implements VerifyMessage {}

    /**
     * Server: the room on the file system of a path that is listed.
     *
     * @param freeBytes for a user who is not root; this and the others are -1 where the file system does not know
     * @param files inodes
     */
    record SpaceTold(RawPath path, long freeBytes, long bytes, long freeFiles, long files) implements VerifyMessage {}

    /** Client: there are no more names. Server: there are no more entries. */
    record VerifyEnd() implements VerifyMessage {}
}
