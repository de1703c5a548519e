package io.fdt.cli.server;

import io.fdt.core.budget.ServerTotals;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.run.Threads;
import io.fdt.core.security.AccessKey;
import io.fdt.core.security.HostAccount;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.Secrets;
import io.fdt.core.security.ServerCertificate;
import io.fdt.core.storage.posix.ClaimLocks;
import io.fdt.core.token.TokenSettings;
import io.fdt.core.transport.local.PassingSocket;
import io.fdt.core.transport.local.PassingSocket.Message;
import io.fdt.core.wire.AccountCodec;
import io.fdt.core.wire.AccountMessage;
import io.fdt.core.wire.AccountMessage.Begin;
import io.fdt.core.wire.AccountMessage.Failed;
import io.fdt.core.wire.Bounds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The server's end of the process of an account, {@link AccountServer}. Its thread, {@code fdt-account-NAME}, starts
 * the process and reports its events; another sends, because the account's user can stop the process at any time.
 * Thread-safe.
 */
final class AccountHelper {
    /** A host can be very busy, and a client waits for no longer. */
    private static final long START_MS = 55_000;

    private static final long LOOK_MS = 100;
    private static final long END_MS = 2_000;
    private static final int NAME_BYTES = 16;

    /** Messages that wait for a process that does not receive; one more connection is refused. */
    private static final int MAX_WAITING = 64;

    /** A process that takes no connection for this time is ended, and its clients can resume. */
    private static final long STUCK_MS = 15_000;

    /** One that has served for this time begins anew with the pauses after failures. */
    private static final long SOUND_MS = 60_000;

    private static final String NOT_READY = "it ended before it was ready; see the server's log";

    private static final Outgoing LAST = new Outgoing(0, new byte[0], -1);

    private final String user;
    private final byte[] route;
    private final Shared shared;
    private final RelayedEvents events;
    private final Starter starter;
    private final CompletableFuture<byte[]> ready = new CompletableFuture<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final LinkedBlockingQueue<Outgoing> waiting = new LinkedBlockingQueue<>(MAX_WAITING);
    private final Thread thread;
    private volatile @Nullable PassingSocket socket;
    private volatile @Nullable Process process;
    private volatile long usedNanos = System.nanoTime();
    private volatile long readyNanos;
    /** The server has no use for the process any more, so its end is no failure. */
    private volatile boolean unwanted;

    private volatile boolean killed;

    // Guarded by this.
    private boolean over;
    /** Connections that the process has not taken, with those that the kernel holds. */
    private int untaken;

    private long progressNanos;

    /** What all processes of the server share. */
    record Shared(ClaimLocks claims, ServerTotals totals) {}

    /** Starts the process of an account, which gets a line on its standard input. */
    interface Starter {
        CompletableFuture<Started> start(String line);
    }

    /** A process that has to become the account. */
    record Started(Process process, HostAccount account) {}

    /** @param fd closed once it has been passed on; -1 for none */
    private record Outgoing(int type, byte[] payload, int fd) {
        void discard() {
            if (fd >= 0) {
                Libc.close(fd);
            }
        }
    }

    /**
     * @param begin what the process has to do once its account is known
     * @param onEnd called when nothing is left of the process
     */
    AccountHelper(
            String user,
            byte[] route,
            Shared shared,
            Function<HostAccount, Begin> begin,
            RelayedEvents events,
            Starter starter,
            Runnable onEnd) {
        this.user = user;
        this.route = route.clone();
        this.shared = shared;
        this.events = events;
        this.starter = starter;
        this.thread = Threads.daemon("fdt-account-" + user, () -> {
            try {
                run(begin);
            } finally {
                end();
                onEnd.run();
                ended.complete(null);
            }
        });
    }

    /** @param starting throws HOST_LIMIT, and then nothing has begun */
    void start(Consumer<Thread> starting) {
        starting.accept(thread);
    }

    /** Completes with the route once the process is ready, or with the reason why there is none. */
    CompletableFuture<byte[]> ready() {
        return ready;
    }

    /** Completes when nothing is left of the process; never with a failure. */
    CompletableFuture<Void> ended() {
        return ended;
    }

    /** Whether the process is gone or going, so that it serves nobody any more. */
    synchronized boolean isOver() {
        return over || unwanted || killed;
    }

    /** Whether a process was started, and ended although the server still wanted it. */
    boolean hasFailed() {
        return process != null && !unwanted;
    }

    boolean wasReady() {
        return ready.isDone() && !ready.isCompletedExceptionally();
    }

    /** Whether it became ready a good while ago. */
    boolean wasSound() {
        return wasReady() && System.nanoTime() - readyNanos > TimeUnit.MILLISECONDS.toNanos(SOUND_MS);
    }

    boolean hasRoute(byte[] asked) {
        return Arrays.equals(asked, route);
    }

    byte[] route() {
        return route.clone();
    }

    /** Returns true if it has taken the descriptor. */
    boolean pass(int fd) {
        usedNanos = System.nanoTime();
        synchronized (this) {
            if (isOver() || untaken >= MAX_WAITING || !offer(new Outgoing(AccountServer.CONNECTION, new byte[0], fd))) {
                return false;
            }
            if (untaken == 0) {
                progressNanos = System.nanoTime();
            }
            untaken++;
            return true;
        }
    }

    private synchronized void onTaken() {
        untaken = Math.max(0, untaken - 1);
        progressNanos = System.nanoTime();
    }

    /** Ends a process that its user has stopped, for example, which would hold descriptors. */
    void killIfStuck() {
        boolean stuck;
        synchronized (this) {
            stuck = untaken > 0 && System.nanoTime() - progressNanos > TimeUnit.MILLISECONDS.toNanos(STUCK_MS);
        }
        if (stuck) {
            kill();
        }
    }

    void keys(List<AccessKey> now) {
        events.allow(now);
        byte[] text = KeyStore.textOf(now).getBytes(StandardCharsets.UTF_8);
        // A process that does not receive must not go on admitting a revoked key.
        sendOrKill(AccountServer.KEYS, text);
    }

    private void sendOrKill(int type, byte[] payload) {
        if (!offer(new Outgoing(type, payload, -1))) {
            kill();
        }
    }

    /** Has the process accept a token, which has become this key. Returns false if it takes nothing now. */
    boolean accept(AccessKey key, String token) {
        events.allowToken(key.name());
        return offer(new Outgoing(AccountServer.TOKEN, token.getBytes(StandardCharsets.US_ASCII), -1));
    }

    void trust(TokenSettings settings) {
        sendOrKill(AccountServer.ISSUERS, settings.encoded());
    }

    void certificate(ServerCertificate shown) {
        sendOrKill(AccountServer.CERTIFICATE, shown.encoded());
    }

    /** Asks for a resumable end, and returns at once. */
    void stop() {
        unwanted = true;
        sendOrKill(AccountServer.STOP, new byte[0]);
    }

    private synchronized boolean offer(Outgoing message) {
        return !over && waiting.offer(message);
    }

    /** Whether it has had no session and no new connection for this time, or is not ready after too long a time. */
    boolean isIdle(long idleNanos) {
        if (!ready.isDone()) {
            return System.nanoTime() - usedNanos > TimeUnit.MILLISECONDS.toNanos(START_MS);
        }
        if (events.sessions() > 0) {
            usedNanos = System.nanoTime();
        }
        return System.nanoTime() - usedNanos > idleNanos;
    }

    /** Waits for the end up to this time; then ends it at once. */
    void await(long timeoutMs) {
        Threads.join(thread, timeoutMs);
        unwanted = true;
        kill();
    }

    void kill() {
        killed = true;
        Process running = process;
        if (running != null) {
            running.destroyForcibly();
        }
    }

    private void run(Function<HostAccount, Begin> begin) throws InterruptedException {
        Failure why = Failure.of(Cause.UNAVAILABLE, NOT_READY);
        HostAccount[] account = new HostAccount[1];
        try (PassingSocket connected = connect(account)) {
            socket = connected;
            if (connected.send(AccountServer.MESSAGE, AccountCodec.encode(begin.apply(account[0])))
                    && share(connected)) {
                Threads.start("fdt-account-send", () -> sendAll(connected));
                why = follow(connected);
            }
        } catch (TransferException e) {
            why = e.failure();
        } catch (IOException e) {
            String reason = TransferException.reason(e);
            why = Failure.of(Cause.UNAVAILABLE, reason);
            if (ready.isDone()) {
                events.warn("the server ends its process for the account " + user + ": " + reason);
            }
        } catch (RuntimeException | Error e) {
            why = Failure.of(Cause.UNAVAILABLE, String.valueOf(e));
            throw e;
        } finally {
            fail(why);
        }
    }

    private boolean share(PassingSocket to) throws IOException {
        ServerTotals totals = shared.totals();
        int row = totals.reserve();
        var unused = Objects.requireNonNull(process).onExit().thenRun(() -> totals.release(row));
        shared.claims().share();
        int[] descriptors = shared.claims().forAnother();
        try {
            boolean passed = to.send(AccountServer.TOTALS, new byte[] {(byte) row}, totals.descriptor());
            for (int each : descriptors) {
                passed = passed && to.send(AccountServer.CLAIMS, new byte[0], each);
            }
            return passed;
        } finally {
            for (int each : descriptors) {
                Libc.close(each);
            }
        }
    }

    /** What will not change by itself is a refusal: no such account, or one that this server cannot become. */
    private void fail(Failure why) {
        boolean lasting = why.kind() == FailureKind.USAGE || why.kind() == FailureKind.REFUSED;
        Failure whole = why.because(lasting ? Cause.REFUSED : Cause.UNAVAILABLE);
        boolean unused = ready.completeExceptionally(
                whole.failure("the server has no process for the account " + user + ": " + why.reason()));
    }

    private PassingSocket connect(HostAccount[] account) throws IOException, InterruptedException {
        String name = "fdt-account-" + HexFormat.of().formatHex(Secrets.random(NAME_BYTES));
        try (PassingSocket.Listening listening = new PassingSocket.Listening(name)) {
            Started begun = starter.start(name).join();
            Process started = begun.process;
            account[0] = begun.account;
            process = started;
            long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(START_MS);
            // Whoever changes these later finds the process.
            while (!unwanted && !killed && started.isAlive() && System.nanoTime() < endNanos) {
                PassingSocket came = listening.accept(started.pid(), LOOK_MS);
                if (came != null) {
                    return came;
                }
            }
            boolean alive = started.isAlive();
            started.destroyForcibly();
            throw new IOException(alive ? "it did not start in time" : "it did not start; see the server's log");
        } catch (CompletionException noProcess) {
            Throwable cause = noProcess.getCause();
            if (cause instanceof TransferException known) {
                throw known;
            }
            throw new IOException(cause == null ? noProcess.getMessage() : cause.getMessage(), noProcess);
        }
    }

    /** Returns why there are no more messages. */
    private Failure follow(PassingSocket from) throws IOException {
        for (Message next = from.receive(Bounds.MAX_MESSAGE_BYTES);
                next != null;
                next = from.receive(Bounds.MAX_MESSAGE_BYTES)) {
            if (next.descriptor() >= 0) {
                Libc.close(next.descriptor());
            }
            switch (next.type()) {
                case AccountServer.READY -> {
                    readyNanos = System.nanoTime();
                    boolean unused = ready.complete(route.clone());
                }
                case AccountServer.MESSAGE -> {
                    AccountMessage message = AccountCodec.decode(next.payload());
                    if (message instanceof Failed failed) {
                        return failed.failure();
                    }
                    events.report(message);
                }
                case AccountServer.TAKEN -> onTaken();
                default -> throw new IOException("it sent a message of unknown type " + next.type());
            }
        }
        return Failure.of(Cause.UNAVAILABLE, NOT_READY);
    }

    private void sendAll(PassingSocket to) throws InterruptedException {
        boolean sends = true;
        while (sends) {
            Outgoing next = waiting.take();
            sends = next.type != LAST.type && to.send(next.type, next.payload, next.fd);
            next.discard();
        }
    }

    private void end() {
        synchronized (this) {
            over = true;
        }
        for (Outgoing left = waiting.poll(); left != null; left = waiting.poll()) {
            left.discard();
        }
        boolean unused = waiting.offer(LAST);
        PassingSocket open = socket;
        if (open != null) {
            open.end();
        }
        Process running = process;
        if (running != null) {
            try {
                if (!running.waitFor(END_MS, TimeUnit.MILLISECONDS)) {
                    running.destroyForcibly();
                }
            } catch (InterruptedException e) {
                running.destroyForcibly();
                Thread.currentThread().interrupt();
            }
        }
        events.endAll("the server's process for the account " + user + " has ended");
    }

    /** Ends the process, which has nothing to do or did not start in time. Returns at once. */
    void close() {
        unwanted = true;
        fail(Failure.of(Cause.UNAVAILABLE, "it did not start in time"));
        PassingSocket open = socket;
        if (open != null) {
            open.end();
        } else {
            kill();
        }
    }
}
