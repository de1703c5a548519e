package io.fdt.core.errand;

import io.fdt.core.FailureKind;
import io.fdt.core.Threads;
import io.fdt.core.TransferException;
import io.fdt.core.control.Session;
import io.fdt.core.control.SessionHandler;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.ErrandMessage.Delegated;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
    private final CountDownLatch answered = new CountDownLatch(1);

    private @Nullable Delegated lent;
    private @Nullable TransferException lost;
    private @Nullable Consumer<TransferException> listener;
    private volatile boolean closing;

    /** Starts at once. */
    HeldDelegation(Session session) {
        this.session = session;
        this.thread = Threads.daemon("fdt-delegation", this::run);
        thread.start();
    }

    private void run() throws InterruptedException {
        TransferException why = null;
        try {
            session.attach(this);
            session.run();
        } catch (RuntimeException e) {
            why = TransferException.of(e);
        } finally {
            session.end(closing ? null : why);
            if (!closing) {
                onLost(why != null ? why : gone());
            }
        }
    }

    private TransferException gone() {
        return FailureKind.CONNECTION_LOST.failure(session.peer() + ", the receiver, disconnected before the end");
    }

    private void onLost(TransferException why) {
        Consumer<TransferException> told;
        synchronized (this) {
            lost = why;
            told = listener;
        }
        answered.countDown();
        if (told != null) {
            told.accept(why);
        }
    }

    /** Waits for the key that the server lends; throws its reason if it does not. */
    Delegated await(long timeoutMs) throws InterruptedException {
        boolean inTime = answered.await(timeoutMs, TimeUnit.MILLISECONDS);
        synchronized (this) {
            if (lost != null) {
                throw lost;
            }
            if (!inTime || lent == null) {
                throw FailureKind.CONNECTION_LOST.failure(session.peer() + " opened a session and sent nothing in it");
            }
            return lent;
        }
    }

    /**
     * Registers a listener for a session that ends before it is closed here; called at once if it has already ended.
     */
    void whenLost(Consumer<TransferException> told) {
        TransferException already;
        synchronized (this) {
            listener = told;
            already = lost;
        }
        if (already != null) {
            told.accept(already);
        }
    }

    @Override
    public void onMessage(ControlMessage message) {
        synchronized (this) {
            if (!(message instanceof Delegated key) || lent != null) {
                throw SessionHandler.unexpected(session, message);
            }
            lent = key;
        }
        answered.countDown();
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

    @Override
    public void close() {
        closing = true;
        session.execute(() -> {});
        Threads.join(thread, JOIN_MS);
        session.end(null);
    }
}
