package io.fdt.core.transfer.service;

import io.fdt.core.TransferException;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.HashKind;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.CopyRequest;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.ManifestFile;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.receipt.ManifestWriter;
import io.fdt.core.receipt.Receipt;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.EntryBook;
import io.fdt.core.transfer.Ledger;
import io.fdt.core.transfer.TransferObserver.FileOutcome;
import io.fdt.core.verify.CopiedFiles;
import io.fdt.core.verify.EarlierReceipt;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The receipt and the manifest file of a copy, if requested. Files that were in place before the copy get their digest
 * from the earlier receipt, or are hashed after the session; for a manifest file, all files are. For the session's
 * thread.
 */
final class CopyRecords implements EntryBook {
    private static final byte[] NO_DIGEST = new byte[0];
    /** The outcome of a file that stays, whatever it contains. */
    private static final String NOT_COMPARED = "not_compared";

    private final CopyRequest request;
    private final boolean hashesSkipped;
    /** Whether files stay that may differ from their sources. */
    private final boolean keepsAnything;

    private long notCompared;
    private final Ledger ledger;
    private final @Nullable Receipt receipt;
    private final EarlierReceipt earlier;
    private final @Nullable ManifestFile manifest;
    private final @Nullable ManifestWriter lines;
    /** Files of the receipt without a digest. */
    private final CopiedFiles unhashed = new CopiedFiles();
    /** Files of the manifest file. */
    private final CopiedFiles files = new CopiedFiles();

    /** Hashes files where the copy put them. */
    interface Hashing {
        void hash(CopiedFiles files, HashKind kind, Consumer<CheckedEntry> each) throws InterruptedException;
    }

    /** @throws TransferException TARGET, if one of them cannot be written to its place */
    CopyRecords(TransferPlan plan, String session, Ledger ledger) {
        RawPath receiptFile = plan.receiptFile();
        this.request = plan.request();
        this.hashesSkipped = request.digest() != DigestKind.NONE;
        TargetRules rules = request.rules();
        this.keepsAnything = rules.existing() == TargetRules.Existing.SKIP || rules.keepsNewer();
        this.ledger = ledger;
        this.manifest = plan.manifest();
        this.earlier = receiptFile == null
                ? EarlierReceipt.NONE
                : EarlierReceipt.read(receiptFile, request.target(), request.digest());
        this.lines = manifest == null ? null : new ManifestWriter(manifest.file());
        try {
            this.receipt = receiptFile == null ? null : new Receipt(receiptFile, request.digest(), session);
        } catch (TransferException unwritable) {
            closeLines();
            throw unwritable;
        }
    }

    private void closeLines() {
        if (lines != null) {
            lines.close();
        }
    }

    @Override
    public void settled(FileEntry entry, long sizeBytes, byte[] digest, FileOutcome outcome, @Nullable String reason) {
        boolean file = entry.kind() == FileEntry.Kind.FILE;
        boolean uncompared = file && outcome == FileOutcome.SKIPPED && keepsAnything;
        if (uncompared) {
            notCompared++;
        }
        if (lines != null && file && !uncompared && outcome != FileOutcome.FAILED) {
            files.add(entry);
        }
        if (receipt == null) {
            return;
        }
        byte[] then = earlier.settle(entry);
        if (uncompared) {
            receipt.add(entry, sizeBytes, NO_DIGEST, NOT_COMPARED, "was there already and was not compared");
            return;
        }
        boolean unsent = outcome == FileOutcome.SKIPPED || entry.isFurtherName();
        boolean lacking = hashesSkipped && file && unsent && outcome != FileOutcome.FAILED && digest.length == 0;
        // A copy that compares digests does not rely on size and time.
        byte[] known = lacking && !request.rules().compareDigest() ? then : digest;
        if (lacking && known.length == 0) {
            unhashed.add(entry);
        } else {
            receipt.add(entry, sizeBytes, known, outcome.name().toLowerCase(Locale.ROOT), reason);
        }
    }

    boolean lackHashes() {
        return !unhashed.isEmpty() || !files.isEmpty() || notCompared > 0;
    }

    /** The session has ended in order. A manifest file requires that everything in the copy is in place. */
    void hash(Hashing how, boolean renamed) throws InterruptedException {
        how.hash(unhashed, request.digest(), checked -> {
            tellIfUnhashed(checked, "receipt");
            addSkipped(checked);
        });
        ManifestWriter written = lines;
        if (manifest != null && notCompared > 0) {
            ledger.warn(notCompared + (notCompared == 1 ? " file was" : " files were")
                    + " there already, not compared, and not listed in the manifest");
        }
        if (manifest != null && written != null && ledger.verdict() == null) {
            how.hash(files, manifest.kind(), checked -> {
                tellIfUnhashed(checked, "manifest");
                written.add(checked.digest(), renamed ? request.target().name() : checked.path());
            });
        }
    }

    private void tellIfUnhashed(CheckedEntry checked, String what) {
        if (checked.failure() != null) {
            ledger.unhashed(checked, what);
        }
    }

    private void addSkipped(CheckedEntry checked) {
        FileEntry entry = Objects.requireNonNull(checked.entry());
        Objects.requireNonNull(receipt).add(entry, entry.sizeBytes(), checked.digest(), "skipped", checked.reason());
    }

    /**
     * Gives them their names. Failing to write one is a failure, unless there is a worse one. The receipt comes last,
     * because it contains the result of the copy.
     *
     * @param finished whether the session came to its end; if not, what it did not reach is unchanged
     */
    Summary finish(Summary result, boolean finished) {
        Summary end = result;
        try (@Nullable ManifestWriter written = lines) {
            if (written != null && end.failure() == null) {
                written.publish();
            }
        } catch (TransferException unwritable) {
            end = ClientTransfer.failedToo(end, unwritable);
        }
        try (@Nullable Receipt written = receipt) {
            if (written != null) {
                unhashed.forEachUnhashed(this::addSkipped);
                if (!finished) {
                    earlier.forEachUnsettled(known -> addEarlier(written, known));
                }
                boolean durable = finished && request.rules().durability() != Durability.NONE;
                written.finish(end, request.target(), durable);
            }
        } catch (TransferException unwritable) {
            end = ClientTransfer.failedToo(end, unwritable);
        }
        return end;
    }

    private static void addEarlier(Receipt receipt, CheckedEntry known) {
        FileEntry entry = Objects.requireNonNull(known.entry());
        receipt.add(entry, entry.sizeBytes(), known.digest(), "earlier", null);
    }
}
