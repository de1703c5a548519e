package io.fdt.core.transfer.receiving;

import io.fdt.core.budget.Budget;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;

/**
 * Gives complete files their final names. A kernel changes the names of one directory one after the other, so the files
 * of a directory are published in order by one thread, and those of many directories by several. For the flusher's
 * thread, which waits for the others.
 */
final class FinalNames {
    /** Fewer files take less time than passing them to other threads. */
    private static final int MIN_PARALLEL_FILES = 128;

    /** A session leaves most cores to its lanes. */
    private static final int CORES_PER_THREAD = 4;

    private static final int MAX_THREADS = 4;

    private final int threads;
    private final Budget budget;

    /** @param budget that further threads are charged to */
    FinalNames(int threads, Budget budget) {
        this.threads = threads;
        this.budget = budget;
    }

    static int defaultThreads() {
        return Math.min(MAX_THREADS, Runtime.getRuntime().availableProcessors() / CORES_PER_THREAD);
    }

    /**
     * Publishes the files; returns those that have their names.
     *
     * @param onFailed receives each of the others with the reason, on any thread
     */
    List<ReceiverFile> publish(List<ReceiverFile> files, BiConsumer<ReceiverFile, TransferException> onFailed) {
        if (threads < 2 || files.size() < MIN_PARALLEL_FILES) {
            return publishInOrder(files, onFailed);
        }
        Map<RawPath, List<ReceiverFile>> byDirectory = new LinkedHashMap<>();
        for (ReceiverFile file : files) {
            byDirectory
                    .computeIfAbsent(file.entry.path().parent(), directory -> new ArrayList<>())
                    .add(file);
        }
        Queue<List<ReceiverFile>> directories = new ConcurrentLinkedQueue<>(byDirectory.values());
        Queue<ReceiverFile> published = new ConcurrentLinkedQueue<>();
        budget.runOnSeveral("fdt-names", Math.min(threads, byDirectory.size()) - 1, () -> {
            for (List<ReceiverFile> next = directories.poll(); next != null; next = directories.poll()) {
                published.addAll(publishInOrder(next, onFailed));
            }
        });
        return List.copyOf(published);
    }

    private static List<ReceiverFile> publishInOrder(
            List<ReceiverFile> files, BiConsumer<ReceiverFile, TransferException> onFailed) {
        List<ReceiverFile> published = new ArrayList<>(files.size());
        for (ReceiverFile file : files) {
            try {
                file.publish();
                published.add(file);
            } catch (RuntimeException failure) {
                onFailed.accept(file, TransferException.of(failure));
            }
        }
        return published;
    }
}
