package io.fdt.core.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.InBackground;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class BudgetTest {
    private static final long LONG_MS = 600_000;
    /** What every session may have at once. */
    private static final long FLOOR = Resource.DESCRIPTORS.floor();

    private final Budgets several = new Budgets(Map.of(Resource.HEAP, 1_000L), () -> true);
    private final Budgets single = new Budgets(Map.of(Resource.HEAP, 1_000L), () -> false);

    private static long most(Budget budget) {
        long taken = 0;
        while (budget.tryTake(Resource.HEAP, 1)) {
            taken++;
        }
        return taken;
    }

    @Test
    void aKeyLeavesToOthersAsMuchAsItHolds() {
        long greedy = 0;
        for (int session = 0; session < 50; session++) {
            greedy += most(several.open("greedy"));
        }
        assertThat(greedy).isBetween(490L, 500L);
        assertThat(most(several.open("honest"))).isBetween(120L, 130L);
    }

    @Test
    void aSessionLeavesToOthersOfItsKeyAsMuchAsItHolds() {
        assertThat(most(single.open("key"))).isEqualTo(500);
        assertThat(most(single.open("key"))).isEqualTo(250);
        assertThat(most(single.open("key"))).isEqualTo(125);
    }

    @Test
    void failureNamesTheResourceThatIsUsedUp() {
        Budget budget = single.open("key");
        most(budget);
        assertThatThrownBy(() -> budget.take(Resource.HEAP, 1))
                .hasMessageContaining("Java heap (java -Xmx)")
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.LIMIT));
    }

    @Test
    void closingGivesEverythingBackOnce() {
        Budget budget = several.open("greedy");
        long before = most(budget);
        budget.close();
        assertThat(budget.tryTake(Resource.HEAP, 1)).isFalse();
        // What is given back late was given back already.
        budget.give(Resource.HEAP, before);
        budget.close();
        assertThat(most(several.open("greedy"))).isEqualTo(before);
        assertThat(budget.held(Resource.HEAP)).isZero();
    }

    @Test
    void nothingIsWithinEveryShare() {
        Budget budget = single.open("key");
        most(budget);
        assertThat(budget.tryTake(Resource.HEAP, 0)).isTrue();
        budget.close();
        assertThat(budget.tryTake(Resource.HEAP, 0)).isTrue();
    }

    @Test
    void theEndOfASessionEndsItsWaits() {
        Budget budget = single.open("key");
        most(budget);
        var waiting = InBackground.start(() -> budget.awaitRoom(Resource.HEAP, 1, LONG_MS));
        waiting.awaitWaiting();
        budget.end(Cause.INTERRUPTED.failure("over"));
        assertThatThrownBy(budget::requireOpen).hasMessage("over");
        assertThat(waiting.result()).isFalse();
    }

    @Test
    void whatAnotherSessionGivesBackEndsAWait() {
        Budget first = single.open("key");
        Budget second = single.open("key");
        most(first);
        most(second);
        var waiting = InBackground.start(() -> second.awaitRoom(Resource.HEAP, 100, LONG_MS));
        waiting.awaitWaiting();
        first.give(Resource.HEAP, 500);
        assertThat(waiting.result()).isTrue();
        assertThat(second.held(Resource.HEAP)).isEqualTo(350);
    }

    @Test
    void aWaitEndsInTimeOrWithItsSessionOrItsThread() {
        Budget other = single.open("key");
        most(other);
        Budget budget = single.open("key");
        assertThat(budget.awaitRoom(Resource.HEAP, 500, 0)).isFalse();
        assertThat(budget.awaitRoom(Resource.HEAP, 250, 0)).isTrue();

        var interrupted = InBackground.start(() -> !budget.awaitRoom(Resource.HEAP, 1, LONG_MS)
                && Thread.currentThread().isInterrupted());
        interrupted.awaitWaiting();
        interrupted.interrupt();
        assertThat(interrupted.result()).isTrue();

        var closed = InBackground.start(() -> budget.awaitRoom(Resource.HEAP, 1, LONG_MS));
        closed.awaitWaiting();
        budget.close();
        assertThat(closed.result()).isFalse();
    }

    @Test
    void whatWasAwaitedStaysChargedUntilItIsGivenBack() {
        Budget budget = single.open("key");
        assertThat(budget.awaitRoom(Resource.HEAP, 100, 0)).isTrue();
        assertThat(budget.awaitRoom(Resource.HEAP, 10, 0)).isTrue();
        budget.giveBack(Resource.HEAP, 10);
        budget.close();
        assertThat(single.heldBy("key", Resource.HEAP)).isEqualTo(100);
        budget.giveBack(Resource.HEAP, 100);
        assertThat(single.keys).isEmpty();
    }

    @Test
    void aKeyWithoutSessionsIsForgotten() {
        Budget first = single.open("key");
        Budget second = first.another();
        assertThat(second.key()).isEqualTo("key");
        first.close();
        first.close();
        second.take(Resource.HEAP, 1);
        assertThat(single.keys).containsOnlyKeys("key");
        second.close();
        assertThat(single.keys).isEmpty();
    }

    @Test
    void roomIsWhatMayStillBeTaken() {
        Budget budget = single.open("key");
        budget.take(Resource.HEAP, 100);
        assertThat(budget.room(Resource.HEAP)).isEqualTo(400);
        assertThat(budget.hasRoom(Resource.HEAP, 400)).isTrue();
        assertThat(budget.hasRoom(Resource.HEAP, 401)).isFalse();
        budget.close();
        assertThat(budget.room(Resource.HEAP)).isZero();
        assertThat(budget.hasRoom(Resource.HEAP, 0)).isFalse();
        assertThat(budget.hasSpare(Resource.HEAP, 0)).isFalse();
    }

    @Test
    void theFirstReasonOfAnEndRemains() {
        Budget budget = single.open("key");
        budget.end(Cause.INTERRUPTED.failure("first"));
        budget.end(Cause.INTERRUPTED.failure("second"));
        assertThatThrownBy(budget::requireOpen).hasMessage("first");
    }

    @Test
    void piecesThatAreGivenBackEndAWaitAndAreGivenBackOnce() {
        Budget first = single.open("key");
        assertThat(first.takePieces(Resource.HEAP, 90, 90, 10)).isEqualTo(90);
        Budget second = single.open("key");
        var waiting = InBackground.start(() -> second.awaitRoom(Resource.HEAP, 100, LONG_MS));
        waiting.awaitWaiting();
        first.givePieces(Resource.HEAP, 80, 10);
        assertThat(waiting.result()).isTrue();
        first.close();
        first.givePieces(Resource.HEAP, 10, 10);
        assertThat(single.heldBy("key", Resource.HEAP)).isEqualTo(100);
    }

    @Test
    void reservesNothingWithoutRoom() {
        Budgets descriptors = new Budgets(Map.of(Resource.DESCRIPTORS, 2 * FLOOR), () -> false);
        Budget first = descriptors.open("key");
        assertThat(first.reserve(Resource.DESCRIPTORS)).isTrue();
        assertThat(descriptors.open("key").reserve(Resource.DESCRIPTORS)).isTrue();
        assertThat(descriptors.open("key").reserve(Resource.DESCRIPTORS)).isFalse();
        assertThat(descriptors.heldBy("key", Resource.DESCRIPTORS)).isEqualTo(2 * FLOOR);
        first.close();
        assertThat(descriptors.heldBy("key", Resource.DESCRIPTORS)).isEqualTo(FLOOR);
    }

    @Test
    void everySessionMayHaveAFewDescriptorsAsLongAsItsKeyHasAny() {
        Budgets descriptors = new Budgets(Map.of(Resource.DESCRIPTORS, 52L), () -> true);
        for (int session = 0; session < 3; session++) {
            assertThat(descriptors.open("key").tryTake(Resource.DESCRIPTORS, FLOOR))
                    .isTrue();
        }
        assertThat(descriptors.open("key").tryTake(Resource.DESCRIPTORS, FLOOR)).isFalse();
        assertThat(descriptors.open("key").tryTake(Resource.DESCRIPTORS, 2)).isTrue();
        assertThat(descriptors.open("other").tryTake(Resource.DESCRIPTORS, FLOOR))
                .isTrue();
    }

    @Test
    void whatIsGrantedLeavesRoomForAFewDescriptors() {
        Budgets descriptors = new Budgets(Map.of(Resource.DESCRIPTORS, 512L), () -> true);
        Budget session = descriptors.open("key");
        assertThat(session.takePieces(Resource.DESCRIPTORS, 64, 64, 4)).isEqualTo(62);
        assertThat(session.tryTake(Resource.DESCRIPTORS, FLOOR)).isTrue();
    }

    @Test
    void halfOfWhatASessionMayHaveIsForWhatItNeeds() {
        Budget budget = single.open("key");
        assertThat(budget.hasSpare(Resource.HEAP, 250)).isTrue();
        assertThat(budget.hasSpare(Resource.HEAP, 251)).isFalse();
        assertThat(budget.tryTake(Resource.HEAP, 251)).isTrue();
    }

    @Test
    void whatStillExistsAfterASessionStaysCharged() {
        Budgets descriptors = new Budgets(Map.of(Resource.DESCRIPTORS, 100L), () -> true);
        Budget session = descriptors.open("key");
        session.take(Resource.DESCRIPTORS, 5);
        session.takeLasting(Resource.DESCRIPTORS);
        session.close();
        session.give(Resource.DESCRIPTORS, 5);
        assertThat(descriptors.heldBy("key", Resource.DESCRIPTORS)).isEqualTo(1);
        session.giveBack(Resource.DESCRIPTORS);
        assertThat(descriptors.heldBy("key", Resource.DESCRIPTORS)).isZero();
    }

    @Test
    void grantsWhatIsUsefulOnlyWhileMuchIsFree() {
        // A quarter of the 460 that are free above half.
        assertThat(single.open("key").takePieces(Resource.HEAP, 4, 64, 10)).isEqualTo(4 + 11);
        assertThat(single.open("key").takePieces(Resource.HEAP, 4, 64, 10)).isEqualTo(4 + 7);
        for (int session = 0; session < 10; session++) {
            assertThat(single.open("key").takePieces(Resource.HEAP, 4, 64, 10)).isGreaterThanOrEqualTo(4);
        }
    }

    @Test
    void grantsWhatIsNeededUntilNothingIsFree() {
        Budget budget = single.open("key");
        assertThat(budget.takePieces(Resource.HEAP, 60, 60, 10)).isEqualTo(60);
        assertThat(budget.takePieces(Resource.HEAP, 30, 64, 10)).isEqualTo(30);
        assertThat(budget.takePieces(Resource.HEAP, 30, 64, 10)).isEqualTo(10);
        assertThat(budget.takePieces(Resource.HEAP, 1, 64, 10)).isZero();
        budget.close();
        assertThat(single.open("key").takePieces(Resource.HEAP, 1, 2, 10)).isEqualTo(2);
    }

    @Test
    void piecesLeaveToOthersTheirShare() {
        // The same total is for all keys, or half of what is free for each of several.
        assertThat(single.open("one").takePieces(Resource.HEAP, 90, 90, 10)).isEqualTo(90);
        assertThat(single.open("other").takePieces(Resource.HEAP, 30, 30, 10)).isEqualTo(10);
        assertThat(several.open("one").takePieces(Resource.HEAP, 30, 30, 10)).isEqualTo(30);
        assertThat(several.open("one").takePieces(Resource.HEAP, 90, 90, 10)).isEqualTo(20);
    }

    @Test
    void whatIsGrantedIsNoPartOfTheRest() {
        Budget budget = single.open("key");
        assertThat(budget.takePieces(Resource.HEAP, 40, 40, 10)).isEqualTo(40);
        assertThat(budget.room(Resource.HEAP)).isEqualTo(300);
        assertThat(budget.hasSpare(Resource.HEAP, 150)).isTrue();
        assertThat(budget.hasSpare(Resource.HEAP, 151)).isFalse();
    }

    /** Two sessions that share little: the one that came first holds all it may get, and then its share shrinks. */
    @Test
    void whatASessionHasReservedNobodyElseCanHave() {
        Budgets descriptors = new Budgets(Map.of(Resource.DESCRIPTORS, 4 * FLOOR), () -> false);
        Budget first = descriptors.open("key");
        Budget second = descriptors.open("key");
        assertThat(first.reserve(Resource.DESCRIPTORS)).isTrue();
        assertThat(second.reserve(Resource.DESCRIPTORS)).isTrue();
        assertThat(descriptors.heldBy("key", Resource.DESCRIPTORS)).isEqualTo(2 * FLOOR);
        while (second.tryTake(Resource.DESCRIPTORS, 1)) {
            // All it can get.
        }
        first.take(Resource.DESCRIPTORS, FLOOR);
        assertThat(first.tryTake(Resource.DESCRIPTORS, FLOOR)).isFalse();
        first.give(Resource.DESCRIPTORS, FLOOR);
        first.takeLasting(Resource.DESCRIPTORS);
        second.close();
        assertThat(descriptors.heldBy("key", Resource.DESCRIPTORS)).isEqualTo(FLOOR);
        first.close();
        assertThat(descriptors.heldBy("key", Resource.DESCRIPTORS)).isEqualTo(1);
        first.giveBack(Resource.DESCRIPTORS);
        assertThat(descriptors.heldBy("key", Resource.DESCRIPTORS)).isZero();
    }
}
