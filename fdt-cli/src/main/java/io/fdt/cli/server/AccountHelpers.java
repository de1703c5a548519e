package io.fdt.cli.server;

import io.fdt.core.AccountServing;
import io.fdt.core.FailureKind;
import io.fdt.core.Threads;
import io.fdt.core.TransferException;
import io.fdt.core.control.AccountProcesses;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.security.AccessKey;
import io.fdt.core.security.HostAccount;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.Secrets;
import io.fdt.core.wire.SessionMessage;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
 * has had no session for as long as a session waits for its client. The thread {@code fdt-accounts} looks accounts up
 * and starts processes, which takes a while. Thread-safe.
 */
final class AccountHelpers implements AccountProcesses, AutoCloseable {
    /** The maximum number of processes. */
    private static final int MAX = 64;

    private static final long IDLE_LOOK_MS = 1_000;

    private final List<String> arguments;
    private final long keptMs;
    private final LinkedBlockingQueue<Runnable> work = new LinkedBlockingQueue<>();
    private final Thread thread = Threads.daemon("fdt-accounts", this::run);
    private volatile ServerObserver observer = ServerObserver.NONE;
    private volatile boolean closed;

    // Guarded by this.
    private final Map<String, AccountHelper> byUser = new HashMap<>();
    private Map<String, AccessKey> keys = Map.of();

    /**
     * @param arguments of this server's command line, for the same server in the other processes
     * @param keptMs how long sessions wait for their clients
     */
    AccountHelpers(List<String> arguments, long keptMs) {
        this.arguments = List.copyOf(arguments);
        this.keptMs = keptMs;
        thread.start();
    }

    /** The sessions of all processes are reported to this observer. */
    void reportTo(ServerObserver all) {
        observer = all;
    }

    private void run() throws InterruptedException {
        while (!closed) {
            Runnable next = work.poll(IDLE_LOOK_MS, TimeUnit.MILLISECONDS);
            if (next != null) {
                next.run();
            }
            endIdle();
        }
    }

    private synchronized void endIdle() {
        byUser.values().removeIf(helper -> {
            boolean idle = helper.isIdle(TimeUnit.MILLISECONDS.toNanos(keptMs));
            if (idle) {
                helper.close();
            }
            return idle;
        });
    }

    @Override
    public void find(AccessKey key, Consumer<byte[]> found, Consumer<TransferException> refused) {
        String user = Objects.requireNonNull(key.permission().user());
        AccountHelper helper;
        synchronized (this) {
            if (closed) {
                refused.accept(FailureKind.UNAVAILABLE.failure("the server is stopping"));
                return;
            }
            helper = byUser.get(user);
            if (helper == null && byUser.size() >= MAX) {
                refused.accept(FailureKind.UNAVAILABLE.failure(
                        "the server already works as " + MAX + " other accounts; try again later"));
                return;
            }
            if (helper == null) {
                helper = newHelper(user);
                byUser.put(user, helper);
                helper.start();
            }
        }
        var unused = helper.ready().whenComplete((route, failure) -> {
            if (failure == null) {
                found.accept(route);
            } else {
                refused.accept(TransferException.of(failure));
            }
        });
    }

    private AccountHelper newHelper(String user) {
        AccountServer.Begin begin = new AccountServer.Begin(
                Secrets.random(SessionMessage.Elsewhere.ROUTE_BYTES),
                user,
                arguments,
                keysOf(user),
                observer.watchesFiles(),
                observer.checksums());
        AccountHelper[] made = new AccountHelper[1];
        made[0] = new AccountHelper(begin, observer, line -> start(user, line), () -> forget(user, made[0]));
        return made[0];
    }

    private synchronized void forget(String user, AccountHelper ended) {
        byUser.remove(user, ended);
    }

    /** Looks up the account first, which fails more often than anything else. */
    private CompletableFuture<Process> start(String user, String line) {
        CompletableFuture<Process> started = new CompletableFuture<>();
        work.add(() -> {
            try {
                if (HostAccount.named(user).isRoot()) {
                    throw FailureKind.USAGE.failure("it is root; use a key without an account");
                }
                started.complete(start(line));
            } catch (IOException | RuntimeException | Error e) {
                started.completeExceptionally(e);
            }
        });
        return started;
    }

    private static Process start(String line) throws IOException {
        List<String> words = new ArrayList<>(java());
        words.addAll(List.of("server", AccountServer.WORD));
        ProcessBuilder builder = new ProcessBuilder(words)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        // The process cannot open the archive of classes in this user's cache.
        builder.environment().put("FDT_QUICK_START", "off");
        Process process = builder.start();
        try (OutputStream input = process.getOutputStream()) {
            input.write(line.getBytes(StandardCharsets.US_ASCII));
        }
        return process;
    }

    /** Returns how this process was started: Java, its options and what it runs. */
    private static List<String> java() throws IOException {
        List<String> words = List.of(Files.readString(Path.of("/proc/self/cmdline"), StandardCharsets.ISO_8859_1)
                .split("\0", -1));
        int jar = words.indexOf("-jar");
        if (jar < 0 || jar + 1 >= words.size()) {
            throw new IOException("this server was not started by java -jar");
        }
        List<String> java = new ArrayList<>(words.subList(0, jar + 2));
        java.set(0, Path.of(System.getProperty("java.home"), "bin", "java").toString());
        return java;
    }

    private String keysOf(String user) {
        return KeyStore.textOf(keys.values().stream()
                .filter(key -> user.equals(key.permission().user()))
                .toList());
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
    public boolean pass(byte[] route, int fd) {
        List<AccountHelper> helpers;
        synchronized (this) {
            helpers = List.copyOf(byUser.values());
        }
        return helpers.stream()
                .filter(each -> each.hasRoute(route))
                .findFirst()
                .filter(each -> each.pass(fd))
                .isPresent();
    }

    @Override
    public synchronized void onKeys(Map<String, AccessKey> byId) {
        if (byId == keys) {
            return;
        }
        Map<String, String> before = new HashMap<>();
        byUser.keySet().forEach(user -> before.put(user, keysOf(user)));
        keys = byId;
        byUser.forEach((user, helper) -> {
            String now = keysOf(user);
            if (!now.equals(before.get(user))) {
                helper.keys(now);
            }
        });
    }

    /** Asks all processes to stop, and returns at once. */
    void stop() {
        List<AccountHelper> helpers;
        synchronized (this) {
            closed = true;
            helpers = List.copyOf(byUser.values());
        }
        helpers.forEach(AccountHelper::stop);
    }

    @Override
    public void close() {
        stop();
        List<AccountHelper> helpers;
        synchronized (this) {
            helpers = List.copyOf(byUser.values());
        }
        long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ServerCommand.STOP_MS);
        helpers.forEach(
                helper -> helper.await(Math.max(1, TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime()))));
    }
}
