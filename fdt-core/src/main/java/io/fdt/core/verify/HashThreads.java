package io.fdt.core.verify;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Resource;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.FileHash;
import io.fdt.core.digest.HashKind;
import io.fdt.core.digest.NodeHash;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.storage.ReadBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The threads {@code fdt-hash-N} of a verification, each with its own buffer and digest, so the memory is threads x 1
 * MiB, whatever is hashed. At a server they work in the turns of their session, whose budget they are charged to: one
 * of them is needed, the others are only useful. Tasks are taken in the order in which they were submitted.
 * Thread-safe.
 */
final class HashThreads implements AutoCloseable {
    static final int BUFFER_BYTES = 8 * TreeDigest.LEAF_BYTES;
    private static final int WAITING_PER_THREAD = 4;
    private static final long GOODBYE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final HashKind kind;
    private final @Nullable NodeHash nodes;
    private final ArrayBlockingQueue<Task> tasks;
    private final List<Thread> threads = new ArrayList<>();
    private final IntConsumer pace;
    private final Budget budget;
    private volatile boolean closed;

    /**
     * A task for one thread, which uses that thread's memory. Must not throw. Exactly one of the two methods is called.
     */
    interface Task {
        void run(ReadBuffer buffer, TreeDigest tree);

        /** The threads were closed before the task started. */
        void drop();
    }

    /** @param pace accepts the bytes of each read before it, on a hash thread, and may wait or throw */
    HashThreads(HashKind kind, int count, Budget budget, IntConsumer pace) {
        this(kind, count, budget, () -> new ReadBuffer(BUFFER_BYTES), pace);
    }

    HashThreads(HashKind kind, int count, Budget budget, Supplier<ReadBuffer> memory, IntConsumer pace) {
        this.budget = budget;
        this.pace = pace;
        this.kind = kind;
        this.nodes = kind instanceof NodeHash each ? each : ((FileHash) kind).ofNodes();
        this.tasks = new ArrayBlockingQueue<>(count * WAITING_PER_THREAD);
        try {
            for (int i = 0; i < count && (i == 0 || budget.hasSpare(Resource.THREADS, 1)); i++) {
                // Allocated here, so that a lack of memory fails the caller and does not end a thread that tasks wait
                // for.
                ReadBuffer buffer = memory.get();
                threads.add(budget.start("fdt-hash-" + i, () -> work(buffer)));
            }
        } catch (RuntimeException | Error lacking) {
            close();
            throw lacking;
        }
    }

    /** Of the session that these work for. */
    Budget budget() {
        return budget;
    }

    HashKind kind() {
        return kind;
    }

    /** The hash of the chunks of a file; null if a file is hashed in order. */
    @Nullable NodeHash nodes() {
        return nodes;
    }

    /** Waits while the threads have enough tasks. */
    void submit(Task task) throws InterruptedException {
        tasks.put(task);
        if (closed) {
            dropWaiting();
        }
    }

    private void dropWaiting() {
        for (Task task = tasks.poll(); task != null; task = tasks.poll()) {
            task.drop();
        }
    }

    /** Waits as long as the rate requires before a task reads this much. */
    void pace(int lengthBytes) {
        pace.accept(lengthBytes);
    }

    /** Whether results are no longer needed. */
    boolean isClosed() {
        return closed;
    }

    private void work(ReadBuffer buffer) throws InterruptedException {
        TreeDigest tree = new TreeDigest(nodes == null ? DigestKind.NONE : nodes);
        while (!closed) {
            tasks.take().run(buffer, tree);
        }
    }

    /** Stops all threads, and waits for them unless a read hangs. */
    @Override
    public void close() {
        closed = true;
        threads.forEach(Thread::interrupt);
        joinAll(threads, GOODBYE_NANOS);
        dropWaiting();
    }

    static void joinAll(List<Thread> threads, long patienceNanos) {
        long deadline = System.nanoTime() + patienceNanos;
        try {
            for (Thread thread : threads) {
                // The waiting has a common deadline.
                TimeUnit.NANOSECONDS.timedJoin(thread, deadline - System.nanoTime());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
