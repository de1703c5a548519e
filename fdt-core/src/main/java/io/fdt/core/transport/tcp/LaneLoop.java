package io.fdt.core.transport.tcp;

import io.fdt.core.TransferException;
import io.fdt.core.transport.tcp.LaneThreads.LaneThread;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where a lane runs: parked on no loop, from its start on on that of its own thread. Keeps what is to be done for the
 * start, and knows whether the lane was given up before it. Tasks after the end of the loop are dropped. Any thread.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Tasks deal with their failures themselves.
final class LaneLoop {
    private final EventLoop home;
    private final LaneThreads threads;

    // Guarded by this.
    private @Nullable LaneThread thread;
    private boolean startRequested;
    private boolean abandoned;
    private @Nullable TransferException abandonCause;
    private final List<Runnable> tasksBeforeStart = new ArrayList<>();

    /**
     * @param home the loop that can close the channel as long as it is parked
     * @param ownThread the thread that home belongs to, if it is the lane's own
     */
    LaneLoop(EventLoop home, @Nullable LaneThread ownThread, LaneThreads threads) {
        this.home = home;
        this.thread = ownThread;
        this.threads = threads;
    }

    /** Has the lane begin on its thread, also when it was given up, then do what was kept. */
    synchronized void start(Consumer<LaneThread> begin) {
        if (startRequested) {
            throw new IllegalStateException("the lane has been started already");
        }
        startRequested = true;
        // The thread of a lane that was given up may have ended already.
        LaneThread own = thread == null || abandoned ? threads.start() : thread;
        thread = own;
        submit(own.loop(), () -> begin.accept(own));
        for (Runnable task : tasksBeforeStart) {
            submit(own.loop(), task);
        }
        tasksBeforeStart.clear();
    }

    void execute(Runnable task) {
        IoEventLoop loop = startedOrKeep(task);
        if (loop != null) {
            submit(loop, task);
        }
    }

    /** The delay begins with the start, where that is later. */
    void schedule(Runnable task, long delay, TimeUnit unit) {
        IoEventLoop loop = startedOrKeep(() -> schedule(task, delay, unit));
        if (loop != null) {
            try {
                loop.schedule(task, delay, unit);
            } catch (RejectedExecutionException e) {
                // The lane has ended: its tasks are dropped, as promised.
                return;
            }
        }
    }

    /** The loop of the lane's thread; null before the start. */
    synchronized @Nullable IoEventLoop started() {
        return startRequested && thread != null ? thread.loop() : null;
    }

    private synchronized @Nullable IoEventLoop startedOrKeep(Runnable task) {
        IoEventLoop loop = started();
        if (loop == null && !abandoned) {
            tasksBeforeStart.add(task);
        }
        return loop;
    }

    /**
     * Gives up a lane that has not been started; false when it has been.
     *
     * @param close closes the channel; done at home, which it is handed
     */
    synchronized boolean abandon(@Nullable TransferException cause, Consumer<EventLoop> close) {
        if (startRequested) {
            return false;
        }
        if (!abandoned) {
            abandoned = true;
            abandonCause = cause;
            tasksBeforeStart.clear();
            submit(home, () -> close.accept(home));
        }
        return true;
    }

    /**
     * The channel has closed. True when no loop tells its handlers: it was parked. False when it is registered with the
     * lane's own, or about to be.
     *
     * @param cause what the lane was given up for, if for nothing else
     */
    synchronized boolean onClosed(Supplier<TransferException> cause) {
        if (startRequested && !abandoned) {
            return false;
        }
        if (!abandoned) {
            abandoned = true;
            abandonCause = cause.get();
        }
        return true;
    }

    /** Whether the lane was given up before its start; once it has been started that changes no more. */
    synchronized boolean isAbandoned() {
        return abandoned;
    }

    synchronized @Nullable TransferException abandonCause() {
        return abandonCause;
    }

    /** The lane is over. Its thread ends after what is queued: a last call of the handler may be. */
    void end() {
        LaneThread own;
        synchronized (this) {
            own = startRequested || abandoned ? thread : null;
        }
        if (own != null) {
            submit(own.loop(), own::end);
        }
    }

    static void submit(EventLoop loop, Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            // The loop has ended, and with it everything that the task could have been about.
            return;
        }
    }
}
