package io.fdt.core.fuzz;

import com.sun.management.ThreadMXBean;
import io.fdt.core.TransferException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs one target: inputs are mutated samples, and one that fares like none before becomes a sample itself. The
 * executions take place in a thread of their own, {@code fdt-fuzz}; the caller watches that each of them ends in time.
 * What is done depends on the seed and the number of executions alone.
 */
final class Fuzzer {
    /** No input takes more than milliseconds; what takes this long hangs, on the slowest machine. */
    private static final long TIME_LIMIT_MS = 20_000;

    private static final int MAX_OUTCOMES = 2_000;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final FuzzTarget target;
    private final SplittableRandom random;
    private final List<byte[]> samples;
    private final Map<String, Long> outcomes = new HashMap<>();
    private long executions;

    // The watcher reads these.
    private volatile byte[] current = new byte[0];
    private volatile long startedNanos;
    private volatile @Nullable Finding finding;

    /** What came of it. */
    record Report(String target, long executions, int outcomes, int samples) {
        String line() {
            return String.format(
                    "%-16s %,12d executions, %,5d distinct outcomes, %,5d samples",
                    target, executions, outcomes, samples);
        }
    }

    Fuzzer(FuzzTarget target, long seed) {
        this.target = target;
        this.random = new SplittableRandom(seed ^ target.name().hashCode());
        this.samples = new ArrayList<>(target.corpus());
        if (!THREADS.isThreadAllocatedMemoryEnabled()) {
            THREADS.setThreadAllocatedMemoryEnabled(true);
        }
    }

    /**
     * Runs every sample as it is, then so many mutations, or as many as fit before the deadline.
     *
     * @throws Finding the first input that broke a rule
     */
    Report run(long maxExecutions, long deadlineNanos) throws Finding, InterruptedException {
        startedNanos = System.nanoTime();
        Thread thread = new Thread(() -> execute(maxExecutions, deadlineNanos), "fdt-fuzz");
        thread.setDaemon(true);
        thread.start();
        while (thread.isAlive()) {
            thread.join(50);
            if (System.nanoTime() - startedNanos > TimeUnit.MILLISECONDS.toNanos(TIME_LIMIT_MS)) {
                IllegalStateException where = new IllegalStateException("it is here");
                where.setStackTrace(thread.getStackTrace());
                throw new Finding(target.name(), current, "does not end within " + TIME_LIMIT_MS + " ms", where);
            }
        }
        Finding found = finding;
        if (found != null) {
            throw found;
        }
        return new Report(target.name(), executions, outcomes.size(), samples.size());
    }

    private void execute(long maxExecutions, long deadlineNanos) {
        try {
            // Twice: the first time classes are loaded, which is no matter of the input.
            for (byte[] sample : List.copyOf(samples)) {
                outcome(sample);
            }
            for (byte[] sample : List.copyOf(samples)) {
                executeOnce(sample);
            }
            while (executions < maxExecutions && System.nanoTime() - deadlineNanos < 0) {
                byte[] sample = samples.get(random.nextInt(samples.size()));
                byte[] other = samples.get(random.nextInt(samples.size()));
                executeOnce(mutated(sample, other));
            }
        } catch (Finding found) {
            finding = found;
        }
    }

    private byte[] mutated(byte[] sample, byte[] other) throws Finding {
        try {
            return target.mutate(sample, other, random);
        } catch (RuntimeException mistake) {
            // Of the harness; a run that went on without would look like one that found nothing.
            throw new Finding(target.name(), sample, "cannot be mutated: " + mistake, mistake);
        }
    }

    /** Runs one input against every rule. */
    void executeOnce(byte[] input) throws Finding {
        current = input;
        startedNanos = System.nanoTime();
        executions++;
        byte[] given = input.clone();
        long before = THREADS.getCurrentThreadAllocatedBytes();
        String outcome = outcome(given);
        long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        if (allocated > target.bound().of(input.length)) {
            // A class may have been loaded, or a cache filled: only what is allocated again counts.
            before = THREADS.getCurrentThreadAllocatedBytes();
            outcome(given);
            allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
            if (allocated > target.bound().of(input.length)) {
                throw new Finding(
                        target.name(),
                        input,
                        "allocates " + allocated + " bytes, allowed are "
                                + target.bound().of(input.length),
                        null);
            }
        }
        if (!Arrays.equals(given, input)) {
            throw new Finding(target.name(), input, "changes its input", null);
        }
        if (outcomes.merge(outcome, 1L, Long::sum) == 1 && outcomes.size() < MAX_OUTCOMES) {
            samples.add(input);
        }
    }

    private String outcome(byte[] input) throws Finding {
        try {
            return target.run(input);
        } catch (TransferException failure) {
            if (!target.expected().contains(failure.kind())) {
                throw new Finding(
                        target.name(), input, "fails as " + failure.kind() + ": " + failure.getMessage(), failure);
            }
            return failure.kind() + " " + likeness(String.valueOf(failure.getMessage()));
        } catch (IOException | RuntimeException | Error failure) {
            throw new Finding(target.name(), input, "throws " + failure, failure);
        }
    }

    /** The message without what differs between inputs that fare alike. */
    private static String likeness(String message) {
        String words = message.replaceAll("\\P{Print}+", "?").replaceAll("(0x)?[0-9a-fA-F]*[0-9]+[0-9a-fA-F]*", "#");
        return words.substring(0, Math.min(words.length(), 160));
    }
}
