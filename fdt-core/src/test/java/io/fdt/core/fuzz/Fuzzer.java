package io.fdt.core.fuzz;

import com.sun.management.ThreadMXBean;
import io.fdt.core.failure.TransferException;
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
 * The runner of one target. Inputs are mutated samples, and an input with a new outcome becomes a sample itself. The
 * executions run on a separate thread, {@code fdt-fuzz}; the caller checks that each of them ends in time. The work
 * depends only on the seed and the number of executions.
 */
final class Fuzzer {
    /** Valid inputs take milliseconds. An input that takes this long hangs, even on the slowest machine. */
    private static final long TIME_LIMIT_MS = 20_000;

    private static final int MAX_OUTCOMES = 2_000;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final FuzzTarget target;
    private final SplittableRandom random;
    private final List<byte[]> samples;
    private final Map<String, Long> outcomes = new HashMap<>();
    private long executions;

    // The watching thread reads these.
    private volatile byte[] current = new byte[0];
    private volatile long startedNanos;
    private volatile @Nullable Finding finding;

    /** The result of a run. */
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
     * Runs every sample unchanged, then this many mutations, or as many as fit before the deadline.
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
            // Runs all samples first without checks: this loads classes, which is unrelated to the input.
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
            // A bug in the harness. A run that continued would look as if it had found nothing.
            throw new Finding(target.name(), sample, "cannot be mutated: " + mistake, mistake);
        }
    }

    /** Runs one input and checks every rule. */
    void executeOnce(byte[] input) throws Finding {
        current = input;
        startedNanos = System.nanoTime();
        executions++;
        byte[] given = input.clone();
        long before = THREADS.getCurrentThreadAllocatedBytes();
        String outcome = outcome(given);
        long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        if (allocated > target.bound().of(input.length)) {
            // The first run may have loaded a class or filled a cache, so only a repeated allocation counts.
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

    /** Returns the message without the parts that differ between inputs with the same outcome. */
    private static String likeness(String message) {
        String words = message.replaceAll("\\P{Print}+", "?").replaceAll("(0x)?[0-9a-fA-F]*[0-9]+[0-9a-fA-F]*", "#");
        return words.substring(0, Math.min(words.length(), 160));
    }
}
