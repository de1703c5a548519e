package io.fdt.core.transfer.service;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Resource;
import io.fdt.core.digest.FileHash;
import io.fdt.core.digest.HashKind;
import io.fdt.core.digest.NodeHash;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.ManifestFile;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.receipt.KeptReceipt;
import io.fdt.core.receipt.ManifestWriter;
import io.fdt.core.receipt.Receipt;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.EntryBook;
import io.fdt.core.transfer.Ledger;
import io.fdt.core.transfer.TransferObserver.FileOutcome;
import io.fdt.core.verify.CopiedFiles;
import io.fdt.core.verify.EarlierReceipt;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The receipt and the manifest file of a copy, and the checksums of files that were in place before. Those and their
 * digests come from the earlier receipt, or the files are read after the session. So are all files for hashes that need
 * the bytes in order. For the session's thread.
 */
final class CopyRecords implements EntryBook {
    private static final byte[] NO_VALUE = new byte[0];
    /** A path in a collection, beside its bytes. */
    private static final int PATH_BYTES = 120;
    /** The outcome of a file that stays, whatever it contains. */
    private static final String NOT_COMPARED = "not_compared";
    /** A mark is an index of these, for a file that is not in the receipt yet. */
    private static final List<FileOutcome> OUTCOMES =
            List.of(FileOutcome.COPIED, FileOutcome.RESUMED, FileOutcome.SKIPPED);
    /** The mark of a file that is in the receipt already. */
    private static final int WRITTEN = -1;

    private final TransferPlan request;
    private final NodeHash hash;
    private final List<FileHash> readAgain;
    /** Whether the observer waits for the checksums of skipped files. */
    private final boolean tells;
    /** Whether files stay that may differ from their sources. */
    private final boolean keepsAnything;

    private long notCompared;
    /** Those of them of which other names may follow. */
    private Set<RawPath> keptFirstNames = new HashSet<>();

    private final Ledger ledger;
    private final @Nullable Receipt receipt;
    private final EarlierReceipt earlier;
    private final @Nullable ManifestFile manifest;
    private final @Nullable ManifestWriter lines;
    /** What is known of the entry that was settled last. */
    private byte[] lastKnown = NO_VALUE;
    /** Whether it will be read. */
    private boolean lastReads;

    /** Of the client for whom a server writes these, until they are finished; null if they are this side's own. */
    private final @Nullable Budget budget;

    private final IntConsumer pace;
    /** Files that were in place and of which nothing is known. */
    private CopiedFiles unhashed;
    /** Files of which something is written at the end, each with a mark and its hash. */
    private CopiedFiles files;
    /** What reading has found of the hash of the copy. */
    private CopiedFiles found;
    /** What reading has found of the others. */
    private final Map<FileHash, CopiedFiles> foundAgain = new EnumMap<>(FileHash.class);
    /** Why files could not be read, by path. */
    private Map<RawPath, Failure> unreadable = new HashMap<>();

    /**
     * The receipt that a server writes for its client.
     *
     * @param budget charged with what is remembered for it
     * @param pace accepts the bytes of each read of a file that is hashed for it, and may wait or throw
     */
    record ForClient(KeptReceipt receipt, Budget budget, IntConsumer pace) {}

    /** Hashes files where the copy put them. */
    interface Hashing {
        void hash(CopiedFiles files, HashKind kind, Consumer<CheckedEntry> each) throws InterruptedException;
    }

    /**
     * @param tells whether skipped files are reported when their checksums are known
     * @param client null if the records are files of this user
     * @throws TransferException TARGET, if one of them cannot be written to its place
     */
    CopyRecords(
            TransferPlan plan,
            NodeHash hash,
            String session,
            Ledger ledger,
            boolean tells,
            @Nullable ForClient client) {
        RawPath receiptFile = plan.find(CopyValue.RECEIPT);
        this.request = plan;
        this.hash = hash;
        this.readAgain = client == null ? plan.readAgain() : plan.hashesOfReceipt();
        this.budget = client == null ? null : client.budget.another();
        this.pace = client == null ? bytes -> {} : client.pace;
        this.unhashed = new CopiedFiles(budget, pace);
        this.files = new CopiedFiles(budget, pace);
        this.found = new CopiedFiles(budget, pace);
        this.tells = tells;
        this.keepsAnything =
                request.get(CopyValue.EXISTING) == TargetRules.Existing.SKIP || request.get(CopyValue.UPDATE);
        this.ledger = ledger;
        this.manifest = plan.find(CopyValue.MANIFEST);
        this.earlier =
                receiptFile == null ? EarlierReceipt.NONE : EarlierReceipt.read(receiptFile, request.target(), hash);
        this.lines = manifest == null ? null : new ManifestWriter(manifest.file());
        try {
            this.receipt = client != null
                    ? new Receipt(client.receipt, hash, session)
                    : receiptFile == null ? null : new Receipt(receiptFile, hash, session);
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
    public void settled(FileEntry entry, long sizeBytes, byte[] value, FileOutcome outcome, @Nullable Failure why) {
        lastKnown = value;
        lastReads = false;
        byte[] then = earlier.settle(entry);
        boolean file = entry.kind() == FileEntry.Kind.FILE;
        RawPath first = entry.linkTarget();
        boolean ofKept = entry.isFurtherName() && first != null && keptFirstNames.contains(first);
        if (file && keepsAnything && (outcome == FileOutcome.SKIPPED || (ofKept && outcome != FileOutcome.FAILED))) {
            notCompared++;
            if (entry.isFirstName() && keptFirstNames.add(entry.path())) {
                charge(entry.path());
            }
            write(entry, sizeBytes, NO_VALUE, NOT_COMPARED, null);
            return;
        }
        boolean inPlace = file && outcome != FileOutcome.FAILED;
        boolean unsent = outcome == FileOutcome.SKIPPED || entry.isFurtherName();
        boolean unknown = inPlace && unsent && hash.lengthBytes() > 0 && value.length == 0;
        // A copy that compares digests does not rely on size and time.
        byte[] known = unknown && !request.comparesDigests() ? then : value;
        boolean reads = unknown && known.length == 0 && needsAllHashes();
        if (reads) {
            unhashed.add(entry);
        }
        lastKnown = known;
        lastReads = reads;
        boolean waits = inPlace && (reads || !readAgain.isEmpty());
        if (!waits) {
            write(entry, sizeBytes, known, word(outcome), why);
        }
        if (waits || (inPlace && lines != null)) {
            files.add(entry, marked(waits ? OUTCOMES.indexOf(outcome) : WRITTEN, known));
        }
    }

    private void charge(RawPath path) {
        if (budget != null) {
            budget.take(Resource.HEAP, PATH_BYTES + path.lengthBytes());
        }
    }

    /** Whether a hash that only reading can find is written somewhere. */
    private boolean needsAllHashes() {
        return receipt != null || tells || (manifest != null && hash.sums().contains(manifest.kind()));
    }

    private void write(FileEntry entry, long sizeBytes, byte[] value, String outcome, @Nullable Failure why) {
        if (receipt != null) {
            receipt.add(entry, sizeBytes, value, outcome, why);
        }
    }

    private static String word(FileOutcome outcome) {
        return outcome.name().toLowerCase(Locale.ROOT);
    }

    private static byte[] marked(int mark, byte[] value) {
        return ByteBuffer.allocate(1 + value.length).put((byte) mark).put(value).array();
    }

    @Override
    public byte @Nullable [] toTell(byte[] value) {
        return tells && lastReads ? null : lastKnown;
    }

    boolean lackHashes() {
        return !unhashed.isEmpty() || (!readAgain.isEmpty() && !files.isEmpty()) || notCompared > 0;
    }

    /** The session has ended in order. A manifest file requires that everything in the copy is in place. */
    void hash(Hashing how) throws InterruptedException {
        read(how, unhashed, hash, found);
        if (manifest != null && notCompared > 0) {
            ledger.warn(notCompared + (notCompared == 1 ? " file was" : " files were")
                    + " there already, not compared, and not listed in the manifest");
        }
        for (FileHash kind : readAgain) {
            if (receipt != null || ledger.verdict() == null) {
                CopiedFiles results = new CopiedFiles(budget, pace);
                foundAgain.put(kind, results);
                read(how, files, kind, results);
            }
        }
    }

    private void read(Hashing how, CopiedFiles those, HashKind kind, CopiedFiles results) throws InterruptedException {
        how.hash(those, kind, checked -> {
            FileEntry entry = Objects.requireNonNull(checked.entry());
            Failure why = checked.failure();
            if (why != null) {
                if (unreadable.put(entry.path(), why) == null) {
                    charge(entry.path());
                    ledger.unhashed(checked, receipt != null ? "receipt" : manifest != null ? "manifest" : "checksums");
                }
            } else {
                results.add(entry, checked.digest());
            }
        });
    }

    /**
     * Gives them their names. Failing to write one is a failure, unless there is a worse one. The receipt comes last,
     * because it contains the result of the copy.
     *
     * @param finished whether the session came to its end; if not, what it did not reach is unchanged
     * @param renamed whether a single file was given the target's name
     */
    Summary finish(Summary result, boolean finished, boolean renamed) {
        try {
            return write(result, finished, renamed);
        } finally {
            forget();
        }
    }

    /** This may be reachable for long, and what it remembers must not be when it is not charged any more. */
    private void forget() {
        unhashed = new CopiedFiles();
        files = new CopiedFiles();
        found = new CopiedFiles();
        foundAgain.clear();
        keptFirstNames = new HashSet<>();
        unreadable = new HashMap<>();
        if (budget != null) {
            budget.close();
        }
    }

    private Summary write(Summary result, boolean finished, boolean renamed) {
        Summary end = result;
        try (@Nullable ManifestWriter written = lines) {
            files.forEach(kept -> writeAll(kept, renamed));
            if (written != null && end.failure() == null) {
                written.publish();
            }
        } catch (TransferException unwritable) {
            end = ClientTransfer.failedToo(end, unwritable);
        }
        try (@Nullable Receipt written = receipt) {
            if (written != null) {
                if (!finished) {
                    earlier.forEachUnsettled(known -> addEarlier(written, known));
                }
                boolean durable = finished && request.get(CopyValue.DURABLE) != Durability.NONE;
                written.finish(end, request.target(), durable);
            }
        } catch (TransferException unwritable) {
            end = ClientTransfer.failedToo(end, unwritable);
        }
        return end;
    }

    /** Writes what had to wait. */
    private void writeAll(CheckedEntry kept, boolean renamed) {
        FileEntry entry = Objects.requireNonNull(kept.entry());
        int mark = kept.digest()[0];
        byte[] known = Arrays.copyOfRange(kept.digest(), 1, kept.digest().length);
        byte[] value = known.length == 0 ? found.find(entry) : known;
        Map<FileHash, String> others = new LinkedHashMap<>();
        foundAgain.forEach((kind, results) -> {
            byte[] other = results.find(entry);
            if (other.length > 0) {
                others.put(kind, HexFormat.of().formatHex(other));
            }
        });
        if (mark != WRITTEN) {
            FileOutcome outcome = OUTCOMES.get(mark);
            if (tells && known.length == 0) {
                ledger.reportInPlace(entry, outcome, entry.sizeBytes(), value);
            }
            if (receipt != null) {
                Failure why = unreadable.get(entry.path());
                receipt.add(entry, entry.sizeBytes(), value, others, word(outcome), why);
            }
        }
        if (lines != null && manifest != null) {
            others.putAll(hash.checksumsOf(value));
            String listed = others.get(manifest.kind());
            if (listed != null) {
                lines.add(
                        HexFormat.of().parseHex(listed),
                        renamed ? request.target().name() : entry.path());
            }
        }
    }

    private static void addEarlier(Receipt receipt, CheckedEntry known) {
        FileEntry entry = Objects.requireNonNull(known.entry());
        receipt.add(entry, entry.sizeBytes(), known.digest(), "earlier", null);
    }
}
