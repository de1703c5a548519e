package io.fdt.core.transport;

import io.fdt.core.failure.TransferException;
import java.net.InetSocketAddress;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One stream to the peer (a TCP connection or an RDMA queue pair) with its own thread and a few blocks. A lane carries
 * an ordered sequence of bytes in each direction, divided into blocks. A transport may preserve the sender's block
 * boundaries; this affects speed only, never correctness.
 *
 * <p>The lane's thread may block, because it serves only this lane. Unless stated otherwise, methods must be called on
 * the lane's thread; {@link #execute} runs a task on it.
 */
public interface Lane extends Executor, AutoCloseable {
    /**
     * Starts delivery to the handler. May be called on any thread, once; nothing is received before. The first call of
     * the handler is {@link LaneHandler#onSendable} on the lane's thread.
     */
    void start(LaneHandler handler);

    /**
     * Returns a free block, cleared and held by the caller; null if none is free, and then {@code onSendable} follows.
     */
    @Nullable Block acquire();

    /** Sends the bytes between the block's position and limit. The caller no longer owns the block. */
    void send(Block block);

    /** The total time that calls of {@link #send} have waited for the network; the rest of their time is work. */
    default long sendWaitNanos() {
        return 0;
    }

    /**
     * Called when the owner of an accepted lane has authenticated the peer: it no longer counts against the limit of
     * unadmitted connections. Thread-safe; has no effect on a lane that was dialled.
     */
    default void admitted() {}

    /**
     * The capacity of the lane's blocks for sending, and the maximum of {@link LaneHandler#wantedBytes}. The block for
     * receiving may be larger.
     */
    int blockBytes();

    /**
     * Gives the lane's thread direct access to the stream, until it is closed within the same call. No block may be
     * held or being sent. Returns null if the transport, encryption or pending data prevent it; the caller then uses
     * blocks.
     */
    default @Nullable DirectStream takeOver() {
        return null;
    }

    /**
     * Like {@link #takeOver}, but also works by copying through the lane's blocks: for exchanges that do not use
     * blocks.
     */
    default @Nullable DirectStream takeOverByCopying() {
        return takeOver();
    }

    /**
     * Drops the next bytes without copying them, for a short time, if the caller knows how many unneeded bytes follow.
     * Only within {@link LaneHandler#onReceived}, when its block has been consumed completely.
     *
     * @param lengthBytes at most
     * @return the number of dropped bytes; 0 if none arrived, the lane is to end, or it cannot drop bytes: the rest is
     *     received normally
     */
    default int dropAhead(int lengthBytes) {
        return 0;
    }

    /**
     * Opens queues of the lane's device, at the lane's own address. They are independent of the lane, and the caller
     * must close them. Null if the lane has no such device.
     *
     * @throws TransferException NO_RDMA if the device or the system refuses
     */
    default @Nullable DeviceQueues openQueues() {
        return null;
    }

    /** The network connection of the lane. Thread-safe. */
    default Connection connection() {
        return Connection.NONE;
    }

    /** Runs the task on the lane's thread. Thread-safe. Tasks are dropped after the lane is closed. */
    @Override
    void execute(Runnable task);

    /** Runs the task on the lane's thread after a delay. Thread-safe. */
    void schedule(Runnable task, long delay, TimeUnit unit);

    /**
     * Closes the lane once everything that was sent has been passed to the network. Thread-safe and idempotent. The
     * handler is notified with a null cause.
     */
    @Override
    void close();

    /**
     * The session of the lane has ended in order: the lane goes on to another one if its handler {@linkplain
     * LaneHandler#onLeft agrees}, and otherwise is closed. Thread-safe.
     */
    default void leave() {
        close();
    }

    /** Aborts the lane, unless it is leaving its session: then that is completed. Thread-safe. */
    default void abortUnlessLeaving(TransferException cause) {
        abort(cause);
    }

    /** Closes the lane at once and drops unsent data; the handler receives the cause. Thread-safe. */
    void abort(TransferException cause);

    String peer();

    record Ends(InetSocketAddress local, InetSocketAddress remote) {}

    /** Whether it is unencrypted. */
    boolean isClear();

    /** A description for display: for example {@code epoll, TLSv1.3 TLS_AES_128_GCM_SHA256}. */
    String description();
}
