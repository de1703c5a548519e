package io.fdt.core.storage.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Budgets;
import io.fdt.core.budget.Resource;
import io.fdt.core.storage.StorageTest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class TargetMirrorTest extends StorageTest {
    /** Directories without a parent that was offered: their paths are kept whole. */
    @Test
    void keepsNoMorePathsThanTheBudgetHasRoomFor() {
        Budget budget = new Budgets(Map.of(Resource.HEAP, 1L << 20), () -> false).open("key");
        String below = ("/" + "d".repeat(250)).repeat(15);
        try (TargetMirror mirror = new TargetMirror(List.of(), budget)) {
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 1_000; i++) {
                            mirror.offered(directoryEntry("top" + i + below, 0755));
                        }
                    })
                    .hasMessageContaining("Java heap");
            assertThat(mirror.tops().size() * (long) below.length()).isLessThan(budget.held(Resource.HEAP));
        }
        assertThat(budget.held(Resource.HEAP)).isZero();
    }
}
