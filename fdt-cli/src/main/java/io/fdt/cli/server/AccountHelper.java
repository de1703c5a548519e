package io.fdt.cli.server;

import io.fdt.core.FailureKind;
import io.fdt.core.Threads;
import io.fdt.core.TransferException;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.security.Secrets;
import io.fdt.core.transport.local.PassingSocket;
import io.fdt.core.transport.local.PassingSocket.Message;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
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
    private static final int MAX_WAITING = 1_024;

    private static final Outgoing LAST = new Outgoing(0, new byte[0], -1);

    private final String user;
    private final byte[] route;
    private final RelayedEvents events;
    private final Starter starter;
    private final CompletableFuture<byte[]> ready = new CompletableFuture<>();
    private final LinkedBlockingQueue<Outgoing> waiting = new LinkedBlockingQueue<>(MAX_WAITING);
    private final Thread thread;
    private volatile @Nullable PassingSocket socket;
    private volatile @Nullable Process process;
    private volatile long usedNanos = System.nanoTime();
    // Guarded by this.
    private boolean over;

    /** Starts the process of the account, which gets a line on its standard input. */
    interface Starter {
        CompletableFuture<Process> start(String line);
    }

    /** @param fd closed once it has been passed on; -1 for none */
    private record Outgoing(int type, byte[] payload, int fd) {
        void discard() {
            if (fd >= 0) {
                Libc.close(fd);
            }
        }
    }

    /** @param begin what the process has to do */
    AccountHelper(AccountServer.Begin begin, ServerObserver observer, Starter starter, Runnable onEnd) {
        this.user = begin.user();
        this.route = begin.route();
        this.events = new RelayedEvents(observer);
        this.starter = starter;
        this.thread = Threads.daemon("fdt-account-" + user, () -> {
            try {
                run(begin);
            } finally {
                onEnd.run();
                end();
            }
        });
    }

    void start() {
        thread.start();
    }

    /** Completes with the route once the process is ready, or with the reason why there is none. */
    CompletableFuture<byte[]> ready() {
        return ready;
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
        return offer(new Outgoing(AccountServer.CONNECTION, new byte[0], fd));
    }

    void keys(String text) {
        if (!offer(new Outgoing(AccountServer.KEYS, text.getBytes(StandardCharsets.UTF_8), -1))) {
            // A process that does not receive must not go on admitting a revoked key.
            kill();
        }
    }

    /** Asks for a resumable end, and returns at once. */
    void stop() {
        if (!offer(new Outgoing(AccountServer.STOP, new byte[0], -1))) {
            kill();
        }
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
        kill();
    }

    void kill() {
        Process running = process;
        if (running != null) {
            running.destroyForcibly();
        }
    }

    private void run(AccountServer.Begin begin) throws InterruptedException {
        String why = "it ended before it was ready; see the server's log";
        try (PassingSocket connected = connect()) {
            socket = connected;
            if (connected.send(AccountServer.BEGIN, begin.toBytes())) {
                Threads.start("fdt-account-send", () -> sendAll(connected));
                why = follow(connected);
            }
        } catch (IOException | TransferException e) {
            why = TransferException.reason(e);
        } catch (RuntimeException | Error e) {
            why = String.valueOf(e);
            throw e;
        } finally {
            fail(why);
        }
    }

    private void fail(String why) {
        boolean unused = ready.completeExceptionally(
                FailureKind.UNAVAILABLE.failure("the server has no process for the account " + user + ": " + why));
    }

    private PassingSocket connect() throws IOException, InterruptedException {
        String name = "fdt-account-" + HexFormat.of().formatHex(Secrets.random(NAME_BYTES));
        try (PassingSocket.Listening listening = new PassingSocket.Listening(name)) {
            Process started = starter.start(name).join();
            process = started;
            long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(START_MS);
            while (started.isAlive() && System.nanoTime() < endNanos) {
                PassingSocket came = listening.accept(started.pid(), LOOK_MS);
                if (came != null) {
                    return came;
                }
            }
            throw new IOException(
                    started.isAlive() ? "it did not start in time" : "it did not start; see the server's log");
        } catch (CompletionException noProcess) {
            Throwable cause = noProcess.getCause();
            throw new IOException(cause == null ? noProcess.getMessage() : cause.getMessage(), noProcess);
        }
    }

    /** Returns why there are no more messages. */
    private String follow(PassingSocket from) throws IOException {
        for (Message next = from.receive(); next != null; next = from.receive()) {
            if (next.descriptor() >= 0) {
                Libc.close(next.descriptor());
            }
            switch (next.type()) {
                case AccountServer.READY -> {
                    boolean unused = ready.complete(route.clone());
                }
                case AccountServer.FAILED -> {
                    return RelayedEvents.text(new DataInputStream(new ByteArrayInputStream(next.payload())));
                }
                default -> {
                    if (!events.report(next.type(), next.payload())) {
                        throw new IOException("it sent a message of unknown type " + next.type());
                    }
                }
            }
        }
        return "it ended before it was ready; see the server's log";
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

    /** Ends the process, which has nothing to do. Returns at once. */
    void close() {
        PassingSocket open = socket;
        if (open != null) {
            open.end();
        }
    }
}
