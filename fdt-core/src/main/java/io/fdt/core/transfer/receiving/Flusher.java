package io.fdt.core.transfer.receiving;

import io.fdt.core.basic.Clock;
import io.fdt.core.budget.Budget;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.run.Threads;
import io.fdt.core.storage.ChunkRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Makes written chunks durable, in batches, on its own thread, in the only order that is safe in a crash: flush the
 * data, record it in the journal, report it as durable. A file that is complete gets its name instead, and is reported
 * when that is flushed as well: with the next batch, or at once if nothing else is to do. Until then, nothing would
 * show a later session that a file of one chunk, which has no journal, was there. While one batch is flushed, the next
 * one is collected.
 */
final class Flusher implements AutoCloseable {
    private static final int MAX_BATCH = 4096;
    /** Avoids flushing a stream of small files one by one. */
    private static final long LINGER_NANOS = TimeUnit.MILLISECONDS.toNanos(3);
    /**
     * Parts of files that go on may wait longer, unless they are many bytes: lanes on a slow path bring small ones, and
     * a small file that is complete by then needs no journal.
     */
    private static final long LINGER_WITH_PARTS = 32;

    private static final long MANY_BYTES = 16 << 20;
    /** Whatever is added wakes the idle thread. */
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** A lane that is this many chunks ahead of the disk waits; with holes alone, a sender could fill the heap. */
    private static final int MAX_QUEUED = 32_768;
    /** With more files than this in a batch, one flush of the file system is cheaper than one per file. */
    private static final int MAX_SINGLE_FLUSHES = 8;

    private final Durability durability;
    private final Runnable flushFileSystem;
    private final Clock clock;
    private final Listener listener;
    private final long lingerNanos;
    private final FinalNames names;
    private final LinkedBlockingQueue<Written> queue = new LinkedBlockingQueue<>(MAX_QUEUED);
    private final ConcurrentLinkedQueue<Drop> drops = new ConcurrentLinkedQueue<>();
    /**
     * The chunks that are durable with names that are not flushed yet: of each file the last one at least. For the
     * flusher's thread.
     */
    private final List<Written> renamed = new ArrayList<>();

    private final Thread thread;
    /** The time since which the flusher has been working, or 0. */
    private volatile long busySinceNanos;

    private volatile boolean closing;
    /** The thread sleeps until this many chunks are queued, or longer than it lets them wait. */
    private volatile int wakeAt = Integer.MAX_VALUE;

    /** Called on the flusher's thread. */
    interface Listener {
        /** The chunks are durable; the complete ones of their files have their final names, which are durable too. */
        void onDurable(List<Written> chunks, List<ReceiverFile> published);

        /** A flush has ended. */
        default void onFlush(long nanos, int chunks) {}

        /** Called on any thread. */
        void onFailed(ReceiverFile file, TransferException why);

        /** Nothing more is flushed. */
        void onBroken(TransferException why);

        /** The number of files that are not durable yet. Called on the flusher's thread. */
        default int filesUnderWay() {
            return Integer.MAX_VALUE;
        }

        /** How many more files could be opened while those of the batch wait. Called on the flusher's thread. */
        default long roomForFiles() {
            return Integer.MAX_VALUE;
        }
    }

    /**
     * Something to flush.
     *
     * @param digest of the chunk; null if there is no chunk: the file was already complete, or is empty
     * @param completes the file is complete and sealed with this
     */
    record Written(ReceiverFile file, long offset, int lengthBytes, byte @Nullable [] digest, boolean completes) {}

    /** @param budget of the session, which the threads are charged to */
    Flusher(
            String session,
            Budget budget,
            Durability durability,
            Runnable flushFileSystem,
            Listener listener,
            Clock clock) {
        this(session, budget, durability, flushFileSystem, listener, clock, LINGER_NANOS);
    }

    /** @param lingerNanos how long a batch waits for more */
    Flusher(
            String session,
            Budget budget,
            Durability durability,
            Runnable flushFileSystem,
            Listener listener,
            Clock clock,
            long lingerNanos) {
        this.lingerNanos = lingerNanos;
        this.durability = durability;
        this.flushFileSystem = flushFileSystem;
        this.clock = clock;
        this.listener = listener;
        this.names = new FinalNames(FinalNames.defaultThreads(), budget);
        this.thread = budget.startLikeLane("fdt-flusher-" + session, this::run);
    }

    private record Drop(ReceiverFile file, boolean keepForResume) {}

    /** Waits while too much is queued. On any thread but the flusher's. */
    void add(Written written) {
        boolean interrupted = false;
        boolean added = false;
        while (!added && thread.isAlive()) {
            try {
                added = queue.offer(written, 100, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (queue.size() >= wakeAt) {
            clock.wake(thread);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * The file is given up. On any thread; it is done on the flusher's, which may be flushing the file just now. The
     * caller has revoked the lanes' right to write to it.
     */
    void drop(ReceiverFile file, boolean keepForResume) {
        drops.add(new Drop(file, keepForResume));
        clock.wake(thread);
    }

    private void dropAll() {
        for (Drop drop = drops.poll(); drop != null; drop = drops.poll()) {
            drop.file.end(drop.keepForResume);
        }
    }

    private void run() {
        List<Written> batch = new ArrayList<>();
        try {
            while (true) {
                batch.clear();
                dropAll();
                gather(batch);
                batch.removeIf(written -> written.file.isGivenUp());
                if (!batch.isEmpty() || !renamed.isEmpty()) {
                    flush(batch);
                } else if (closing && queue.isEmpty()) {
                    dropAll();
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            listener.onBroken(TransferException.of(e));
        } finally {
            dropAll();
            queue.drainTo(batch);
            // Lanes may still write to the others, which the session closes.
            batch.stream().filter(Written::completes).forEach(rest -> rest.file.end(true));
        }
    }

    private void gather(List<Written> batch) throws InterruptedException {
        if (renamed.isEmpty()) {
            sleep(1, IDLE_NANOS);
        } else if (missingFiles(batch) > 0) {
            sleep(1, lingerNanos);
        }
        queue.drainTo(batch, MAX_BATCH);
        long start = clock.nanoTime();
        while (!batch.isEmpty() && batch.size() < MAX_BATCH) {
            boolean canWait = renamed.isEmpty() && areFewParts(batch);
            long left = start + (canWait ? LINGER_WITH_PARTS : 1) * lingerNanos - clock.nanoTime();
            // With half of the room, lanes go on while the batch is flushed.
            long more = Math.min(
                    Math.min(missingFiles(batch), MAX_BATCH - batch.size()),
                    (listener.roomForFiles() - batch.size() + 1) / 2);
            if (left <= 0 || more <= 0 || mustGoOn()) {
                return;
            }
            sleep((int) more, Math.min(left, lingerNanos));
            queue.drainTo(batch, MAX_BATCH - batch.size());
        }
    }

    private boolean mustGoOn() {
        return closing || !drops.isEmpty();
    }

    /** Sleeps until this many are queued: each wake-up costs about as much as a small file. */
    private void sleep(int queued, long nanos) throws InterruptedException {
        wakeAt = queued;
        if (queue.size() < queued && !mustGoOn()) {
            clock.sleep(nanos);
        }
        wakeAt = Integer.MAX_VALUE;
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    private static boolean areFewParts(List<Written> batch) {
        return batch.stream().noneMatch(Written::completes)
                && batch.stream().mapToLong(Written::lengthBytes).sum() < MANY_BYTES;
    }

    /** How many files are still to be completed after this; with none, nothing can follow soon. */
    private int missingFiles(List<Written> batch) {
        int others = listener.filesUnderWay() - renamed.size();
        return others - (int) batch.stream().filter(Written::completes).count();
    }

    private void flush(List<Written> batch) {
        long started = clock.nanoTime();
        busySinceNanos = started | 1;
        Map<ReceiverFile, List<ChunkRecord>> byFile = new LinkedHashMap<>();
        for (Written written : batch) {
            List<ChunkRecord> records = byFile.computeIfAbsent(written.file, file -> new ArrayList<>());
            if (written.digest != null) {
                records.add(new ChunkRecord(written.offset, written.lengthBytes, written.digest));
            }
        }
        List<Written> durable = durability == Durability.NONE ? new ArrayList<>() : flushAll(byFile);
        Set<ReceiverFile> unrecorded = unrecorded(batch);
        record(byFile, unrecorded);
        List<ReceiverFile> complete = new ArrayList<>();
        for (Written written : batch) {
            if (byFile.containsKey(written.file)) {
                (written.completes || unrecorded.contains(written.file) ? renamed : durable).add(written);
                if (written.completes) {
                    complete.add(written.file);
                }
            }
        }
        Set<ReceiverFile> published = Set.copyOf(names.publish(complete, listener::onFailed));
        // The others failed, or were flushed just now.
        renamed.removeIf(written -> !published.contains(written.file));
        if (durability == Durability.NONE) {
            durable.addAll(renamed);
            renamed.clear();
        }
        busySinceNanos = 0;
        long nanos = clock.nanoTime() - started;
        listener.onFlush(nanos, batch.size());
        listener.onDurable(
                durable,
                durable.stream().filter(Written::completes).map(Written::file).toList());
    }

    /**
     * Flushes the files, and the names that were given before. Files for which that fails are removed from the map, and
     * their failures reported. Returns the chunks whose files' names are durable now.
     */
    private List<Written> flushAll(Map<ReceiverFile, List<ChunkRecord>> byFile) {
        try {
            if (byFile.size() > MAX_SINGLE_FLUSHES) {
                flushFileSystem.run();
            } else {
                byFile.keySet().removeIf(file -> !file.ended && !succeeds(file, file.target::sync));
                flushNames();
            }
            return new ArrayList<>(renamed);
        } catch (TransferException failure) {
            renamed.forEach(written -> listener.onFailed(written.file, failure));
            if (byFile.size() > MAX_SINGLE_FLUSHES) {
                byFile.keySet().forEach(file -> listener.onFailed(file, failure));
                byFile.clear();
            }
            return new ArrayList<>();
        }
    }

    private void flushNames() {
        Map<RawPath, ReceiverFile> byDirectory = new HashMap<>();
        renamed.forEach(written -> byDirectory.put(written.file.entry.path().parent(), written.file));
        if (byDirectory.size() > MAX_SINGLE_FLUSHES) {
            flushFileSystem.run();
        } else {
            byDirectory.values().forEach(file -> file.target.syncName());
        }
    }

    /** Files that get their names now and have no journal: their chunks are durable with the name. */
    private static Set<ReceiverFile> unrecorded(List<Written> batch) {
        Set<ReceiverFile> files = new HashSet<>();
        for (Written written : batch) {
            if (written.completes && !written.file.target.recordsAtOnce()) {
                files.add(written.file);
            }
        }
        return files;
    }

    /** Writes the journals. Files for which that fails are removed from the map, and their failures reported. */
    private void record(Map<ReceiverFile, List<ChunkRecord>> byFile, Set<ReceiverFile> unrecorded) {
        byFile.entrySet().removeIf(entry -> {
            // Two lanes can finish a file's last chunks at the same time: then the earlier chunk is reported after the
            // file got its name.
            boolean nothing = entry.getValue().isEmpty() || entry.getKey().ended || unrecorded.contains(entry.getKey());
            return !nothing && !succeeds(entry.getKey(), () -> entry.getKey().record(entry.getValue()));
        });
    }

    private boolean succeeds(ReceiverFile file, Runnable step) {
        try {
            step.run();
            return true;
        } catch (RuntimeException failure) {
            listener.onFailed(file, TransferException.of(failure));
            return false;
        }
    }

    /** Whether it has been flushing for at least this long. Thread-safe. */
    boolean isBusyFor(long nanos) {
        long since = busySinceNanos;
        return since != 0 && clock.nanoTime() - since >= nanos;
    }

    /** Flushes what was added before, then ends; waits for that up to the timeout. */
    boolean drain(long timeoutMs) {
        closing = true;
        clock.wake(thread);
        Threads.join(thread, timeoutMs);
        return !thread.isAlive();
    }

    /** Whether it has done all that it will do. */
    boolean hasEnded() {
        return !thread.isAlive();
    }

    @Override
    public void close() {
        if (!drain(TimeUnit.SECONDS.toMillis(5))) {
            thread.interrupt();
        }
    }
}
