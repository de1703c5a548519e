package io.fdt.core.files;

import io.fdt.core.budget.Budgets;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileOperation;
import io.fdt.core.plan.FileOperation.Action;
import io.fdt.core.run.Running;
import io.fdt.core.run.Threads;
import io.fdt.core.storage.Located;
import io.fdt.core.verify.EntrySource;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Operations on files of this host, each on its own thread. What a shell does as well is left to it. */
public final class LocalOperations implements Operations {
    private static final long GOODBYE_MS = 1_000;

    private final int cores;
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    /** @param cores for hashing */
    public LocalOperations(int cores) {
        this.cores = cores;
    }

    @Override
    public Running<OperationSummary> start(FileOperation operation, OperationObserver observer) {
        if (operation.action() != Action.STAT && operation.action() != Action.SUM) {
            throw Cause.USAGE.failure("fdt does not " + operation.action().word() + " on this host");
        }
        AtomicReference<@Nullable Thread> thread = new AtomicReference<>();
        OperationRun run = new OperationRun(1, operation, observer, () -> {
            Thread running = thread.get();
            if (running != null) {
                running.interrupt();
            }
        });
        Thread worker = Threads.daemon("fdt-operation", () -> work(run));
        thread.set(worker);
        threads.add(worker);
        Threads.start(worker, noRoom -> {
            threads.remove(worker);
            run.end(noRoom.failure());
        });
        return run;
    }

    private void work(OperationRun run) {
        try (EntrySource answers =
                NamedOperation.open(run.operation, Located::here, cores, bytes -> {}, Budgets.ofProcess())) {
            for (CheckedEntry next = answers.next(); next != null; next = answers.next()) {
                run.take(next);
            }
            run.endWith(null);
        } catch (InterruptedException stopped) {
            run.end(Failure.of(Cause.INTERRUPTED, "interrupted"));
        } catch (RuntimeException | Error failure) {
            run.end(TransferException.of(failure));
        } finally {
            threads.remove(Thread.currentThread());
        }
    }

    @Override
    public void close() {
        threads.forEach(Thread::interrupt);
        threads.forEach(each -> Threads.join(each, GOODBYE_MS));
    }
}
