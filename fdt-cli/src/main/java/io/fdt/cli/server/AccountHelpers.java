package io.fdt.cli.server;

import io.fdt.core.basic.Pauses;
import io.fdt.core.budget.ServerTotals;
import io.fdt.core.control.AccountProcesses;
import io.fdt.core.control.ServerLimits;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.engine.AccountServing;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.run.SurvivedFailures;
import io.fdt.core.run.Threads;
import io.fdt.core.security.AccessKey;
import io.fdt.core.security.HostAccount;
import io.fdt.core.security.Secrets;
import io.fdt.core.security.ServerCertificate;
import io.fdt.core.storage.posix.ClaimLocks;
import io.fdt.core.storage.posix.Landlock;
import io.fdt.core.token.TokenSettings;
import io.fdt.core.wire.AccountMessage;
import io.fdt.core.wire.SessionMessage;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The processes of accounts of a server that root runs: one an account, started for its first client, and ended when it
 * has had no session for as long as a session waits for its client. The server exempts the thread {@code fdt-accounts}
 * from what it gives up, and so the threads that this one starts, which look accounts up and start processes: files of
 * accounts are replaced by others, which would be out of reach. Thread-safe.
 */
final class AccountHelpers implements AccountProcesses, AutoCloseable {
    /** The maximum number of processes. */
    private static final int MAX = 64;

    private static final long IDLE_LOOK_MS = 1_000;
    private static final Pauses PAUSE_SECONDS = new Pauses(1, 60);

    private final List<String> arguments;
    private final ClaimLocks claims = new ClaimLocks();
    private final ServerTotals totals = ServerTotals.forSeveralProcesses();
    private final ServerLimits limits;
    private final LinkedBlockingQueue<Runnable> work = new LinkedBlockingQueue<>();
    private final Thread thread = Threads.daemon("fdt-accounts", this::run);
    private volatile ServerObserver observer = ServerObserver.NONE;
    private final CompletableFuture<Integer> kernelThread = new CompletableFuture<>();
    private final SurvivedFailures failures = new SurvivedFailures();
    private final Consumer<Thread> starting;
    private volatile boolean closed;

    // Guarded by this.
    private final Map<String, AccountHelper> byUser = new HashMap<>();
    private final Map<String, Pause> pauses = new HashMap<>();
    private Map<String, AccessKey> keys = Map.of();
    private TokenSettings trusted = TokenSettings.NONE;
    private @Nullable ServerCertificate certificate;

    /** An account's process has failed, and is not started again at once. */
    private record Pause(int failures, long endNanos) {
        /** A single end of a process that served is no reason to wait. */
        static Pause after(int failures, boolean served) {
            long seconds = PAUSE_SECONDS.after(served ? failures - 1 : failures);
            return new Pause(failures, System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds));
        }
    }

    /**
     * @param arguments of this server's command line, for the same server in the other processes
     * @param limits of this server, with all its processes
     * @param starting starts the threads of processes
     */
    AccountHelpers(List<String> arguments, ServerLimits limits, Consumer<Thread> starting) {
        this.starting = starting;
        this.arguments = List.copyOf(arguments);
        this.limits = limits;
        Threads.start(thread);
    }

    /** The sessions of all processes are reported to this observer. */
    void reportTo(ServerObserver all) {
        observer = all;
    }

    private void run() throws InterruptedException {
        kernelThread.complete(Landlock.thread());
        while (!closed) {
            Runnable next = work.poll(IDLE_LOOK_MS, TimeUnit.MILLISECONDS);
            if (next != null) {
                var unused = failures.survives(next);
            }
            var unused = failures.survives(this::lookAtAll);
        }
    }

    /** Returns the kernel's number of the thread that starts the threads which look up accounts and start processes. */
    int kernelThread() {
        return kernelThread.join();
    }

    private synchronized void lookAtAll() {
        for (AccountHelper helper : byUser.values()) {
            helper.killIfStuck();
            if (!helper.isOver()
                    && helper.isIdle(
                            TimeUnit.MILLISECONDS.toNanos(limits.times().disconnectedMs()))) {
                helper.close();
            }
        }
    }

    @Override
    public void find(AccessKey key, String token, Consumer<byte[]> found, Consumer<TransferException> refused) {
        String user = Objects.requireNonNull(key.permission().user());
        AccountHelper helper;
        TransferException why;
        synchronized (this) {
            helper = byUser.get(user);
            why = helper == null ? whyNone(user) : null;
            if (helper == null && why == null) {
                AccountHelper made = newHelper(user);
                try {
                    // It ends under this lock, so not before it is entered.
                    made.start(starting);
                    byUser.put(user, made);
                    helper = made;
                } catch (TransferException noThread) {
                    why = Cause.UNAVAILABLE
                            .advise("try again later")
                            .failure(
                                    "the server has no process for the account " + user + ": " + noThread.getMessage());
                }
            }
        }
        if (helper == null) {
            refused.accept(Objects.requireNonNull(why));
        } else if (helper.isOver()) {
            // What it held, such as locks on files, is free once nothing is left of it.
            var unused = helper.ended().thenRun(() -> find(key, token, found, refused));
        } else {
            AccountHelper ready = helper;
            var unused = ready.ready().whenComplete((route, failure) -> {
                if (failure == null && !token.isEmpty() && !ready.accept(key, token)) {
                    refused.accept(Cause.UNAVAILABLE
                            .advise("try again later")
                            .failure("the server's process for the account " + user + " is busy"));
                } else if (failure == null) {
                    found.accept(route);
                } else {
                    refused.accept(TransferException.of(failure));
                }
            });
        }
    }

    /** Returns why no process can be started for this account now, or null. */
    private @Nullable TransferException whyNone(String user) {
        if (closed) {
            return Cause.UNAVAILABLE.advise("try again later").failure("the server is stopping");
        }
        Pause pause = pauses.get(user);
        if (pause != null && System.nanoTime() - pause.endNanos < 0) {
            return Cause.UNAVAILABLE
                    .advise("try again in a minute")
                    .failure("the server's process for the account " + user
                            + " has failed repeatedly, see the server's log");
        }
        return byUser.size() < MAX
                ? null
                : Cause.UNAVAILABLE
                        .advise("try again later")
                        .failure("the server already works as " + MAX + " other accounts");
    }

    private AccountHelper newHelper(String user) {
        byte[] route = Secrets.random(SessionMessage.Elsewhere.ROUTE_BYTES);
        AccountHelper[] made = new AccountHelper[1];
        made[0] = new AccountHelper(
                user,
                route,
                new AccountHelper.Shared(claims, totals),
                account -> new AccountMessage.Begin(
                        route,
                        account.name(),
                        account.numbers(),
                        arguments,
                        observer.watchesFiles(),
                        observer.checksums()),
                new RelayedEvents(observer, user, limits),
                line -> start(user, line),
                () -> forget(user, made[0]));
        made[0].keys(keysOf(user));
        made[0].trust(trusted);
        if (certificate != null) {
            made[0].certificate(certificate);
        }
        return made[0];
    }

    private synchronized void forget(String user, AccountHelper ended) {
        byUser.remove(user, ended);
        Pause before = pauses.remove(user);
        if (ended.hasFailed()) {
            int others = before == null || ended.wasSound() ? 0 : before.failures;
            pauses.put(user, Pause.after(others + 1, ended.wasReady()));
        }
    }

    /** Looks up the account first, which fails more often than anything else, and can hang. */
    private CompletableFuture<AccountHelper.Started> start(String user, String line) {
        CompletableFuture<AccountHelper.Started> started = new CompletableFuture<>();
        work.add(() ->
                Threads.start("fdt-account-start", () -> start(user, line, started), started::completeExceptionally));
        return started;
    }

    private static void start(String user, String line, CompletableFuture<AccountHelper.Started> started) {
        try {
            HostAccount account = HostAccount.named(user);
            if (account.isRoot()) {
                throw Cause.USAGE.failure("it is root; use a key without an account");
            }
            started.complete(new AccountHelper.Started(JavaAgain.start(line), account));
        } catch (IOException | RuntimeException | Error e) {
            started.completeExceptionally(e);
        }
    }

    private List<AccessKey> keysOf(String user) {
        return keys.values().stream()
                .filter(key -> user.equals(key.permission().user()))
                .toList();
    }

    @Override
    public synchronized byte @Nullable [] lender(String keyId) {
        for (AccountHelper helper : byUser.values()) {
            byte[] route = helper.route();
            if (keyId.startsWith(AccountServing.lentPrefix(route))) {
                return route;
            }
        }
        return null;
    }

    @Override
    public ClaimLocks claims() {
        return claims;
    }

    @Override
    public ServerTotals totals() {
        return totals;
    }

    @Override
    public boolean pass(byte[] route, int fd) {
        return helpers().stream()
                .filter(each -> each.hasRoute(route))
                .findFirst()
                .filter(each -> each.pass(fd))
                .isPresent();
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // a record's own comparison would load classes at each start
    public synchronized void onRead(Map<String, AccessKey> byId, TokenSettings read) {
        if (read != trusted) {
            trusted = read;
            byUser.values().forEach(helper -> helper.trust(read));
        }
        if (byId == keys) {
            return;
        }
        Map<String, List<AccessKey>> before = new HashMap<>();
        byUser.keySet().forEach(user -> before.put(user, keysOf(user)));
        keys = byId;
        byUser.forEach((user, helper) -> {
            List<AccessKey> now = keysOf(user);
            if (!now.equals(before.get(user))) {
                helper.keys(now);
            }
        });
    }

    /** What the other processes show to clients with tokens as well; they cannot read the files. */
    synchronized void certificate(ServerCertificate shown) {
        certificate = shown;
        byUser.values().forEach(helper -> helper.certificate(shown));
    }

    /** Asks all processes to stop, and returns at once. */
    void stop() {
        closed = true;
        helpers().forEach(AccountHelper::stop);
    }

    private synchronized List<AccountHelper> helpers() {
        return List.copyOf(byUser.values());
    }

    @Override
    public void close() {
        stop();
        long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ServerCommand.STOP_MS);
        helpers()
                .forEach(helper ->
                        helper.await(Math.max(1, TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime()))));
    }
}
