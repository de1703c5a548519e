package io.fdt.core.budget;

import static io.fdt.core.transport.Schedules.require;
import static io.fdt.core.transport.Schedules.together;

import io.fdt.core.failure.Cause;
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

    /** One session waits for what another one gives back, and ends meanwhile. No session gets more than half. */
    @Test
    void aSessionThatEndsWhileItWaitsForRoomHoldsNothing() {
        Schedules.explore(100, () -> {
            Budgets budgets = budgets();
            Budget holder = budgets.open("key");
            Budget waiting = budgets.open("key");
            require(holder.tryTake(Resource.HEAP, 40), "there is room");
            together(
                    () -> {
                        if (waiting.awaitRoom(Resource.HEAP, 40, 1_000)) {
                            require(budgets.heldBy("key", Resource.HEAP) == 40, "it is charged");
                            waiting.giveBack(Resource.HEAP, 40);
                        }
                    },
                    () -> {
                        holder.give(Resource.HEAP, 40);
                        waiting.end(Cause.INTERRUPTED.failure("stopped"));
                        waiting.close();
                    });
            holder.close();
            require(budgets.heldBy("key", Resource.HEAP) == 0, "nothing is held any more");
        });
    }
}
