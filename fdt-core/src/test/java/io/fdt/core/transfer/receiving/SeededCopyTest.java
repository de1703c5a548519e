package io.fdt.core.transfer.receiving;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.storage.StorageTest;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Whole copies whose every step a seed decides ({@link SeededCopy}): what was acknowledged is never asked for again, a
 * final name has all of the file, and a copy completes when the faults end. {@code -Dfdt.seed=…} replays one, {@code
 * -Dfdt.seeds=…} sets how many there are, in parts of {@value #PER_SEED}.
 */
@Timeout(value = 4, unit = TimeUnit.HOURS)
final class SeededCopyTest extends StorageTest {
    private static final int PER_SEED = 20;
    private static final long FIRST_SEED = Long.getLong("fdt.seed", 1);
    private static final int SEEDS = PER_SEED * Integer.getInteger("fdt.seeds", 15);

    @Test
    void keepsItsPromisesInEveryOrder() throws IOException {
        System.err.println("copies with -Dfdt.seed=" + FIRST_SEED + " and " + (SEEDS - 1) + " after it");
        for (int i = 0; i < SEEDS; i++) {
            run(FIRST_SEED + i, "run-" + i);
        }
    }

    @Test
    void theSameSeedIsTheSameRun() throws IOException {
        for (int i = 0; i < 5; i++) {
            assertThat(run(FIRST_SEED + i, "again-" + i)).isEqualTo(run(FIRST_SEED + i, "first-" + i));
        }
    }

    private String run(long seed, String name) throws IOException {
        try {
            return new SeededCopy(seed, directory(name)).run();
        } catch (RuntimeException | AssertionError failure) {
            throw new AssertionError("replay with -Dfdt.seed=" + seed + ": " + failure.getMessage(), failure);
        }
    }
}
