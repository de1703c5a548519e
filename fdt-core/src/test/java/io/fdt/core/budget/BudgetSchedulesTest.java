package io.fdt.core.budget;

import static io.fdt.core.transport.Schedules.require;
import static io.fdt.core.transport.Schedules.together;

import io.fdt.core.transport.Schedules;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Sessions that take and end at the same time: what they held is given back exactly once. */
final class BudgetSchedulesTest {
    private static Budgets budgets() {
        return new Budgets(Map.of(Resource.HEAP, 100L), () -> false, new ServerTotals(), null);
    }

    @Test
    void whatLastsIsChargedUntilItIsGivenBackWheneverTheSessionCloses() {
        Schedules.explore(100, () -> {
            Budgets budgets = budgets();
            Budget session = budgets.open("key");
            together(
                    () -> {
                        if (session.tryTakeLasting(Resource.HEAP)) {
                            require(budgets.heldBy("key", Resource.HEAP) >= 1, "it is charged while it lasts");
                            session.giveBack(Resource.HEAP);
                        }
                    },
                    session::close);
            require(budgets.heldBy("key", Resource.HEAP) == 0, "nothing is held any more");
        });
    }
}
