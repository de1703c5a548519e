package io.fdt.core.thirdparty;

import io.fdt.core.control.Session;
import io.fdt.core.control.SessionHandler;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.run.Threads;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.ThirdPartyMessage.Delegated;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A session with the receiving server that is held while its key is needed: closing it ends both. Its own thread,
 * {@code fdt-delegation}, runs the session; other methods may be called on any thread.
 */
final class HeldDelegation implements SessionHandler, AutoCloseable {
    private static final long JOIN_MS = 2_000;

    private final Session session;
    private final Thread thread;
    /** The key that the server lends, or why there is none. */
    private final CompletableFuture<Delegated> lent = new CompletableFuture<>();
    /** Why the session ended before it was closed here. */
    private final CompletableFuture<TransferException> lost = new CompletableFuture<>();

    private volatile boolean closing;
    private volatile @Nullable TransferException abandoned;

    /** Starts at once. */
    HeldDelegation(Session session) {
        this.session = session;
        this.thread = Threads.daemon("fdt-delegation", this::run);
        Threads.start(thread);
    }

    private void run() throws InterruptedException {
        TransferException why = null;
        try {
            session.attach(this);
            session.run();
        } catch (RuntimeException e) {
            why = TransferException.of(e);
        } finally {
            session.end(closing ? abandoned : why);
            if (!closing) {
                onLost(why != null ? why : gone());
            }
        }
    }

    private TransferException gone() {
        return Cause.CONNECTION_LOST.failure(session.peer() + ", the receiver, disconnected before the end");
    }

    private void onLost(TransferException why) {
        lost.complete(why);
        lent.completeExceptionally(why);
    }

    /** Waits for the key that the server lends; throws its reason if it does not. */
    Delegated await(long timeoutMs) throws InterruptedException {
        try {
            Delegated key = lent.get(timeoutMs, TimeUnit.MILLISECONDS);
            if (lost.isDone()) {
                throw lost.join();
            }
            return key;
        } catch (TimeoutException silent) {
            throw Cause.CONNECTION_LOST.failure(session.peer() + " opened a session and sent nothing in it");
        } catch (ExecutionException none) {
            throw lost.join();
        }
    }

    /**
     * Registers a listener for a session that ends before it is closed here; called at once if it has already ended.
     */
    void whenLost(Consumer<TransferException> action) {
        CompletableFuture<Void> unused = lost.thenAccept(action);
    }

    @Override
    public boolean takes(Class<? extends ControlMessage> type) {
        return type == Delegated.class;
    }

    @Override
    public void onMessage(ControlMessage message) {
        if (!(message instanceof Delegated key) || !lent.complete(key)) {
            throw SessionHandler.unexpected(session, message);
        }
    }

    @Override
    public boolean isDone() {
        return closing;
    }

    @Override
    public void onLinkClosed(@Nullable TransferException cause) {
        if (!closing) {
            throw cause != null ? cause : gone();
        }
    }

    /** The push is not to go on after {@link #close}. */
    void abandon(TransferException why) {
        abandoned = why;
    }

    @Override
    public void close() {
        closing = true;
        session.execute(() -> {});
        Threads.join(thread, JOIN_MS);
        session.end(abandoned);
    }
}
