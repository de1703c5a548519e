package io.fdt.core.transport.tcp;

import io.fdt.core.transport.WakeUp;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.nio.NioIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.channel.uring.IoUringIoOps;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.nio.channels.SelectableChannel;
import org.jspecify.annotations.Nullable;

/**
 * Where a lane's thread waits for its socket: Netty's own epoll, io_uring or NIO, without an event loop. It only waits;
 * the lane sends and receives with its own system calls. Waking it is thread-safe; everything else is for the lane's
 * thread.
 */
abstract class LaneWait extends WakeUp implements IoHandle {
    private final IoHandlerFactory factory;
    private final Turn turn = new Turn();
    private volatile @Nullable IoHandler handler;
    private @Nullable IoRegistration registration;
    private long deadlineNanos;

    private LaneWait(IoHandlerFactory factory) {
        super(-1);
        this.factory = factory;
    }

    /** Called on the lane's thread, before the first wait. */
    final void begin() throws Exception {
        IoHandler own = factory.newHandler(new OneThread(Thread.currentThread()));
        own.initialize();
        // From here on it is freed with the lane.
        handler = own;
        registration = own.register(this);
    }

    final void await(boolean toReceive, boolean toSend, long nanos) {
        IoHandler own = handler;
        IoRegistration registered = registration;
        if (own != null && registered != null) {
            want(registered, toReceive, toSend);
            deadlineNanos = System.nanoTime() + nanos;
            own.run(turn);
        }
    }

    /** Sets the events of the next wait. */
    abstract void want(IoRegistration registered, boolean toReceive, boolean toSend);

    /** Removes everything that keeps the socket open after its descriptor is closed. */
    void unwant(IoRegistration registered) {}

    /** The lane tries both directions after each wait. */
    @Override
    public void handle(IoRegistration registered, IoEvent event) {}

    @Override
    protected final void raise(int none) {
        IoHandler own = handler;
        if (own != null) {
            own.wakeup();
        }
    }

    @Override
    protected final void lower(int none) {}

    @Override
    protected final void free(int none) {
        IoHandler own = handler;
        IoRegistration registered = registration;
        if (own != null) {
            if (registered != null) {
                unwant(registered);
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

    static final class OnEpoll extends LaneWait implements EpollIoHandle {
        private static final EpollIoOps BOTH = EpollIoOps.EPOLLIN.with(EpollIoOps.EPOLLOUT);

        private final FileDescriptor fd;
        private EpollIoOps wanted = EpollIoOps.NONE;

        OnEpoll(IoHandlerFactory factory, FileDescriptor fd) {
            super(factory);
            this.fd = fd;
        }

        @Override
        public FileDescriptor fd() {
            return fd;
        }

        @Override
        void want(IoRegistration registered, boolean toReceive, boolean toSend) {
            EpollIoOps next = toReceive && toSend
                    ? BOTH
                    : toReceive ? EpollIoOps.EPOLLIN : toSend ? EpollIoOps.EPOLLOUT : EpollIoOps.NONE;
            if (!next.equals(wanted)) {
                wanted = next;
                registered.submit(next);
            }
        }
    }

    static final class OnNio extends LaneWait implements NioIoHandle {
        private final SelectableChannel channel;
        private NioIoOps wanted = NioIoOps.NONE;

        OnNio(IoHandlerFactory factory, SelectableChannel channel) {
            super(factory);
            this.channel = channel;
        }

        @Override
        public SelectableChannel selectableChannel() {
            return channel;
        }

        @Override
        void want(IoRegistration registered, boolean toReceive, boolean toSend) {
            NioIoOps next = toReceive && toSend
                    ? NioIoOps.READ_AND_WRITE
                    : toReceive ? NioIoOps.READ : toSend ? NioIoOps.WRITE : NioIoOps.NONE;
            if (!next.equals(wanted)) {
                wanted = next;
                registered.submit(next);
            }
        }
    }

    /** A poll request reports once, and stays with the kernel until then. */
    static final class OnIoUring extends LaneWait implements IoUringIoHandle {
        private static final byte POLL_ADD = 6;
        private static final byte ASYNC_CANCEL = 14;
        private static final short POLLIN = 1;
        private static final short POLLOUT = 4;

        private final FileDescriptor fd;
        private long pollIn;
        private long pollOut;

        OnIoUring(IoHandlerFactory factory, FileDescriptor fd) {
            super(factory);
            this.fd = fd;
        }

        @Override
        void want(IoRegistration registered, boolean toReceive, boolean toSend) {
            if (toReceive && pollIn == 0) {
                pollIn = poll(registered, POLLIN);
            }
            if (toSend && pollOut == 0) {
                pollOut = poll(registered, POLLOUT);
            }
        }

        private long poll(IoRegistration registered, short event) {
            return submit(registered, POLL_ADD, fd.intValue(), 0, event);
        }

        @Override
        public void handle(IoRegistration registered, IoEvent event) {
            IoUringIoEvent done = (IoUringIoEvent) event;
            if (done.opcode() == POLL_ADD && done.userData() == POLLIN) {
                pollIn = 0;
            } else if (done.opcode() == POLL_ADD) {
                pollOut = 0;
            }
        }

        @Override
        void unwant(IoRegistration registered) {
            cancel(registered, pollIn);
            cancel(registered, pollOut);
        }

        private static void cancel(IoRegistration registered, long poll) {
            if (poll != 0) {
                submit(registered, ASYNC_CANCEL, -1, poll, (short) 0);
            }
        }

        private static long submit(IoRegistration registered, byte code, int fd, long cancelled, short event) {
            short zero = 0;
            return registered.submit(new IoUringIoOps(
                    code, (byte) 0, zero, fd, 0L, cancelled, 0, event, (long) event, zero, zero, 0, 0L));
        }
    }
}
