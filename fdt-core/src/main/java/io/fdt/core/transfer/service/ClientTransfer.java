package io.fdt.core.transfer.service;

import io.fdt.core.basic.Clock;
import io.fdt.core.control.CopyPeer;
import io.fdt.core.control.Session;
import io.fdt.core.control.SessionLanes;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.LaneRange;
import io.fdt.core.plan.Range;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TransferPlan.Direction;
import io.fdt.core.receipt.KeptReceipt;
import io.fdt.core.run.RunningThread;
import io.fdt.core.shard.Shard;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.Summary;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.storage.source.Sources;
import io.fdt.core.transfer.CopySide;
import io.fdt.core.transfer.Ledger;
import io.fdt.core.transfer.Ledger.CopyOutcome;
import io.fdt.core.transfer.LimitGate;
import io.fdt.core.transfer.RateLimit;
import io.fdt.core.transfer.SessionParts;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transfer.receiving.Receiver;
import io.fdt.core.transfer.receiving.Targets;
import io.fdt.core.transfer.sending.Sender;
import io.fdt.core.transfer.sending.SenderSources;
import io.fdt.core.transport.SpreadWatch;
import io.fdt.core.transport.SpreadWatch.Role;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A transfer at the client: opens the session and its lanes, runs the sender or the receiver, and creates the summary.
 * Has its own thread, {@code fdt-session}. Failures are put into the summary instead of thrown, if possible.
 */
public final class ClientTransfer extends RunningThread<Summary> implements TransferJob {
    private final TransferPlan plan;
    /** From the opening of the session on with the checksums that the server wants, too. */
    private TransferPlan request;

    private final CopyPeer peer;
    private final Function<Role, SpreadWatch> spread;
    private final TransferObserver observer;
    private final Here here;
    private final TransferFigures figures = new TransferFigures();
    private final Ledger ledger;

    private volatile @Nullable Session session;
    private CopyOutcome outcome = CopyOutcome.NONE;
    private boolean startReported;
    /** Sent by one lane: others would be opened for nothing. */
    private volatile boolean oneChunk;

    private @Nullable CopyRecords records;

    /**
     * This side of a transfer.
     *
     * @param opening opens the sources
     * @param client for whom a server writes the receipt, if one is wanted
     */
    private record Here(
            Function<SenderSources.Problems, Sources> opening,
            LimitGate limits,
            RateLimit rate,
            CopyRecords.@Nullable ForClient client) {}

    /**
     * What a server gives for a push that it makes at the request of one of its own clients.
     *
     * @param roots that the client may read
     * @param limits of this server, besides those of the plan
     * @param rate limit of this server's copies
     * @param pace limits what is read besides, for hashing; may wait or throw
     * @param receipt to write for the client; null for none
     */
    public record Exported(
            ExportedRoots roots,
            TransferLimits limits,
            RateLimit rate,
            IntConsumer pace,
            @Nullable KeptReceipt receipt) {}

    private volatile @Nullable ShardRun run;

    /**
     * A transfer of what this user may read or write here.
     *
     * @param peer closed with the transfer
     * @param spread of the lanes over the links of a bond
     */
    public ClientTransfer(
            TransferPlan plan, CopyPeer peer, Function<Role, SpreadWatch> spread, TransferObserver observer) {
        this(
                plan,
                peer,
                spread,
                observer,
                new Here(
                        problems -> SenderSources.local(plan, problems),
                        LimitGate.ofClient(plan.get(CopyValue.LIMITS)),
                        new RateLimit(0, Clock.SYSTEM),
                        null));
    }

    /**
     * A push of what a server exports, which it makes at the request of one of its own clients.
     *
     * @param peer closed with the push
     */
    public static ClientTransfer ofExported(
            Exported exported,
            TransferPlan plan,
            CopyPeer peer,
            Function<Role, SpreadWatch> spread,
            TransferObserver observer) {
        if (plan.direction() != Direction.PUSH) {
            throw new IllegalArgumentException("a server cannot pull on behalf of a client");
        }
        ExportedRoots roots = exported.roots;
        KeptReceipt receipt = exported.receipt;
        Here here = new Here(
                problems -> TransferService.sources(roots, plan, problems),
                LimitGate.ofServer(exported.limits).and(LimitGate.ofClient(plan.get(CopyValue.LIMITS))),
                exported.rate,
                receipt == null ? null : new CopyRecords.ForClient(receipt, roots.budget(), exported.pace));
        return new ClientTransfer(plan, peer, spread, observer, here);
    }

    private ClientTransfer(
            TransferPlan plan,
            CopyPeer peer,
            Function<Role, SpreadWatch> spread,
            TransferObserver observer,
            Here here) {
        super("fdt-session", peer);
        this.plan = plan;
        this.request = plan;
        this.peer = peer;
        this.spread = spread;
        this.observer = observer;
        this.here = here;
        this.ledger = new Ledger(figures, observer);
        begin();
    }

    @Override
    protected void work() throws InterruptedException {
        CopyChecks.requireSense(plan);
        try {
            if (request.direction() == Direction.PUSH) {
                push();
            } else {
                pull();
            }
        } catch (RuntimeException | Error failure) {
            // It may not have begun; then the server would wait until the timeout.
            Session open = session;
            if (open != null) {
                open.end(TransferException.of(failure));
            }
            throw failure;
        }
    }

    /** The session is over: what follows on this host ends like any other work of this thread. */
    private void interruptThisThread() throws InterruptedException {
        Thread self = Thread.currentThread();
        stoppedBy(why -> self.interrupt());
        throwIfInterrupted();
    }

    private void hashSources() throws InterruptedException {
        CopyRecords begun = records;
        ShardRun shard = run;
        boolean forRecords = begun != null && begun.lackHashes();
        boolean forShard = shard != null && outcome.finished() && shard.hasUnhashed();
        if (!forRecords && !forShard) {
            return;
        }
        interruptThisThread();
        try (Sources again = sources(new SenderSources.Problems())) {
            if (begun != null && forRecords) {
                begun.hash((files, kind, each) -> files.hash(again::open, kind, each));
            }
            if (shard != null && forShard) {
                shard.hash(again, ledger);
            }
        }
    }

    private void hashTarget() throws InterruptedException {
        CopyRecords begun = records;
        if (begun != null && begun.lackHashes()) {
            interruptThisThread();
            boolean renamed = outcome.renamed();
            Set<RawPath> above = request.directoriesAbovePairs();
            begun.hash((files, kind, each) -> files.hash(request.target(), renamed, above, kind, each));
        }
    }

    @Override
    protected Summary sumUp(@Nullable TransferException failure) {
        Session open = session;
        int lanes = open == null || !request.needsLanes()
                ? 0
                : Math.max(startLanes(open), open.counters().lanes());
        Summary result = ledger.summary(
                failure == null ? ledger.verdict() : failure, open, payload(), lanes, outcome, elapsedNanos());
        Summary ended = endRun(result);
        CopyRecords begun = records;
        Summary finished = begun == null ? ended : begun.finish(ended, outcome.finished(), outcome.renamed());
        if (open != null) {
            open.activity().conclude(finished);
        }
        return finished;
    }

    /** If the records of a run of a shard cannot be written, that is a failure: its work would be unknown. */
    private Summary endRun(Summary result) {
        ShardRun ended = run;
        if (ended == null) {
            return result;
        }
        try (ended) {
            ended.finish(result, outcome.finished());
            return result;
        } catch (TransferException unwritable) {
            return failedToo(result, unwritable);
        }
    }

    static Summary failedToo(Summary result, TransferException unwritable) {
        return result.failure() != null ? result : result.failedWith(unwritable.failure());
    }

    private void push() throws InterruptedException {
        boolean removes = request.get(CopyValue.REMOVE_SOURCE) && !request.dryRun();
        CopiedSources copied = removes ? new CopiedSources() : null;
        if (copied != null) {
            ledger.writeTo(copied);
        }
        // Before the first byte is sent: a missing source is no reason to contact the server.
        SenderSources.Problems problems = new SenderSources.Problems();
        try (Sources sources = sources(problems)) {
            beginRun();
            oneChunk = isOneChunk(sources.onlyFileBytes());
            if (request.has(CopyValue.MIRROR) && sources.isSingleFile()) {
                throw Cause.USAGE.failure("--delete needs a directory as source, not a file");
            }
            SessionParts parts = parts(openSession(), Role.SENDER);
            Sender sender = new Sender(parts, sources);
            problems.reportTo(sender);
            outcome = runSession(parts, sender, sender::begin);
            hashSources();
            if (copied != null && outcome.finished()) {
                copied.remove(sources, ledger);
            }
        }
    }

    private Sources sources(SenderSources.Problems problems) {
        Path shard = plan.find(CopyValue.SHARD);
        return shard == null ? here.opening.apply(problems) : new ShardSources(shard, problems);
    }

    /** A dry run of a shard does not count as one of its runs. */
    private void beginRun() {
        Path shard = plan.find(CopyValue.SHARD);
        if (shard != null && !request.dryRun()) {
            ShardRun begun = new ShardRun(shard, request.hash(), request.get(CopyValue.PRESERVE));
            run = begun;
            ledger.writeTo(begun);
        }
    }

    private void pull() throws InterruptedException {
        SessionParts parts = parts(openSession(), Role.RECEIVER);
        try (Targets targets = Targets.local(request)) {
            outcome = runSession(parts, new Receiver(parts, targets), () -> {});
        }
        hashTarget();
    }

    private SessionParts parts(Session open, Role role) {
        return SessionParts.of(open, request, ledger, here.limits, here.rate, spread.apply(role));
    }

    private Session openSession() throws InterruptedException {
        throwIfInterrupted();
        TransferPlan asked = request.forServer().with(CopyValue.LANES, range());
        Session open = peer.openCopy(plan, asked);
        session = open;
        stoppedBy(open::interrupt);
        CopyChecks.requireWhatWasAsked(open, asked);
        request = request.summing(open.checksums());
        ShardRun begun = run;
        if (begun != null) {
            begun.hashesWith(request.hash());
        }
        Path shard = plan.find(CopyValue.SHARD);
        if (shard != null) {
            open.activity().movesShard(Shard.shownName(shard));
        }
        observer.onActivity(open.activity());
        ledger.hashesWith(request.hash());
        boolean tells = !plan.hash().sums().isEmpty() && observer.wantsChecksumsOfSkipped();
        boolean recorded = plan.has(CopyValue.RECEIPT) || plan.has(CopyValue.MANIFEST) || here.client != null;
        if ((recorded || tells) && !request.dryRun()) {
            CopyRecords written = new CopyRecords(plan, request.hash(), open.name(), ledger, tells, here.client);
            records = written;
            ledger.writeTo(written);
        }
        return open;
    }

    /** The data of a pipe keeps its order only on one lane. */
    private LaneRange range() {
        boolean pipe = request.sources().contains(TransferPlan.STANDARD_STREAM)
                || TransferPlan.descriptorOf(request.target()) >= 0;
        return pipe ? LaneRange.fixed(1) : request.get(CopyValue.LANES);
    }

    private int startLanes(Session open) {
        LaneRange granted = range().atMost(open.lanes());
        Range part = request.find(CopyValue.RANGE);
        return oneChunk || (part != null && isOneChunk(part.lengthBytes())) ? granted.min() : granted.first();
    }

    /** @param bytes of all that is copied, negative if unknown */
    private boolean isOneChunk(long bytes) {
        return bytes >= 0 && bytes <= request.get(CopyValue.CHUNK_BYTES);
    }

    private CopyOutcome runSession(SessionParts parts, CopySide side, Runnable begin) throws InterruptedException {
        Session open = parts.session();
        TransferException failure = null;
        try (SessionLanes lanes = peer.lanes(plan, open, side, observer::onWarning)) {
            parts.lanes().whenLost(lanes::openAgain);
            parts.lanes().onLanesRequested(lanes::request);
            parts.lanes().whenJoined(() -> reportStart(open, lanes));
            open.attach(side);
            throwIfInterrupted();
            begin.run();
            if (request.needsLanes()) {
                lanes.request(startLanes(open));
            } else {
                reportStart(open, lanes);
            }
            open.run();
            // With nothing to send, it may end before a lane has joined.
            reportStart(open, lanes);
            return CopyOutcome.of(side);
        } catch (InterruptedException | RuntimeException e) {
            failure = TransferException.of(e);
            throw e;
        } finally {
            TransferException stop = failure != null && stopsReceiver(failure) ? failure : null;
            if (stop != null) {
                open.stop(stop);
            } else if (failure != null) {
                open.end(failure);
            }
            side.close(failure);
            if (stop != null) {
                open.awaitLastCount();
            }
            if (peer.isLent() && stop == null) {
                open.leave();
            } else {
                open.end(null);
            }
        }
    }

    /** Whether the receiver learns from this side that the session ends, and can say what it keeps. */
    private boolean stopsReceiver(TransferException failure) {
        FailureKind kind = failure.kind();
        return payload() == Counter.SENT_BYTES && (kind == FailureKind.INTERRUPTED || kind == FailureKind.TERMINATED);
    }

    private void reportStart(Session open, SessionLanes lanes) {
        if (!startReported) {
            startReported = true;
            String description = lanes.description();
            observer.onStart(
                    open.name(),
                    request.needsLanes() ? startLanes(open) : 0,
                    description == null ? peer.transport() : description,
                    open.peer());
        }
    }

    private Counter payload() {
        return request.direction() == Direction.PUSH ? Counter.SENT_BYTES : Counter.RECEIVED_BYTES;
    }

    @Override
    public Progress progress() {
        Session open = session;
        if (open != null) {
            ledger.count(open, payload());
        }
        return new Progress(
                new Progress.Files(
                        figures.filesTotal.get(),
                        figures.filesDone.get(),
                        figures.filesFailed.get(),
                        figures.filesSkipped.get()),
                figures.bytes(),
                (int) figures.lanesAlive.get(),
                figures.totalsFinal,
                elapsedNanos());
    }

    @Override
    public void interrupt(Failure why) {
        super.interrupt(why);
        ShardRun begun = run;
        if (begun != null) {
            Session open = session;
            begun.stopping(why.exitCode(), open == null ? 0 : open.counters().sum(payload()));
        }
    }
}
