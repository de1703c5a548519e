package io.fdt.core.transport.tcp;

import io.fdt.core.transport.WakeUp;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.concurrent.ThreadAwareExecutor;
import org.jspecify.annotations.Nullable;

/**
 * Where a lane's thread waits for its socket: Netty's epoll, without an event loop. It only waits; the lane sends and
 * receives with its own system calls. Waking it is thread-safe; everything else is for the lane's thread.
 */
final class LaneWait extends WakeUp implements EpollIoHandle {
    private static final IoHandlerFactory FACTORY = EpollIoHandler.newFactory();
    private static final EpollIoOps BOTH = EpollIoOps.EPOLLIN.with(EpollIoOps.EPOLLOUT);

    private final FileDescriptor fd;
    private final Turn turn = new Turn();
    private volatile @Nullable IoHandler handler;
    private @Nullable IoRegistration registration;
    private EpollIoOps awaited = EpollIoOps.NONE;
    private long deadlineNanos;
    private boolean failedOrNoticed;

    LaneWait(FileDescriptor fd) {
        super(-1);
        this.fd = fd;
    }

    /** Called on the lane's thread, before the first wait. */
    void begin() throws Exception {
        IoHandler own = FACTORY.newHandler(new OneThread(Thread.currentThread()));
        own.initialize();
        // From here on it is freed with the lane.
        handler = own;
        registration = own.register(this);
    }

    /** Returns whether the socket has failed, or has messages in its error queue, which end every wait at once. */
    boolean await(boolean toReceive, boolean toSend, long nanos) {
        failedOrNoticed = false;
        IoHandler own = handler;
        IoRegistration registered = registration;
        if (own != null && registered != null) {
            EpollIoOps next = toReceive && toSend
                    ? BOTH
                    : toReceive ? EpollIoOps.EPOLLIN : toSend ? EpollIoOps.EPOLLOUT : EpollIoOps.NONE;
            if (!next.equals(awaited)) {
                awaited = next;
                registered.submit(next);
            }
            deadlineNanos = System.nanoTime() + nanos;
            own.run(turn);
        }
        return failedOrNoticed;
    }

    @Override
    public FileDescriptor fd() {
        return fd;
    }

    /** The lane tries both directions after each wait. */
    @Override
    public void handle(IoRegistration registered, IoEvent event) {
        failedOrNoticed |= ((EpollIoEvent) event).ops().contains(EpollIoOps.EPOLLERR);
    }

    @Override
    protected void raise(int none) {
        IoHandler own = handler;
        if (own != null) {
            own.wakeup();
        }
    }

    @Override
    protected void lower(int none) {}

    @Override
    protected void free(int none) {
        IoHandler own = handler;
        IoRegistration registered = registration;
        if (own != null) {
            if (registered != null) {
                registered.cancel();
            }
            own.destroy();
        }
    }

    /** One wait: until the timeout, or until the thread is woken. */
    private final class Turn implements IoHandlerContext {
        @Override
        public boolean canBlock() {
            return !isRung();
        }

        @Override
        public long delayNanos(long nowNanos) {
            return Math.max(0, deadlineNanos - nowNanos);
        }

        @Override
        public long deadlineNanos() {
            return deadlineNanos;
        }
    }

    /** All calls already come on this thread. */
    private record OneThread(Thread thread) implements ThreadAwareExecutor {
        @Override
        public boolean isExecutorThread(Thread other) {
            return thread == other;
        }

        @Override
        public void execute(Runnable task) {
            task.run();
        }
    }
}
