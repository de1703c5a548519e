package io.fdt.core.transfer;

import io.fdt.core.FailureKind;
import io.fdt.core.Means;
import io.fdt.core.RunningThread;
import io.fdt.core.TransferException;
import io.fdt.core.control.Client;
import io.fdt.core.control.ClientLanes;
import io.fdt.core.control.LaneWays;
import io.fdt.core.control.Session;
import io.fdt.core.control.SessionHandler;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.SourceSelection;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TransferPlan.Direction;
import io.fdt.core.receipt.Receipt;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.Summary;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.transfer.Ledger.Outcome;
import io.fdt.core.transport.SpreadWatch;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.NamesAhead;
import io.fdt.core.wire.TransferMessage;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A transfer as the client runs it: opens the session and its lanes, plays the sender or the receiver, and sums up. Runs
 * on one thread of its own, {@code fdt-session}; never throws what it can put into the summary.
 */
public final class ClientTransfer extends RunningThread<Summary> implements TransferJob {
    /** In a push the server has no business with the client's sources, in a pull none with its target. */
    private static final SourceSelection NOTHING = new SourceSelection(List.of(), null, List.of());

    private final TransferPlan plan;
    private final Client client;
    private final LaneWays ways;
    private final SpreadWatch.Maker spread;
    private final TransferObserver observer;
    private final Opening opening;
    private final LimitGate limits;
    private final TransferFigures figures = new TransferFigures();
    private final Ledger ledger;

    private volatile @Nullable Session session;
    private Outcome outcome = Outcome.NONE;
    private boolean startTold;
    private @Nullable Receipt receipt;
    private volatile @Nullable ShardRun run;

    /** Where a sender's sources are. */
    private interface Opening {
        Sources open(SenderSources.Problems problems);
    }

    /**
     * Of what this user may read or write here.
     *
     * @param means closed with the transfer
     */
    public ClientTransfer(
            TransferPlan plan,
            Client client,
            LaneWays ways,
            SpreadWatch.Maker spread,
            TransferObserver observer,
            Means means) {
        this(
                plan,
                client,
                ways,
                spread,
                observer,
                problems -> SenderSources.local(plan, problems),
                LimitGate.ofClient(plan.limits()),
                means);
    }

    /**
     * A push of what a server exports, which it makes as a client because one of its own clients asked for it.
     *
     * @param roots what that client may read
     * @param serverLimits this server's own, besides those of the plan
     * @param means closed with the push
     */
    public static ClientTransfer ofExported(
            ExportedRoots roots,
            TransferLimits serverLimits,
            TransferPlan plan,
            Client client,
            LaneWays ways,
            SpreadWatch.Maker spread,
            TransferObserver observer,
            Means means) {
        if (plan.direction() != Direction.PUSH) {
            throw new IllegalArgumentException("a server pulls nothing for others");
        }
        Opening opening = problems -> TransferService.sources(
                roots, plan.selection(), plan.rules().preserve(), plan.sizeBytes(), plan.durationNanos(), problems);
        LimitGate limits = LimitGate.ofServer(serverLimits).and(LimitGate.ofClient(plan.limits()));
        return new ClientTransfer(plan, client, ways, spread, observer, opening, limits, means);
    }

    private ClientTransfer(
            TransferPlan plan,
            Client client,
            LaneWays ways,
            SpreadWatch.Maker spread,
            TransferObserver observer,
            Opening opening,
            LimitGate limits,
            Means means) {
        super("fdt-session", means);
        this.plan = plan;
        this.client = client;
        this.ways = ways;
        this.spread = spread;
        this.observer = observer;
        this.opening = opening;
        this.limits = limits;
        this.ledger = new Ledger(figures, observer);
        begin();
    }

    @Override
    protected void work() throws InterruptedException {
        requireSense();
        outcome = plan.direction() == Direction.PUSH ? push() : pull();
    }

    @Override
    protected Summary sumUp(@Nullable TransferException failure) {
        Session open = session;
        int lanes = open == null || plan.dryRun() ? 0 : open.lanes();
        Summary result = ledger.summary(
                failure == null ? ledger.verdict() : failure, open, moved(), lanes, outcome, elapsedNanos());
        return writeReceipt(endRun(result));
    }

    /** A receipt that was asked for and cannot be written is a failure, unless there is a worse one. */
    private Summary writeReceipt(Summary result) {
        Receipt written = receipt;
        if (written == null) {
            return result;
        }
        try (written) {
            written.finish(result);
            return result;
        } catch (TransferException unwritable) {
            return failedToo(result, unwritable);
        }
    }

    /** The same of what a run of a shard leaves behind: nobody would know what it did. */
    private Summary endRun(Summary result) {
        ShardRun ended = run;
        if (ended == null || plan.dryRun()) {
            return result;
        }
        try {
            ended.finish(result);
            ended.closeLog();
            return result;
        } catch (TransferException unwritable) {
            return failedToo(result, unwritable);
        }
    }

    private static Summary failedToo(Summary result, TransferException unwritable) {
        return result.failure() != null
                ? result
                : result.failedWith(unwritable.kind(), String.valueOf(unwritable.getMessage()));
    }

    private void requireSense() {
        if (plan.rules().compareDigest() && plan.digest() == DigestKind.NONE) {
            throw new TransferException(FailureKind.USAGE, "--compare digest needs a digest: not --digest none");
        }
        List<RawPath> names = plan.selection().names();
        if (plan.direction() == Direction.PULL && names != null) {
            requireFitting(names);
        }
    }

    /** In a pull the list travels before the message that opens the session. */
    private static void requireFitting(List<RawPath> names) {
        long bytes = names.stream().mapToLong(RawPath::lengthBytes).sum();
        if (names.size() > Bounds.MAX_NAMES || bytes > Bounds.MAX_NAMES_BYTES) {
            throw new TransferException(
                    FailureKind.USAGE,
                    "the list of " + names.size() + " names is too long for one pull: at most " + Bounds.MAX_NAMES
                            + " names and " + Bounds.MAX_NAMES_BYTES + " bytes; split it, or push");
        }
    }

    private Outcome push() throws InterruptedException {
        // Before the first byte goes out: a source that is missing is no reason to bother the server.
        SenderSources.Problems problems = new SenderSources.Problems();
        try (Sources sources = sources(problems)) {
            Session open = openSession();
            LaneWatch watch = new LaneWatch(open, figures, plan.timeoutMs());
            RateLimit limit = new RateLimit(plan.rateBitsPerSecond(), open.clock());
            Sender sender = new Sender(
                    open,
                    sources,
                    ledger,
                    figures,
                    limit,
                    plan.digest(),
                    plan.chunkBytes(),
                    plan.dryRun(),
                    watch,
                    limits,
                    spread.make(true),
                    plan.timeoutMs());
            problems.tell(sender);
            runSession(open, sender, watch, sender::begin, sender::close);
            return Outcome.of(sender);
        }
    }

    private Sources sources(SenderSources.Problems problems) {
        if (plan.shardFile() == null) {
            return opening.open(problems);
        }
        ShardRun begun = new ShardRun(plan.shardFile(), plan.digest(), problems);
        run = begun;
        ledger.writeTo(begun);
        return begun;
    }

    private Outcome pull() throws InterruptedException {
        try (Targets targets = ReceiverTargets.local(plan)) {
            Session open = openSession();
            LaneWatch watch = new LaneWatch(open, figures, plan.timeoutMs());
            Receiver receiver = new Receiver(
                    open,
                    targets,
                    ledger,
                    figures,
                    plan.digest(),
                    plan.rules().durability(),
                    plan.dryRun(),
                    watch,
                    limits,
                    spread.make(false),
                    plan.timeoutMs());
            runSession(open, receiver, watch, () -> {}, receiver::close);
            return Outcome.of(receiver);
        }
    }

    private Session openSession() throws InterruptedException {
        throwIfInterrupted();
        TransferMessage.OpenTransfer request = openRequest();
        Session open = client.open(
                server(),
                localAddress(),
                NamesAhead.pages(request.selection().names()),
                withoutNames(request),
                plan.timeoutMs());
        session = open;
        stoppedBy(open::interrupt);
        requireWhatWasAsked(open, request);
        ShardRun begun = run;
        if (begun != null) {
            open.activity().movesShard(begun.shownName());
        }
        observer.onActivity(open.activity());
        if (plan.receiptFile() != null) {
            Receipt written = new Receipt(plan.receiptFile(), plan.digest(), open.name());
            receipt = written;
            ledger.writeTo((entry, sizeBytes, digest, outcome, reason) ->
                    written.add(entry, sizeBytes, digest, outcome.name().toLowerCase(Locale.ROOT), reason));
        }
        return open;
    }

    /** A server may grant less than was asked for; more, or another kind, would be a trick. */
    private static void requireWhatWasAsked(Session open, TransferMessage.OpenTransfer request) {
        if ((open.clearLanes() && !request.clearLanes()) || open.lanes() > request.lanes()) {
            TransferException trick = new TransferException(
                    FailureKind.REFUSED,
                    open.clearLanes()
                            ? open.peer() + " wants the data without TLS, which was not asked for"
                            : open.peer() + " wants more lanes than were asked for");
            open.end(trick);
            throw trick;
        }
    }

    private static ControlMessage withoutNames(TransferMessage.OpenTransfer request) {
        return request.selection().names() == null ? request : request.withNames(List.of());
    }

    private TransferMessage.OpenTransfer openRequest() {
        return requestOf(plan).withLanes(lanes());
    }

    /** What a server is asked for a plan. */
    public static TransferMessage.OpenTransfer requestOf(TransferPlan plan) {
        boolean push = plan.direction() == Direction.PUSH;
        return new TransferMessage.OpenTransfer(
                plan.direction(),
                push ? NOTHING : plan.selection(),
                push ? plan.target() : TransferPlan.DEV_NULL,
                plan.rules(),
                plan.sizeBytes(),
                plan.durationNanos(),
                plan.lanes(),
                plan.digest(),
                plan.clearLanes(),
                plan.rateBitsPerSecond(),
                plan.dryRun(),
                plan.chunkBytes(),
                plan.timeoutMs());
    }

    /** What comes or goes through a pipe keeps its order only on one lane. */
    private int lanes() {
        boolean pipe = plan.selection().sources().contains(TransferPlan.STANDARD_STREAM)
                || plan.target().equals(TransferPlan.STANDARD_STREAM);
        return pipe ? 1 : plan.lanes();
    }

    private InetSocketAddress server() {
        InetSocketAddress address = new InetSocketAddress(plan.host(), plan.port());
        if (address.isUnresolved()) {
            throw new TransferException(FailureKind.CANNOT_CONNECT, "unknown host " + plan.host());
        }
        return address;
    }

    private @Nullable InetSocketAddress localAddress() {
        List<InetAddress> addresses = plan.localAddresses();
        return addresses.isEmpty() ? null : new InetSocketAddress(addresses.get(0), 0);
    }

    /** None is dialled yet. Of a dry run there is none, so it does not matter what would carry them. */
    private ClientLanes lanesOf(Session open, SessionHandler handler) {
        InetSocketAddress server = server();
        LaneWays.Way way = plan.dryRun()
                ? ways.usual(server)
                : ways.choose(open, server, localAddress(), plan.timeoutMs(), observer::onWarning);
        return new ClientLanes(open, handler, way.transport(), way.server(), plan.localAddresses(), plan.timeoutMs());
    }

    private interface Closer {
        void close(@Nullable TransferException cause);
    }

    private void runSession(Session open, SessionHandler handler, LaneWatch watch, Runnable begin, Closer closer)
            throws InterruptedException {
        TransferException failure = null;
        try (ClientLanes lanes = lanesOf(open, handler)) {
            watch.whenLost(lanes::openAgain);
            watch.whenJoined(() -> tellStart(open, lanes));
            open.attach(handler);
            throwIfInterrupted();
            begin.run();
            if (plan.dryRun()) {
                tellStart(open, lanes);
            } else {
                lanes.openAll();
            }
            open.run();
        } catch (InterruptedException e) {
            failure = new TransferException(FailureKind.INTERRUPTED, "interrupted", e);
            throw e;
        } catch (RuntimeException e) {
            failure = TransferException.of(e);
            throw failure;
        } finally {
            if (failure != null) {
                open.end(failure);
            }
            closer.close(failure);
            open.end(null);
        }
    }

    private void tellStart(Session open, ClientLanes lanes) {
        if (!startTold) {
            startTold = true;
            String description = lanes.description();
            observer.onStart(
                    open.name(),
                    plan.dryRun() ? 0 : open.lanes(),
                    description == null ? ways.name() : description,
                    open.peer());
        }
    }

    private Counter moved() {
        return plan.direction() == Direction.PUSH ? Counter.SENT_BYTES : Counter.RECEIVED_BYTES;
    }

    @Override
    public Progress progress() {
        Session open = session;
        long moved = open == null ? 0 : open.counters().sum(moved());
        return new Progress(
                figures.endless ? -1 : figures.bytesTotal.get(),
                figures.bytesDone.get(),
                moved,
                figures.filesTotal.get(),
                figures.filesDone.get(),
                figures.filesFailed.get(),
                figures.filesSkipped.get(),
                (int) figures.lanesAlive.get(),
                figures.totalsFinal,
                elapsedNanos());
    }

    @Override
    public void interrupt(FailureKind why, String message) {
        super.interrupt(why, message);
        ShardRun begun = run;
        if (begun != null && !plan.dryRun()) {
            Session open = session;
            begun.stopping(why, open == null ? 0 : open.counters().sum(moved()));
        }
    }
}
