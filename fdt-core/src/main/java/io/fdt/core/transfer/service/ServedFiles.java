package io.fdt.core.transfer.service;

import io.fdt.core.control.ServerObserver;
import io.fdt.core.control.Session;
import io.fdt.core.digest.NodeHash;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.failure.Failure;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.ServedFile;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.transfer.EntryBook;
import io.fdt.core.transfer.TransferObserver.FileOutcome;
import java.util.IdentityHashMap;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Notifies a server's observer of each file of one session. Holds one object for each open entry. On the session's
 * thread.
 */
final class ServedFiles implements EntryBook {
    private final Session session;
    private final boolean incoming;
    private final NodeHash hash;
    private final ServerObserver observer;
    private final IdentityHashMap<FileEntry, Offer> offers = new IdentityHashMap<>();
    private ExportedRoots.@Nullable ExportedPath exported;
    private Function<FileEntry, @Nullable RawPath> below = entry -> null;

    /**
     * @param resumedBytes what an earlier copy has moved of it
     * @param movedBytes what this copy has moved of it, if it failed
     */
    private record Offer(long nanos, long resumedBytes, long movedBytes) {}

    ServedFiles(Session session, boolean incoming, NodeHash hash, ServerObserver observer) {
        this.session = session;
        this.incoming = incoming;
        this.hash = hash;
        this.observer = observer;
    }

    /**
     * Files are in this exported directory; before the first is found.
     *
     * @param newBelow the path of a file below it; null if that is not known
     */
    void locate(ExportedRoots.ExportedPath directory, Function<FileEntry, @Nullable RawPath> newBelow) {
        exported = directory;
        below = newBelow;
    }

    private ServedFile.Place place(FileEntry entry) {
        ExportedRoots.ExportedPath directory = exported;
        RawPath path = directory == null ? null : below.apply(entry);
        return new ServedFile.Place(
                entry.path(),
                directory == null ? null : directory.root(),
                directory == null || path == null ? null : directory.onHost(path));
    }

    @Override
    public void found(FileEntry entry) {
        if (entry.hasData()) {
            offers.put(entry, new Offer(session.clock().nanoTime(), 0, 0));
        }
    }

    @Override
    public void resumed(FileEntry entry, long bytes) {
        offers.computeIfPresent(entry, (same, offer) -> new Offer(offer.nanos, bytes, 0));
    }

    @Override
    public void moved(FileEntry entry, long bytes) {
        offers.computeIfPresent(entry, (same, offer) -> new Offer(offer.nanos, offer.resumedBytes, bytes));
    }

    @Override
    public void settled(FileEntry entry, long sizeBytes, byte[] value, FileOutcome outcome, @Nullable Failure why) {
        if (!entry.hasData()) {
            return;
        }
        byte[] digest = hash.digestOf(value);
        long now = session.clock().nanoTime();
        Offer offer = Objects.requireNonNullElse(offers.remove(entry), new Offer(now, 0, 0));
        boolean isMoved = outcome == FileOutcome.COPIED || outcome == FileOutcome.RESUMED;
        String transport = session.activity().state().transport();
        observer.onFile(
                session.name(),
                session.peer(),
                session.keyName(),
                new ServedFile(
                        place(entry),
                        incoming,
                        Math.max(0, sizeBytes),
                        new ServedFile.Moved(
                                isMoved ? Math.max(0, sizeBytes - offer.resumedBytes) : offer.movedBytes,
                                session.counters().lanes(),
                                transport.isEmpty() ? null : transport),
                        now - offer.nanos,
                        new ServedFile.Hashes(
                                digest.length == 0 ? null : TreeDigest.print(hash.digest(), digest),
                                hash.checksumsOf(value)),
                        new ServedFile.Result(outcome.name().toLowerCase(Locale.ROOT), null, why)));
    }
}
