package io.fdt.core.storage.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Budgets;
import io.fdt.core.budget.Resource;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class RememberedPathsTest {
    private static final int PATHS = 20_000;

    private final Budgets budgets = new Budgets(Map.of(Resource.HEAP, 24L * PATHS), () -> true);
    private final Budget greedy = budgets.open("greedy");
    private final Budget honest = budgets.open("honest");

    private static RawPath path(int number) {
        return RawPath.ofText("path-" + number);
    }

    @Test
    void aSetThatIsTooLargeLeavesRoomForThoseOfOtherKeysAndGivesItsOwnBack() {
        try (RememberedPaths one = new RememberedPaths("--one", "copy in parts", greedy)) {
            assertThatThrownBy(() -> {
                        for (int i = 0; i < PATHS; i++) {
                            one.add(path(i));
                        }
                    })
                    .hasMessageContaining("--one needs more paths than fit")
                    .satisfies(failure -> assertThat(
                                    ((TransferException) failure).failure().remedy())
                            .isEqualTo("copy in parts, or give the receiver a larger heap (java -Xmx)"))
                    .isInstanceOfSatisfying(
                            TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.LIMIT));
            assertThat(one.contains(path(1000))).isTrue();
            try (RememberedPaths other = new RememberedPaths("--other", "copy in parts", honest)) {
                for (int i = 0; i < PATHS / 8; i++) {
                    other.add(path(i));
                }
                assertThat(other.contains(path(PATHS / 8 - 1))).isTrue();
            }
        }
        assertThat(greedy.held(Resource.HEAP)).isZero();
    }
}
