package io.fdt.core.verify;

import io.fdt.core.budget.Budgets;
import io.fdt.core.control.Client;
import io.fdt.core.control.Session;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.FileHash;
import io.fdt.core.digest.HashKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.run.Resources;
import io.fdt.core.run.RunningThread;
import io.fdt.core.stats.Progress;
import io.fdt.core.storage.Root;
import io.fdt.core.wire.VerifyMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A verification at the client, on its own thread, {@code fdt-verify}: opens both sides, compares them, and creates the
 * summary. Failures are put into the summary instead of thrown, if possible.
 */
public final class Verification extends RunningThread<VerifySummary> implements VerifyJob {
    private final VerifyPlan plan;
    private final Map<VerifyPlan.Side, Client> clients;
    private final VerifyObserver observer;
    private final RunningTotals totals = new RunningTotals();

    private final List<WarningLimit> warnings = new ArrayList<>();
    private final List<EntrySource> sources = new ArrayList<>();
    private @Nullable HashThreads hashThreads;
    private Findings findings;

    /**
     * Starts at once.
     *
     * @param clients of the sides that are not on this host
     * @param resources closed with the verification
     */
    public Verification(
            VerifyPlan plan, Map<VerifyPlan.Side, Client> clients, VerifyObserver observer, Resources resources) {
        super("fdt-verify", resources);
        this.plan = plan;
        this.clients = clients;
        this.observer = observer;
        this.findings = new Findings(plan, plan.digest(), totals, observer);
        begin();
    }

    @Override
    protected void work() throws InterruptedException {
        if (plan.expected() instanceof VerifyPlan.ListFile list) {
            compareWith(list);
        } else if (plan.expected() instanceof VerifyPlan.Side other) {
            compareTrees(other);
        }
    }

    private void compareWith(VerifyPlan.ListFile list) throws InterruptedException {
        if (plan.digest() instanceof FileHash kind) {
            compareWith(list, ManifestReader.read(list.file(), kind), kind, 0);
            return;
        }
        ReceiptReader.Receipt receipt = ReceiptReader.read(list.file(), null);
        findings = new Findings(plan, receipt.hash(), totals, observer);
        if (!receipt.successful() && receipt.failed() == 0) {
            observer.onWarning(
                    "the copy of this receipt did not finish; only the files that it had copied are verified");
        }
        compareWith(list, receipt.entries(), receipt.hash(), receipt.failed());
    }

    @Override
    protected VerifySummary sumUp(@Nullable TransferException failure) {
        closeAll();
        return findings.summary(failure);
    }

    private void compareTrees(VerifyPlan.Side otherSide) throws InterruptedException {
        EntrySource tree = open(plan.tree(), plan.digest(), null);
        EntrySource other = open(otherSide, plan.digest(), null);
        observer.onStart(plan.tree().shown(), otherSide.shown(), plan.digest().label());
        EntryRules rules = EntryRules.ofTrees(plan.metadata());
        new TreeComparison(tree, plan.tree(), other, otherSide, rules, findings).run();
        reportRestOfWarnings();
    }

    /** @param failed entries of a receipt that were not copied */
    private void compareWith(VerifyPlan.ListFile list, ReceiptEntries entries, HashKind hash, long failed)
            throws InterruptedException {
        EntrySource placed = open(plan.tree(), hash, entries);
        observer.onStart(plan.tree().shown(), list.file().display(), hash.label());
        if (failed > 0) {
            observer.onWarning("the receipt lists " + failed + " entries that were not copied; they are not verified");
            findings.uncompared(failed);
        }
        EntryRules rules = EntryRules.ofReceipt(plan.metadata());
        ReceiptComparison comparison = new ReceiptComparison(entries, plan.tree(), rules, findings);
        comparison.compare(placed);
        if (list.extras()) {
            comparison.findExtras(open(plan.tree(), DigestKind.NONE, null), hash instanceof FileHash);
        }
        reportRestOfWarnings();
    }

    private void reportRestOfWarnings() {
        warnings.forEach(WarningLimit::reportRest);
    }

    /** The entries of a side, in order: all of them, or what is where a copy put these names. */
    private EntrySource open(VerifyPlan.Side side, HashKind hash, @Nullable ReceiptEntries named)
            throws InterruptedException {
        WarningLimit heard = warningsOf(side);
        String host = side.host();
        EntrySource source;
        if (host == null) {
            // The local user's paths are not confined.
            Root here = Root.unconfined(RawPath.EMPTY);
            Listing listing = named == null
                    ? new WalkListing(here, side.path(), heard)
                    : new NamedListing(here, side.path(), named.isSingle(), Set.of(), named.namesInTurn());
            source = new HashedEntries(listing, hashThreads(hash), totals, plan.device(), heard);
        } else {
            Session session = connect(side, host, hash, named);
            source = new RemoteEntries(session, hash, named == null ? null : named.names(), totals, null, heard);
        }
        sources.add(source);
        return source;
    }

    private WarningLimit warningsOf(VerifyPlan.Side side) {
        WarningLimit heard = new WarningLimit(text -> observer.onWarning(side.shown() + ": " + text));
        warnings.add(heard);
        return heard;
    }

    /** Both sides on this host share the threads; a walk without digests needs none and uses what there is. */
    private HashThreads hashThreads(HashKind hash) {
        HashThreads running = hashThreads;
        if (running == null || running.kind() != hash) {
            HashThreads idle = running;
            running = new HashThreads(
                    hash, hash == DigestKind.NONE ? 1 : plan.threads(), Budgets.ofProcess(), bytes -> {});
            hashThreads = running;
            if (idle != null) {
                idle.close();
            }
        }
        return running;
    }

    private Session connect(VerifyPlan.Side side, String host, HashKind hash, @Nullable ReceiptEntries named)
            throws InterruptedException {
        throwIfInterrupted();
        VerifyMessage.OpenVerify request = new VerifyMessage.OpenVerify(
                side.path(),
                hash,
                plan.device(),
                named != null,
                named != null && named.isSingle(),
                plan.threads(),
                plan.timeoutMs());
        return Objects.requireNonNull(clients.get(side))
                .open(Client.resolved(host, side.port()), null, request, plan.timeoutMs());
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
}
