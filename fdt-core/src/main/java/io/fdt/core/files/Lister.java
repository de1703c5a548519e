package io.fdt.core.files;

import io.fdt.core.control.Client;
import io.fdt.core.control.Session;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.run.Resources;
import io.fdt.core.run.RunningThread;
import io.fdt.core.storage.source.ListedTree;
import io.fdt.core.verify.EntrySource;
import io.fdt.core.verify.RemoteEntries;
import io.fdt.core.verify.WarningLimit;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.VerifyMessage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A listing at the client, on its own thread, {@code fdt-list}. Passes on the server's entries one at a time, and keeps
 * none. Failures are put into the summary instead of thrown, if possible.
 */
public final class Lister extends RunningThread<ListSummary> implements ListJob {
    private final ListPlan plan;
    private final @Nullable Client client;
    private final ListObserver observer;
    private final List<VerifyMessage.SpaceReport> spaces = new ArrayList<>();
    private @Nullable EntrySource source;
    private long entries;
    private long bytes;
    private long unfinishedFiles;
    private long unfinishedBytes;
    private long unreadable;
    private @Nullable Failure firstUnreadable;

    /** Starts at once; without a client, in a directory of this host. The resources are closed with the listing. */
    public Lister(ListPlan plan, @Nullable Client client, ListObserver observer, Resources resources) {
        super("fdt-list", resources);
        this.plan = plan;
        this.client = client;
        this.observer = observer;
        begin();
    }

    @Override
    protected void work() throws InterruptedException {
        throwIfInterrupted();
        WarningLimit warnings = new WarningLimit(observer::onWarning);
        EntrySource listed = client == null ? ListedEntries.ofThisHost(plan) : remote(client, warnings);
        source = listed;
        for (CheckedEntry next = listed.next(); next != null; next = listed.next()) {
            take(next);
        }
        warnings.reportRest();
        passSpacesOn();
        Failure first = firstUnreadable;
        if (first != null) {
            Cause cause = plan.cleaning() == null ? first.cause() : Cause.SOME_FILES_FAILED;
            throw cause.failure(unreadable + (unreadable == 1 ? " entry" : " entries") + " could not be read"
                    + (plan.cleaning() == null ? "" : " or removed") + ", the first: " + first.brief());
        }
    }

    private EntrySource remote(Client way, WarningLimit warnings) throws InterruptedException {
        VerifyMessage.OpenList request = new VerifyMessage.OpenList(
                plan.path(), plan.recursive(), plan.space(), plan.timeoutMs(), plan.cleaning());
        Session session = way.open(Client.resolved(plan.host(), plan.port()), null, request, plan.timeoutMs());
        return RemoteEntries.listed(session, this::keep, warnings);
    }

    /** Called on the session's thread. */
    private void keep(VerifyMessage.SpaceReport space) {
        synchronized (spaces) {
            if (spaces.size() == Bounds.MAX_SPACES) {
                throw Cause.MALFORMED.failure("the server reported more file systems than are allowed");
            }
            spaces.add(space);
        }
    }

    private void passSpacesOn() {
        synchronized (spaces) {
            for (VerifyMessage.SpaceReport space : spaces) {
                observer.onSpace(new ListObserver.Space(
                        space.path(), space.freeBytes(), space.bytes(), space.freeFiles(), space.files()));
            }
        }
    }

    private void take(CheckedEntry listed) {
        FileEntry entry = listed.entry();
        Failure why = listed.failure();
        boolean kept = entry != null && plan.cleaning() != null && why != null && why.is(Cause.BUSY);
        if (entry == null || (why != null && !kept)) {
            unreadable++;
            Failure known = why == null ? Failure.of(Cause.MISSING, "is not there") : why;
            Failure named = known.path() == null ? known.at(listed.path().display()) : known;
            firstUnreadable = firstUnreadable == null ? named : firstUnreadable;
            observer.onUnreadable(named);
            return;
        }
        long sizeBytes = Math.max(0, entry.sizeBytes());
        if (kept) {
            unfinishedFiles++;
            unfinishedBytes += sizeBytes;
            observer.onKept(shown(entry, sizeBytes), why == null ? "" : why.reason());
            return;
        }
        if (plan.cleaning() == null
                && entry.kind() != FileEntry.Kind.DIRECTORY
                && ListedTree.isUnfinished(entry.path().name())) {
            unfinishedFiles++;
            unfinishedBytes += sizeBytes;
            return;
        }
        entries++;
        bytes += sizeBytes;
        observer.onEntry(shown(entry, sizeBytes));
    }

    static ListObserver.Entry shown(FileEntry entry, long sizeBytes) {
        return new ListObserver.Entry(
                entry.path(),
                kind(entry.kind()),
                sizeBytes,
                entry.mode(),
                entry.modifiedSeconds(),
                entry.modifiedNanos(),
                entry.linkTarget());
    }

    private static ListObserver.ListedKind kind(FileEntry.Kind kind) {
        return switch (kind) {
            case FILE -> ListObserver.ListedKind.FILE;
            case DIRECTORY -> ListObserver.ListedKind.DIR;
            case LINK -> ListObserver.ListedKind.LINK;
            case STREAM -> ListObserver.ListedKind.OTHER;
        };
    }

    @Override
    protected ListSummary sumUp(@Nullable TransferException failure) {
        EntrySource opened = source;
        if (opened != null) {
            opened.close();
        }
        return new ListSummary(
                failure == null ? null : failure.failure(),
                entries,
                bytes,
                unfinishedFiles,
                unfinishedBytes,
                unreadable);
    }
}
