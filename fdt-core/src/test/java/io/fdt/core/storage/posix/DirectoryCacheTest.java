package io.fdt.core.storage.posix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Budgets;
import io.fdt.core.budget.Resource;
import io.fdt.core.plan.RawPath;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What open directories cost their session. */
class DirectoryCacheTest {
    private static final int TOTAL = 20;

    @TempDir
    Path directory;

    private final Budgets budgets = new Budgets(Map.of(Resource.DESCRIPTORS, (long) TOTAL), () -> false);
    private final Budget budget = budgets.open("key");
    private final DirectoryCache cache = new DirectoryCache(
            256, budget, path -> Paths.openat(Paths.AT_FDCWD, RawPath.ofText(directory.toString()), 0, 0));

    @AfterEach
    void nothingStaysOpen() {
        cache.close();
        budget.close();
        assertThat(budgets.heldBy("key", Resource.DESCRIPTORS)).isZero();
    }

    private DirectoryCache.Held acquire(int index) {
        return cache.acquire(RawPath.ofText("d" + index));
    }

    @Test
    void directoriesOfFilesThatWaitLeaveRoomForOthersAndForOtherSessions() {
        assertThat(budget.reserve(Resource.DESCRIPTORS)).isTrue();
        List<DirectoryCache.Held> waiting = IntStream.range(0, 3 * TOTAL)
                .mapToObj(this::acquire)
                .peek(DirectoryCache.Held::keepForFile)
                .toList();
        assertThat(budget.held(Resource.DESCRIPTORS)).isZero();

        try (Budget other = budgets.open("key")) {
            while (other.tryTake(Resource.DESCRIPTORS, 1)) {
                // Its whole share.
            }
            List<DirectoryCache.Held> needed = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                needed.add(acquire(3 * TOTAL + i));
            }
            assertThatThrownBy(() -> acquire(4 * TOTAL)).hasMessageContaining("ulimit -n");

            // Nobody has room for them when their files are closed.
            for (DirectoryCache.Held each : waiting) {
                each.endForFile();
                each.close();
            }
            assertThat(budget.held(Resource.DESCRIPTORS)).isEqualTo(8);
            needed.forEach(DirectoryCache.Held::close);
        }
    }

    @Test
    void aDirectoryIsChargedAgainAfterItsLastFile() {
        DirectoryCache.Held first = acquire(0);
        DirectoryCache.Held second = acquire(0);
        first.keepForFile();
        second.keepForFile();
        assertThat(budget.held(Resource.DESCRIPTORS)).isZero();
        first.endForFile();
        first.close();
        assertThat(budget.held(Resource.DESCRIPTORS)).isZero();
        second.endForFile();
        second.close();
        assertThat(budget.held(Resource.DESCRIPTORS)).isEqualTo(1);
    }
}
