package io.fdt.core.storage.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Budgets;
import io.fdt.core.budget.Resource;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.target.DirectoryLog.Directory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The log of directories, in memory and in its file. */
class DirectoryLogTest {
    private static final String DEEP = "d".repeat(4000);

    @Test
    void returnsEntriesInReverseOrder() {
        List<String> added = new ArrayList<>();
        List<String> visited = new ArrayList<>();
        try (DirectoryLog log = new DirectoryLog(DirectoryLog.MAX_BYTES, Budgets.ofProcess())) {
            for (int i = 0; i < 20_000; i++) {
                // Siblings, children, the same one again, the root, and long ones without a common prefix.
                String path = switch (i % 5) {
                    case 0 -> "a/" + i;
                    case 1 -> "a/" + (i - 1) + "/child";
                    case 2 -> "a/" + (i - 2) + "/child";
                    case 3 -> i % 100 == 3 ? i + DEEP : "";
                    default -> "ä/" + i;
                };
                EntryMetadata metadata = new EntryMetadata(i % 010000, -i, i, i, -i, List.of());
                log.add(new Directory(RawPath.ofText(path), metadata, i % 3 != 0));
                added.add(path + metadata + (i % 3 != 0));
            }
            log.forEachBackwards(each -> visited.add(each.path().text() + each.metadata() + each.hasMode()));
        }
        Collections.reverse(added);
        assertThat(visited).isEqualTo(added);
    }

    @Test
    void keepsOnePageInMemory() {
        try (DirectoryLog log = new DirectoryLog(DirectoryLog.MAX_BYTES, Budgets.ofProcess())) {
            long before = usedHeap();
            for (int i = 0; i < 20_000; i++) {
                log.add(deep(i));
            }
            assertThat(usedHeap() - before).isLessThan(20L << 20);
            log.forEachBackwards(each -> {});
        }
    }

    private static Directory deep(int number) {
        return new Directory(RawPath.ofText(number + DEEP), EntryMetadata.ofMode(0755), true);
    }

    private static long usedHeap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    @Test
    void itsFileIsChargedToTheBudgetBeforeItGrows() {
        Budget budget = new Budgets(Map.of(Resource.DISK, 1L << 20), () -> true).open("greedy");
        try (DirectoryLog log = new DirectoryLog(DirectoryLog.MAX_BYTES, budget)) {
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 1_000; i++) {
                            log.add(deep(i));
                        }
                    })
                    .hasMessageContaining("temporary disk space");
            assertThat(budget.held(Resource.DISK)).isBetween(1L, 1L << 18);
        }
        assertThat(budget.held(Resource.DISK)).isZero();
    }

    @Test
    void endsTheSessionAtItsLimit() {
        try (DirectoryLog log = new DirectoryLog(200_000, Budgets.ofProcess())) {
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 200; i++) {
                            log.add(deep(i));
                        }
                    })
                    .isInstanceOfSatisfying(
                            TransferException.class,
                            failure -> assertThat(failure.kind()).isEqualTo(FailureKind.LIMIT));
        }
    }
}
