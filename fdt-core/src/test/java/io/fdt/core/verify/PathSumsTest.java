package io.fdt.core.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Budgets;
import io.fdt.core.budget.Resource;
import io.fdt.core.digest.FileHash;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.transport.Await;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class PathSumsTest {
    /** A key that has all its threads finds room for the first one of a sum, and none for the second. */
    @Test
    void leaveNothingIfTheyCannotStart() {
        Budgets budgets = new Budgets(Map.of(Resource.THREADS, 1L), () -> false);
        Budget budget = budgets.open("key");
        assertThatThrownBy(() -> new PathSums(
                        List.of(RawPath.ofText("/file")),
                        path -> {
                            throw new AssertionError("nobody looks for it");
                        },
                        FileHash.MD5,
                        1,
                        bytes -> {},
                        budget))
                .isInstanceOf(TransferException.class);
        assertThat(budgets.heldBy("key", Resource.DIRECT_MEMORY)).isZero();
        Await.until("its thread has ended", () -> budgets.heldBy("key", Resource.THREADS) == 0);
    }
}
