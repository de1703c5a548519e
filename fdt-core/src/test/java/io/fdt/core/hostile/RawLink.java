package io.fdt.core.hostile;

import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.MessageLink;
import io.fdt.core.wire.ControlCodec;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.SessionMessage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A link on which anything can be sent at any time. */
final class RawLink implements MessageLink.Handler {
    private static final long PATIENCE_MS = Await.LIMIT_MS;

    private final MessageLink link;
    private final LinkedBlockingQueue<ControlMessage> received = new LinkedBlockingQueue<>();
    private final CountDownLatch closed = new CountDownLatch(1);

    RawLink(MessageLink link) {
        this.link = link;
        link.start(this);
    }

    void admitted() {
        link.admitted();
    }

    void send(ControlMessage message) {
        link.send(ControlCodec.encode(message));
    }

    void sendBytes(byte[] message) {
        link.send(message);
    }

    /** Returns the next message of this type and skips others; null when the link closes before one arrives. */
    <M extends ControlMessage> @Nullable M next(Class<M> type) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MS);
        while (System.nanoTime() < deadline) {
            ControlMessage message = received.poll(20, TimeUnit.MILLISECONDS);
            if (type.isInstance(message)) {
                return type.cast(message);
            }
            if (message == null && closed.getCount() == 0 && received.isEmpty()) {
                return null;
            }
        }
        throw new AssertionError("neither " + type.getSimpleName() + " nor an end within " + PATIENCE_MS + " ms");
    }

    /** Returns the next message of any type; null when none arrives in time. */
    @Nullable ControlMessage poll(long timeoutMs) throws InterruptedException {
        return received.poll(timeoutMs, TimeUnit.MILLISECONDS);
    }

    /** Waits until the remote end has closed the link. */
    void awaitClose() throws InterruptedException {
        if (!closed.await(PATIENCE_MS, TimeUnit.MILLISECONDS)) {
            throw new AssertionError("the link is still open");
        }
    }

    boolean isClosed() {
        return closed.getCount() == 0;
    }

    long queuedBytes() {
        return link.queuedBytes();
    }

    void close() {
        link.close();
    }

    /** Ends the session at once, whereas {@link #close} leaves it waiting for this client. */
    void leave() {
        send(new SessionMessage.Leaving());
        close();
    }

    void abort(TransferException cause) {
        link.abort(cause);
    }

    @Override
    public void onMessage(byte[] message) {
        if (received.size() < 100_000) {
            received.add(ControlCodec.decode(message, link.peer()));
        }
    }

    @Override
    public void onClosed(@Nullable TransferException cause) {
        closed.countDown();
    }
}
