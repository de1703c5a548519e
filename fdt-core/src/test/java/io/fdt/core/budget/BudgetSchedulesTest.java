package io.fdt.core.budget;

import static io.fdt.core.transport.Schedules.require;
import static io.fdt.core.transport.Schedules.together;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.Schedules;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
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

    private static Budget suspended() {
        ServerTotals totals = new ServerTotals();
        Budget session = new Budgets(Map.of(), () -> false, totals, new Turns(2, () -> 0, totals)).open("key");
        session.suspend();
        return session;
    }

    @Test
    void aSuspendedSessionGoesOnWheneverItsClientReturns() {
        Schedules.explore(60, () -> {
            Budget session = suspended();
            AtomicInteger steps = new AtomicInteger();
            together(() -> session.runInTurn(steps::incrementAndGet), session::resume);
            require(steps.get() == 1, "its thread has worked");
        });
    }

    @Test
    void aSuspendedSessionThatEndsAtAnyMomentDoesNothingMore() {
        Schedules.explore(60, () -> {
            Budget session = suspended();
            together(
                    () -> {
                        try {
                            session.runInTurn(() -> require(false, "nothing is done for a client that is away"));
                        } catch (TransferException ended) {
                            require(ended.is(Cause.INTERRUPTED), "it ends as it is stopped");
                        }
                    },
                    () -> session.end(Cause.INTERRUPTED.failure("stopped")));
        });
    }
}
