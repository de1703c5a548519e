package io.fdt.core.run;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The life cycle of a job with its own thread: starting, stopping, and the result. Subclasses implement the work, and
 * call {@link #begin} when they are ready.
 *
 * @param <E> the type of the result
 */
public abstract class RunningThread<E> implements Running<E> {
    private static final String CLOSED = "closed before its end";
    /** A job that is requested to stop does so within a second. */
    private static final long STOP_MS = 2_000;

    private static final long CLOSE_MS = 10_000;

    private final Thread thread;
    private final Resources resources;
    private final long startedNanos = System.nanoTime();
    private final CountDownLatch ended = new CountDownLatch(1);

    private volatile @Nullable Consumer<TransferException> stop;
    private volatile @Nullable TransferException stopReason;
    private volatile @Nullable E end;

    /** @param resources closed with this job */
    @SuppressWarnings("this-escape") // begin() starts the thread.
    protected RunningThread(String threadName, Resources resources) {
        this.thread = new Thread(this::run, threadName);
        this.resources = resources;
    }

    /** @throws TransferException HOST_LIMIT, if there is no room for another thread */
    protected final void begin() {
        Threads.start(thread);
    }

    private void run() {
        TransferException failure = null;
        try {
            work();
        } catch (InterruptedException | RuntimeException e) {
            failure = failureOf(TransferException.of(e));
        } catch (Error e) {
            failure = TransferException.of(e);
            throw e;
        } finally {
            endWaking();
            try {
                end = sumUp(failure);
            } finally {
                ended.countDown();
            }
        }
    }

    /** No wake-up is needed any more, and an interrupted thread cannot write files. */
    private synchronized void endWaking() {
        stop = why -> {};
        Thread.interrupted();
    }

    private TransferException failureOf(TransferException happened) {
        TransferException why = stopReason;
        return why == null ? happened : failureOf(why, happened);
    }

    /** Runs the job to its end, on its thread. */
    protected abstract void work() throws InterruptedException;

    /**
     * Returns the result, on the thread, and frees what {@link #work} used.
     *
     * @param failure of the work; null for none
     */
    protected abstract E sumUp(@Nullable TransferException failure);

    /** The reported failure of a job that was requested to stop and then failed: usually the reason to stop. */
    protected TransferException failureOf(TransferException why, TransferException happened) {
        return why;
    }

    /**
     * Sets what stops the job from now on, in place of interrupting its thread, which would be ignored or not be
     * orderly. It must return at once and be thread-safe.
     */
    protected final void stoppedBy(Consumer<TransferException> how) {
        stop = how;
    }

    /** For the thread, between steps: throws a request to stop that came before {@link #stoppedBy}. */
    protected final void throwIfInterrupted() {
        TransferException why = stopReason;
        if (why != null) {
            throw why;
        }
    }

    protected final long elapsedNanos() {
        return System.nanoTime() - startedNanos;
    }

    @Override
    public void interrupt(Failure why) {
        TransferException reason = why.exception();
        stopReason = reason;
        synchronized (this) {
            Consumer<TransferException> how = stop;
            if (how != null) {
                how.accept(reason);
            } else {
                thread.interrupt();
            }
        }
    }

    @Override
    public final E await() throws InterruptedException {
        ended.await();
        E known = end;
        if (known == null) {
            throw new IllegalStateException(thread.getName() + " ended without a result");
        }
        return known;
    }

    @Override
    public final boolean await(Duration limit) throws InterruptedException {
        return ended.await(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public final void close() {
        close(CLOSE_MS);
    }

    @Override
    public final void close(long timeoutMs) {
        try {
            if (ended.getCount() > 0) {
                interrupt(Failure.of(Cause.INTERRUPTED, CLOSED));
                ended.await(STOP_MS, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        resources.close(timeoutMs);
    }
}
