package io.fdt.core.thirdparty;

import io.fdt.core.basic.Clock;
import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Resource;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.receipt.KeptReceipt;
import io.fdt.core.stats.JobReport;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.wire.ThirdPartyMessage.FileEnd;
import io.fdt.core.wire.ThirdPartyMessage.FileReport;
import io.fdt.core.wire.ThirdPartyMessage.ThirdPartyStarted;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A copy at the sending server that outlives the client that requested it, and what is known of it afterwards. It is
 * named after the session of that client. Thread-safe.
 */
final class DetachedCopy {
    /** The job itself, with its texts and its summary. */
    static final long HEAP_BYTES = 16 << 10;

    private static final int MAX_NOTES = 1000;
    /** They fit into the messages that need no confirmation. */
    private static final int MAX_NOTE_CHARS = 512 << 10;

    private static final long NOTE_BYTES = 200;

    final String id;
    final String keyId;
    private final String from;
    private final String to;
    private final Budget budget;
    private final Clock clock;
    private final long startedNanos;
    private final List<FileReport> failedFiles = new ArrayList<>();
    private int noteChars;
    private @Nullable TransferJob copy;
    private boolean cancelled;
    private @Nullable ThirdPartyStarted start;
    private @Nullable Summary end;
    private @Nullable KeptReceipt receipt;
    private Progress lastProgress = Progress.NONE;
    private long endedNanos;

    /** @param budget of the key, from which the room for a job has been taken; closed with this */
    DetachedCopy(String id, String keyId, String from, String to, Budget budget, Clock clock) {
        this.id = id;
        this.keyId = keyId;
        this.from = from;
        this.to = to;
        this.budget = budget;
        this.clock = clock;
        this.startedNanos = clock.nanoTime();
    }

    void follow(TransferJob running) {
        boolean late;
        synchronized (this) {
            copy = running;
            late = cancelled;
        }
        if (late) {
            stop(running);
        }
    }

    synchronized void onStart(ThirdPartyStarted started) {
        start = started;
    }

    /** Keeps a failed file, if the key has room for it; all of them are counted in the summary. */
    synchronized void onFile(FileReport file) {
        Failure why = file.why();
        int chars = file.path().length() + (why == null ? 0 : why.chars());
        if (file.end() == FileEnd.FAILED
                && end == null
                && failedFiles.size() < MAX_NOTES
                && noteChars + chars <= MAX_NOTE_CHARS
                && budget.tryTake(Resource.HEAP, NOTE_BYTES + 2L * chars)) {
            noteChars += chars;
            failedFiles.add(file);
        }
    }

    /** Only the first call counts. */
    synchronized void onEnd(Summary summary) {
        if (end == null) {
            lastProgress = progress();
            endedNanos = clock.nanoTime();
            end = summary.followedFor(summary.run().elapsedNanos(), List.of(), null);
            copy = null;
        }
    }

    /** Stops it in a resumable state, soon. */
    void cancel() {
        TransferJob running;
        synchronized (this) {
            cancelled = true;
            running = copy;
        }
        if (running != null) {
            stop(running);
        }
    }

    private static void stop(TransferJob running) {
        running.interrupt(Failure.of(Cause.INTERRUPTED, "cancelled by fdt jobs"));
    }

    synchronized boolean isRunning() {
        return end == null;
    }

    synchronized @Nullable ThirdPartyStarted start() {
        return start;
    }

    synchronized List<FileReport> failedFiles() {
        return List.copyOf(failedFiles);
    }

    synchronized Progress progress() {
        TransferJob running = copy;
        return running == null ? lastProgress : running.progress();
    }

    synchronized JobReport report() {
        long ageNanos = clock.nanoTime() - startedNanos;
        long nanos = end == null ? ageNanos : endedNanos - startedNanos;
        return new JobReport(id, from, to, ageNanos, progress().after(nanos), end);
    }

    /** @param room gives up something else of the key; returns false if there is nothing */
    synchronized KeptReceipt keepReceipt(BooleanSupplier room) {
        KeptReceipt kept = new KeptReceipt(budget, room);
        receipt = kept;
        return kept;
    }

    /** Null if it was started without one. */
    synchronized @Nullable KeptReceipt receipt() {
        return receipt;
    }

    /** Whether its end would make room for another receipt. */
    boolean hasReceiptToGive() {
        KeptReceipt kept = receipt();
        return kept != null && kept.givesWay();
    }

    /** How long ago it ended; 0 while it runs. */
    synchronized long endedForNanos() {
        return end == null ? 0 : clock.nanoTime() - endedNanos;
    }

    /** It is not kept any longer. */
    void forget() {
        KeptReceipt kept = receipt();
        if (kept != null) {
            kept.close();
        }
        budget.close();
    }
}
