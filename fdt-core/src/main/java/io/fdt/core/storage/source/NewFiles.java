package io.fdt.core.storage.source;

import io.fdt.core.basic.Clock;
import io.fdt.core.budget.Budgets;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.run.SurvivedFailures;
import io.fdt.core.run.Threads;
import io.fdt.core.storage.posix.Descriptor;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The files of a local directory, each as soon as it is complete, see {@link CompleteFiles}. A thread, {@code
 * fdt-watch}, follows the directory. Thread-safe.
 */
public final class NewFiles implements AutoCloseable {
    private static final int EFD_FLAGS = 02000000 | 04000;
    private static final long FAILED_MS = 1_000;

    /** What keeps files from being found. Called by the thread. */
    public interface Problems {
        /** Called once while a directory cannot be read. */
        void onUnreadable(TransferException why);

        /**
         * Called at each scan while some directories are not watched.
         *
         * @param limit the setting below {@code fs.inotify} that allows no more
         */
        void onFewWatches(String limit);
    }

    private final ByteBuffer number = ByteBuffer.allocateDirect(Long.BYTES).putLong(0, 1);
    private final SourceDirectory directory;
    private final SurvivedFailures survived = new SurvivedFailures();

    // Guarded by this.
    private final CompleteFiles files;
    private final int wakeUp;
    private boolean closed;

    /**
     * Starts to watch the directory {@code prefix} below the only source of the selection.
     *
     * @throws io.fdt.core.failure.TransferException SOURCE, if it cannot be read
     */
    public NewFiles(TransferPlan selection, RawPath prefix, Problems problems) {
        PathFilter filter =
                new PathFilter(selection.get(CopyValue.RULES), selection.get(CopyValue.BOUNDS), Budgets.ofProcess());
        directory = new SourceDirectory(selection.sources().get(0).resolve(prefix), prefix, filter, problems);
        wakeUp = Libc.result(Libc.eventfd(0, EFD_FLAGS));
        files = new CompleteFiles(directory, Clock.SYSTEM);
        try {
            directory.require();
        } catch (RuntimeException unreadable) {
            release();
            throw unreadable;
        }
        Threads.start("fdt-watch", this::watch);
    }

    private void watch() throws InterruptedException {
        while (true) {
            long pauseMs;
            synchronized (this) {
                if (closed) {
                    release();
                    return;
                }
                pauseMs = files.pauseMs();
            }
            directory.await(wakeUp, pauseMs);
            try {
                step();
            } catch (RuntimeException | Error failure) {
                survived.report(failure);
                Thread.sleep(FAILED_MS);
            }
        }
    }

    private synchronized void step() {
        Libc.read(wakeUp, Libc.addressOf(number), Long.BYTES);
        files.step();
        if (files.hasReady()) {
            notifyAll();
        }
    }

    private void ring() {
        number.putLong(0, 1);
        Libc.write(wakeUp, Libc.addressOf(number), Long.BYTES);
    }

    /** Waits for complete files, and returns each once until {@link #onEnd}; returns none after {@link #close}. */
    public synchronized List<RawPath> take() throws InterruptedException {
        while (!closed && !files.hasReady()) {
            wait();
        }
        return closed ? List.of() : files.take();
    }

    /**
     * Notes what became of files that were taken.
     *
     * @param failed are tried again after a pause; those that are neither in place nor failed, at once
     * @param removing whether files that are in place are removed from the directory; some may stay
     */
    public synchronized void onEnd(List<RawPath> taken, Set<RawPath> inPlace, Set<RawPath> failed, boolean removing) {
        files.onEnd(taken, inPlace, failed, removing);
        if (!closed) {
            ring();
        }
    }

    /** Returns the files whose last copy failed; also after {@link #close}. */
    public synchronized Set<RawPath> failed() {
        return files.failed();
    }

    /** Returns the number of complete files that are not copied, apart from those that failed. */
    public synchronized int leftCount() {
        return files.leftCount();
    }

    /** Returns why directories cannot be read, by their paths for messages; also after {@link #close}. */
    public synchronized Map<RawPath, TransferException> unread() {
        return directory.unread();
    }

    /** Returns the number of files that are not complete yet, as far as is known. */
    public synchronized int incompleteCount() {
        return files.incompleteCount();
    }

    private void release() {
        directory.close();
        Descriptor.closeFd(wakeUp);
    }

    /** Ends the watching, and a wait for files. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            ring();
            notifyAll();
        }
    }
}
