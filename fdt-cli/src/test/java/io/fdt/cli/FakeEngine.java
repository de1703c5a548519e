package io.fdt.cli;

import io.fdt.cli.value.HostPort;
import io.fdt.core.Fdt;
import io.fdt.core.control.AccountProcesses;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.engine.AccountServing;
import io.fdt.core.engine.Connected;
import io.fdt.core.engine.ServerSettings;
import io.fdt.core.engine.Serving;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.files.ListJob;
import io.fdt.core.files.ListObserver;
import io.fdt.core.files.ListPlan;
import io.fdt.core.files.ListSummary;
import io.fdt.core.files.Operations;
import io.fdt.core.nettest.NettestJob;
import io.fdt.core.nettest.NettestObserver;
import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.plan.JobsPlan;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.run.Running;
import io.fdt.core.security.OneTimeAccess;
import io.fdt.core.security.ServerCertificate;
import io.fdt.core.stats.JobReport;
import io.fdt.core.stats.Moved;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.RdmaUse;
import io.fdt.core.transport.tcp.TcpSettings;
import io.fdt.core.verify.VerifyJob;
import io.fdt.core.verify.VerifyObserver;
import io.fdt.core.verify.VerifyPlan;
import io.fdt.core.verify.VerifySummary;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An engine that moves no data and ends as the test specifies. */
public final class FakeEngine implements Fdt {
    public static final Summary OK = summary(null, null);

    public @Nullable TransferPlan plan;

    public @Nullable ServerSettings serverSettings;

    /** What alone admits to the server. */
    public @Nullable OneTimeAccess access;

    public @Nullable VerifyPlan verifyPlan;

    /** Runs during the verification, before it ends. */
    public Consumer<VerifyObserver> verification = observer -> {};

    public VerifySummary verified =
            new VerifySummary(null, 3, 123, VerifySummary.Differences.NONE, 1_230_000_000L, "xxh3-128:00ff");

    public @Nullable ListPlan listPlan;

    /** Runs during the listing, before it ends. */
    public Consumer<ListObserver> listing = observer -> {};

    public ListSummary listed = new ListSummary(null, 3, 123, 0, 0, 0);

    public @Nullable NettestPlan nettestPlan;

    /** Runs during the network test, before it ends. */
    public Consumer<NettestObserver> nettest = observer -> {};

    public NettestOutcome tested = new NettestOutcome(null, null, 1_230_000_000L, "s1");

    /** The network settings and the use of RDMA of the last call. */
    public @Nullable TcpSettings network;

    public @Nullable RdmaUse rdma;

    /** The key line of the last call. */
    public @Nullable String key;

    public @Nullable Path token;
    public @Nullable Path authorities;
    public @Nullable ServerCertificate certificate;

    /** Runs during the session, before it ends. */
    public Consumer<TransferObserver> session = observer -> {};

    public Summary end = OK;
    public Progress progress = new Progress(
            new Progress.Files(4, 1, 0, 0),
            new Progress.Bytes(2_000, 500, Summary.Bytes.of(500, new Moved(1_000, 400, 400, 400, 400))),
            4,
            true,
            1_000_000_000L);

    /** Thrown instead of opening a session. */
    public @Nullable RuntimeException failure;

    /** Whether the session lasts until it is interrupted. */
    public boolean endless;
    /** The requested source of a copy between two servers. */
    public @Nullable HostPort from;

    /** The time for retries of a detached copy. */
    public @Nullable Long detachedFor;

    public @Nullable JobsPlan jobsPlan;

    public List<JobReport> jobs = List.of();

    /** Whether the session ignores interruptions and ends only on {@link #letGo}. */
    public boolean deaf;

    private final CountDownLatch letGo = new CountDownLatch(1);

    /** How each started job was closed, in order. */
    public final Queue<String> closed = new ConcurrentLinkedQueue<>();

    public final CountDownLatch started = new CountDownLatch(1);
    public volatile @Nullable Cause interruptedBy;

    public Consumer<ServerObserver> service = observer -> {};

    /** Runs on the thread that stops the server. */
    public Runnable stopping = () -> {};

    public static Summary summary(@Nullable Cause cause, @Nullable String detail) {
        return summary(cause == null ? null : Failure.of(cause, String.valueOf(detail)));
    }

    public static Summary summary(@Nullable Failure failure) {
        return new Summary(
                failure,
                new Summary.Files(3, 0, 0, 0, List.of()),
                Summary.Bytes.of(123, new Moved(123, 123, 123, 123, 123)),
                new Summary.Run("s1", 4, 0, 1_230_000_000L, "target-disk"),
                "xxh3-128:00ff",
                null);
    }

    /** Ends a session that ignores interruptions. */
    public void letGo() {
        letGo.countDown();
    }

    public TransferPlan plan() {
        TransferPlan made = plan;
        if (made == null) {
            throw new AssertionError("no transfer was asked for");
        }
        return made;
    }

    public VerifyPlan verifyPlan() {
        VerifyPlan made = verifyPlan;
        if (made == null) {
            throw new AssertionError("no verification was asked for");
        }
        return made;
    }

    public ServerSettings serverSettings() {
        ServerSettings made = serverSettings;
        if (made == null) {
            throw new AssertionError("no server was asked for");
        }
        return made;
    }

    public RdmaUse rdma() {
        RdmaUse made = rdma;
        if (made == null) {
            throw new AssertionError("nothing was asked for");
        }
        return made;
    }

    public TcpSettings network() {
        TcpSettings made = network;
        if (made == null) {
            throw new AssertionError("nothing was asked for");
        }
        return made;
    }

    @Override
    public Fdt withKey(@Nullable String line) {
        key = line;
        return this;
    }

    @Override
    public Fdt withToken(@Nullable Path file) {
        token = file;
        return this;
    }

    @Override
    public Fdt withAuthorities(@Nullable Path file) {
        authorities = file;
        return this;
    }

    @Override
    public Fdt withTokensOf(Map<String, String> environment) {
        return this;
    }

    @Override
    public Fdt withCertificate(Supplier<? extends @Nullable ServerCertificate> shown) {
        certificate = shown.get();
        return this;
    }

    @Override
    public Fdt withNetwork(TcpSettings settings) {
        network = settings;
        return this;
    }

    @Override
    public Fdt withRdma(RdmaUse use) {
        rdma = use;
        return this;
    }

    @Override
    public Fdt naming(String server) {
        return this;
    }

    @Override
    public TransferJob copy(TransferPlan wanted, TransferObserver observer) {
        plan = wanted;
        if (failure != null) {
            throw failure;
        }
        session.accept(observer);
        return new Job();
    }

    @Override
    public TransferJob copyBetween(String host, int port, TransferPlan push, TransferObserver observer) {
        from = new HostPort(host, port);
        return copy(push, observer);
    }

    @Override
    public TransferJob detach(String host, int port, TransferPlan push, long retryMs, TransferObserver observer) {
        detachedFor = retryMs;
        return copyBetween(host, port, push, observer);
    }

    @Override
    public TransferJob jobs(JobsPlan wanted, Consumer<JobReport> found, TransferObserver observer) {
        jobsPlan = wanted;
        if (failure != null) {
            throw failure;
        }
        jobs.forEach(found);
        session.accept(observer);
        return new Job();
    }

    @Override
    public VerifyJob verify(VerifyPlan wanted, VerifyObserver observer) {
        verifyPlan = wanted;
        if (failure != null) {
            throw failure;
        }
        verification.accept(observer);
        return new Check();
    }

    @Override
    public ListJob list(ListPlan wanted, ListObserver observer) {
        listPlan = wanted;
        if (failure != null) {
            throw failure;
        }
        listing.accept(observer);
        return new Looking();
    }

    @Override
    public Connected connected(
            String host, int port, List<InetAddress> localAddresses, long timeoutMs, Consumer<String> warnings) {
        throw failure == null ? Cause.CANNOT_CONNECT.failure("there is no server") : failure;
    }

    @Override
    public Operations operations(String host, int port, long timeoutMs, Consumer<String> warnings) {
        throw failure == null ? Cause.CANNOT_CONNECT.failure("there is no server") : failure;
    }

    @Override
    public NettestJob nettest(NettestPlan wanted, NettestObserver observer) {
        nettestPlan = wanted;
        if (failure != null) {
            throw failure;
        }
        nettest.accept(observer);
        return new Testing();
    }

    @Override
    public Serving serve(ServerSettings wanted, ServerObserver observer, AccountProcesses accounts) {
        serverSettings = wanted;
        if (failure != null) {
            throw failure;
        }
        return new Server(observer);
    }

    @Override
    public Serving serveOnce(ServerSettings wanted, ServerObserver observer, OneTimeAccess access) {
        this.access = access;
        return serve(wanted, observer, AccountProcesses.NONE);
    }

    @Override
    public AccountServing serveAccount(ServerSettings wanted, ServerObserver observer, AccountServing.Given given) {
        throw new AssertionError("no command of a test is the process of an account");
    }

    /** The running job that a command waits for and closes. */
    private abstract class Waited<E> implements Running<E> {
        @Override
        public boolean await(Duration limit) {
            throw new AssertionError("no command waits for a while");
        }

        @Override
        public void close() {
            closed.add("at leisure");
        }

        @Override
        public void close(long timeoutMs) {
            closed.add("within " + timeoutMs + " ms");
        }
    }

    private final class Job extends Waited<Summary> implements TransferJob {
        private final CountDownLatch stopped = new CountDownLatch(1);
        private volatile @Nullable Summary interrupted;

        @Override
        public Progress progress() {
            return progress;
        }

        @Override
        public void interrupt(Failure why) {
            interruptedBy = why.cause();
            interrupted = summary(why);
            if (!deaf) {
                stopped.countDown();
            }
        }

        @Override
        public Summary await() throws InterruptedException {
            started.countDown();
            if (endless && !(deaf ? letGo : stopped).await(Await.LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("nobody interrupted the session");
            }
            Summary summary = interrupted;
            return summary == null ? end : summary;
        }
    }

    private final class Check extends Waited<VerifySummary> implements VerifyJob {
        private final CountDownLatch stopped = new CountDownLatch(1);
        private volatile @Nullable VerifySummary interrupted;

        @Override
        public Progress progress() {
            return progress;
        }

        @Override
        public void interrupt(Failure why) {
            interruptedBy = why.cause();
            interrupted = new VerifySummary(why, 1, 2, VerifySummary.Differences.NONE, 3, null);
            stopped.countDown();
        }

        @Override
        public VerifySummary await() throws InterruptedException {
            started.countDown();
            if (endless && !stopped.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("nobody interrupted the verification");
            }
            VerifySummary summary = interrupted;
            return summary == null ? verified : summary;
        }
    }

    private final class Looking extends Waited<ListSummary> implements ListJob {
        @Override
        public void interrupt(Failure why) {
            interruptedBy = why.cause();
        }

        @Override
        public ListSummary await() {
            started.countDown();
            return listed;
        }
    }

    private final class Testing extends Waited<NettestOutcome> implements NettestJob {
        private final CountDownLatch stopped = new CountDownLatch(1);
        private volatile @Nullable NettestOutcome interrupted;

        @Override
        public void interrupt(Failure why) {
            interruptedBy = why.cause();
            interrupted = new NettestOutcome(why, tested.result(), 5, "s1");
            stopped.countDown();
        }

        @Override
        public NettestOutcome await() throws InterruptedException {
            started.countDown();
            if (endless && !stopped.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("nobody interrupted the test");
            }
            NettestOutcome outcome = interrupted;
            return outcome == null ? tested : outcome;
        }
    }

    private final class Server implements Serving {
        private final ServerObserver observer;
        private final CountDownLatch closed = new CountDownLatch(1);

        Server(ServerObserver observer) {
            this.observer = observer;
        }

        @Override
        public InetSocketAddress address() {
            InetSocketAddress wanted = serverSettings().address();
            return wanted.getPort() == 0 ? new InetSocketAddress(wanted.getAddress(), 40_001) : wanted;
        }

        @Override
        public int rdmaPort() {
            return 0;
        }

        @Override
        public void reload() {
            throw new AssertionError("it trusts no issuers");
        }

        @Override
        public boolean stop(long timeoutMs) {
            stopping.run();
            return true;
        }

        @Override
        public void endDeserted() {
            throw new AssertionError("its sessions have no clients");
        }

        @Override
        public void await() throws InterruptedException {
            service.accept(observer);
            started.countDown();
            if (endless && !closed.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("nobody stopped the server");
            }
        }

        @Override
        public void close() {
            closed.countDown();
        }
    }
}
