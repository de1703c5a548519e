package io.fdt.core.verify;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.control.Session;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.plan.RawPath;
import io.fdt.core.stats.Progress;
import io.fdt.core.storage.Root;
import io.fdt.core.wire.VerifyMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A verification as the client runs it, on a thread of its own, {@code fdt-verify}: opens both sides, compares them, and
 * sums up. Never throws what it can put into the summary.
 */
public final class Verification implements VerifyJob {
    private final VerifyPlan plan;
    private final Connector connector;
    private final VerifyObserver observer;
    private final RunningTotals totals = new RunningTotals();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread thread;

    private final List<FewWarnings> warnings = new ArrayList<>();
    private final List<EntrySource> sources = new ArrayList<>();
    private @Nullable HashThreads hashThreads;

    private volatile @Nullable TransferException interruption;
    private volatile @Nullable VerifySummary summary;

    /** The way to servers. */
    public interface Connector {
        /** Opens a session with the side's server; blocks until it stands. */
        Session open(VerifyPlan.Side side, VerifyMessage.OpenVerify request) throws InterruptedException;
    }

    /** Begins at once. */
    public Verification(VerifyPlan plan, Connector connector, VerifyObserver observer) {
        this.plan = plan;
        this.connector = connector;
        this.observer = observer;
        this.thread = new Thread(this::run, "fdt-verify");
        this.thread.start();
    }

    private void run() {
        TransferException failure = null;
        Findings findings = new Findings(plan, plan.digest(), totals, observer);
        try {
            RawPath receiptFile = plan.receiptFile();
            if (receiptFile != null) {
                ReceiptReader.Receipt receipt = ReceiptReader.read(receiptFile);
                findings = new Findings(plan, receipt.digest(), totals, observer);
                compareWithReceipt(receipt, receiptFile, findings);
            } else {
                compareTrees(findings);
            }
        } catch (InterruptedException e) {
            TransferException asked = interruption;
            failure = asked != null ? asked : new TransferException(FailureKind.INTERRUPTED, "interrupted", e);
        } catch (RuntimeException e) {
            TransferException asked = interruption;
            failure = asked != null ? asked : TransferException.of(e);
        } finally {
            closeAll();
            summary = findings.summary(failure);
            ended.countDown();
        }
    }

    private void compareTrees(Findings findings) throws InterruptedException {
        VerifyPlan.Side otherSide = plan.other();
        if (otherSide == null) {
            throw new IllegalStateException("there is nothing to verify against");
        }
        EntrySource tree = walk(plan.tree(), plan.digest());
        EntrySource other = walk(otherSide, plan.digest());
        observer.onStart(plan.tree().shown(), otherSide.shown(), plan.digest().label());
        EntryRules rules = EntryRules.ofTrees(plan.metadata());
        new TreeComparison(tree, plan.tree(), other, otherSide, rules, findings).run();
        tellRestOfWarnings();
    }

    private void compareWithReceipt(ReceiptReader.Receipt receipt, RawPath receiptFile, Findings findings)
            throws InterruptedException {
        ReceiptEntries entries = receipt.entries();
        EntrySource placed = lookUp(plan.tree(), receipt.digest(), entries);
        observer.onStart(
                plan.tree().shown(), receiptFile.display(), receipt.digest().label());
        if (receipt.withoutDigest() > 0) {
            observer.onWarning("the receipt has no digest of " + receipt.withoutDigest()
                    + " files, which the copy found in place: of these only the size is verified");
        }
        if (receipt.failed() > 0) {
            observer.onWarning("the receipt lists " + receipt.failed()
                    + " entries that the copy did not put in place: these are not verified");
        }
        EntryRules rules = EntryRules.ofReceipt(plan.metadata());
        ReceiptComparison comparison = new ReceiptComparison(entries, plan.tree(), rules, findings);
        comparison.compare(placed);
        if (plan.extras()) {
            comparison.findExtras(walk(plan.tree(), DigestKind.NONE));
        }
        tellRestOfWarnings();
    }

    private void tellRestOfWarnings() {
        warnings.forEach(FewWarnings::tellRest);
    }

    /** Everything that a side has, in order. */
    private EntrySource walk(VerifyPlan.Side side, DigestKind digest) throws InterruptedException {
        FewWarnings heard = warningsOf(side);
        EntrySource source;
        if (side.host() == null) {
            Listing listing = new WalkListing(hereRoot(), side.path(), heard);
            source = new HashedEntries(listing, hashThreads(digest), totals, plan.device(), heard);
        } else {
            source = new RemoteEntries(connect(side, digest, false, false), digest, null, totals, heard);
        }
        sources.add(source);
        return source;
    }

    /** What a side has where a copy put these entries, in their order. */
    private EntrySource lookUp(VerifyPlan.Side side, DigestKind digest, ReceiptEntries entries)
            throws InterruptedException {
        FewWarnings heard = warningsOf(side);
        EntrySource source;
        if (side.host() == null) {
            Listing listing = new NamedListing(hereRoot(), side.path(), entries.isSingle(), entries.namesInTurn());
            source = new HashedEntries(listing, hashThreads(digest), totals, plan.device(), heard);
        } else {
            Session session = connect(side, digest, true, entries.isSingle());
            source = new RemoteEntries(session, digest, entries.names(), totals, heard);
        }
        sources.add(source);
        return source;
    }

    private FewWarnings warningsOf(VerifyPlan.Side side) {
        FewWarnings heard = new FewWarnings(text -> observer.onWarning(side.shown() + ": " + text));
        warnings.add(heard);
        return heard;
    }

    /** The local user's paths lead where he says. */
    private static Root hereRoot() {
        return Root.unconfined(RawPath.EMPTY);
    }

    /** Both sides of this machine share the threads; a walk without digests needs none and takes what there is. */
    private HashThreads hashThreads(DigestKind digest) {
        HashThreads running = hashThreads;
        if (running == null || running.kind() != digest) {
            HashThreads idle = running;
            running = new HashThreads(digest, digest == DigestKind.NONE ? 1 : plan.threads());
            hashThreads = running;
            if (idle != null) {
                idle.close();
            }
        }
        return running;
    }

    private Session connect(VerifyPlan.Side side, DigestKind digest, boolean named, boolean single)
            throws InterruptedException {
        throwIfInterrupted();
        return connector.open(
                side,
                new VerifyMessage.OpenVerify(
                        side.path(), digest, plan.device(), named, single, plan.threads(), plan.timeoutMs()));
    }

    private void throwIfInterrupted() {
        TransferException why = interruption;
        if (why != null) {
            throw why;
        }
    }

    private void closeAll() {
        HashThreads running = hashThreads;
        if (running != null) {
            running.close();
        }
        sources.forEach(EntrySource::close);
    }

    @Override
    public Progress progress() {
        return totals.progress();
    }

    @Override
    public void interrupt(FailureKind why, String message) {
        interruption = new TransferException(why, message);
        thread.interrupt();
    }

    @Override
    public VerifySummary await() throws InterruptedException {
        ended.await();
        VerifySummary result = summary;
        if (result == null) {
            throw new IllegalStateException("a verification ended without a summary");
        }
        return result;
    }

    /** Waits for the end for at most this long; false if it has not come. */
    public boolean await(long timeoutMs) throws InterruptedException {
        return ended.await(timeoutMs, TimeUnit.MILLISECONDS);
    }
}
