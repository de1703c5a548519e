package io.fdt.core.transport;

import io.fdt.core.TransferException;
import java.net.InetSocketAddress;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One stream to the peer (a TCP connection or an RDMA queue pair) with its own thread and its own few
 * blocks. A lane carries an ordered sequence of bytes in each direction, cut into blocks; where a transport
 * keeps the sender's cuts it may, but nothing relies on that for correctness, only for speed.
 *
 * <p>The lane's thread may block: it serves this lane alone. Unless said otherwise a method must be called
 * on the lane's thread; {@link #execute} gets there from elsewhere.
 */
public interface Lane extends Executor, AutoCloseable {
    /**
     * Starts delivery to the handler. May be called on any thread, once; nothing is received before. The
     * handler's first call is {@link LaneHandler#onSendable} on the lane's thread.
     */
    void start(LaneHandler handler);

    /** A free block, cleared and held by the caller; null when none is free: {@code onSendable} follows. */
    @Nullable Block acquire();

    /** Sends the bytes between the block's position and limit. The block is no longer the caller's. */
    void send(Block block);

    /** How long calls of {@link #send} have waited for the network, in all: what else they took is work. */
    default long sendWaitNanos() {
        return 0;
    }

    /**
     * The owner of an accepted lane knows who is at the remote end: it no longer counts against the limit of
     * connections that are not admitted. Any thread; does nothing on a connected lane.
     */
    default void admitted() {}

    /**
     * The capacity of the lane's blocks for sending, and the most that {@link LaneHandler#wantedBytes} may ask for. The
     * block that is received into may be larger.
     */
    int blockBytes();

    /**
     * Gives the lane's thread the stream itself, until it is closed again within the same call. Nothing may be under
     * way: no block is held or being sent. Null where the transport, the encryption or what is still under way does not
     * allow it; the caller then goes by blocks.
     */
    default @Nullable DirectStream takeOver() {
        return null;
    }

    /**
     * As {@link #takeOver}, and also where the stream is no shortcut, for it copies into the lane's blocks and out of
     * them: for an exchange whose turns do not go by blocks.
     */
    default @Nullable DirectStream takeOverByCopying() {
        return takeOver();
    }

    /**
     * Drops bytes that come next without copying them out, for a short while; for whoever knows how many follow that
     * nobody looks at. Only within {@link LaneHandler#onReceived}, whose block has been consumed to its end.
     *
     * @param lengthBytes at most
     * @return how many bytes were dropped; 0 when none came, the lane is to end, or it has no such shortcut: the rest
     * is received
     */
    default int dropAhead(int lengthBytes) {
        return 0;
    }

    /**
     * Queues of the device that carries the lane, from the address by which it does: beside the lane, and the caller's,
     * who closes them. Null where no such device carries it.
     *
     * @throws TransferException NO_RDMA for what the device or the system refuses
     */
    default @Nullable DeviceQueues openQueues() {
        return null;
    }

    /** What its bytes travel over, as the network knows it. Any thread. */
    default Connection connection() {
        return Connection.NONE;
    }

    /** Runs the task on the lane's thread. Any thread. After the lane is closed the task is dropped. */
    @Override
    void execute(Runnable task);

    /** Runs the task on the lane's thread after a delay. Any thread. */
    void schedule(Runnable task, long delay, TimeUnit unit);

    /**
     * Closes the lane once everything that was sent before has been handed to the network; any thread, any
     * number of times. The handler is told with a null cause.
     */
    @Override
    void close();

    /** Closes the lane at once, unsent data is dropped; the handler is told the cause. Any thread. */
    void abort(TransferException cause);

    /** The remote end's address, for messages. */
    String peer();

    /** Both addresses of a connection. */
    record Ends(InetSocketAddress local, InetSocketAddress remote) {}

    /** Whether its bytes travel unencrypted. */
    boolean isClear();

    /** What carries this lane, for people: for example {@code epoll, TLSv1.3 TLS_AES_128_GCM_SHA256}. */
    String description();
}
