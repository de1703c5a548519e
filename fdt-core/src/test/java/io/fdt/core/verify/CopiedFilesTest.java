package io.fdt.core.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Budgets;
import io.fdt.core.budget.Resource;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a server remembers of files for a client's receipt is at the expense of that client. */
class CopiedFilesTest {
    private static FileEntry file(int number) {
        RawPath path = RawPath.ofText("directory/f" + number);
        return new FileEntry(path, FileEntry.Kind.FILE, number, EntryMetadata.UNKNOWN, false, null);
    }

    @Test
    void filesAreChargedBeforeTheyAreHeldAndEndAtTheShare() {
        Budgets budgets = new Budgets(Map.of(Resource.HEAP, 8L << 20), () -> false);
        try (Budget budget = budgets.open("ann")) {
            CopiedFiles files = new CopiedFiles(budget, bytes -> {});
            for (int i = 0; i < 20_000; i++) {
                files.add(file(i));
            }
            long held = budget.held(Resource.HEAP);
            assertThat(held).isBetween(1L << 20, 4L << 20);
            assertThat(files.find(file(7))).isEmpty();
            assertThatThrownBy(() -> {
                        for (int i = 20_000; i < 1_000_000; i++) {
                            files.add(file(i));
                        }
                    })
                    .isInstanceOfSatisfying(
                            TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.LIMIT));
        }
        assertThat(budgets.heldBy("ann", Resource.HEAP)).isZero();
    }
}
