package io.fdt.core.transport;

import org.jetbrains.lincheck.Lincheck;
import org.jetbrains.lincheck.LincheckAssertionError;

/**
 * Runs a scenario of a few threads under a scheduler that chooses where threads change, a given number of times. Each
 * run has another order of the calls of locks, queues, volatile fields and parking, and the one that fails is printed
 * with every step. A scenario makes all its objects anew and checks with {@link #require}: all that it calls is
 * rewritten, so the checks of a library would take most of the time. The clock stands still, and a wait with a limit
 * ends at once, except that of {@code Thread.join}, which lasts. {@code -Dfdt.schedules=20} runs twenty times as many.
 */
public final class Schedules {
    private static final int ATTEMPTS = 5;
    private static final int TIMES = Integer.getInteger("fdt.schedules", 1);

    private Schedules() {}

    /** Part of a scenario, on a thread of its own or as a whole. */
    @FunctionalInterface
    public interface Part {
        void run() throws Exception;
    }

    /** @param count of the orders that are tried in the gate */
    public static void explore(int count, Part scenario) {
        for (int attempt = 1; ; attempt++) {
            try {
                Lincheck.runConcurrentTest(count * TIMES, () -> run(scenario));
                return;
            } catch (LincheckAssertionError failure) {
                if (attempt == ATTEMPTS || !tookLong(failure)) {
                    throw failure;
                }
            }
        }
    }

    /** Lincheck allows some seconds for a run. On a busy machine the first one needs more, to rewrite the classes. */
    private static boolean tookLong(LincheckAssertionError failure) {
        String text = String.valueOf(failure.getMessage());
        return text.contains("has hung") && !text.contains("interleaving");
    }

    /** Runs the parts at the same time, and throws what one of them threw. */
    public static void together(Part... parts) throws Exception {
        Throwable[] failures = new Throwable[parts.length];
        Thread[] threads = new Thread[parts.length];
        for (int i = 0; i < parts.length; i++) {
            int number = i;
            threads[i] = new Thread(() -> {
                try {
                    parts[number].run();
                } catch (Throwable failure) {
                    failures[number] = failure;
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        for (Throwable failure : failures) {
            if (failure != null) {
                throw new AssertionError(failure.toString(), failure);
            }
        }
    }

    public static void require(boolean holds, String claim) {
        if (!holds) {
            throw new AssertionError("not so: " + claim);
        }
    }

    private static void run(Part scenario) {
        try {
            scenario.run();
        } catch (Exception e) {
            throw new AssertionError(e.toString(), e);
        }
    }
}
