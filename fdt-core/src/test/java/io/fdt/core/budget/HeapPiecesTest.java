package io.fdt.core.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.TransferException;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HeapPiecesTest {
    private final Budgets budgets =
            new Budgets(Map.of(Resource.HEAP, 4 * HeapPieces.STEP_BYTES), () -> false, new ServerTotals());
    private final Budget budget = budgets.open("key");
    private final HeapPieces pieces = new HeapPieces(budget);

    private long held() {
        return budget.held(Resource.HEAP);
    }

    @Test
    void manyPiecesAreOneCharge() {
        pieces.take(100);
        long charged = held();

        for (int i = 0; i < 50; i++) {
            pieces.take(100);
            pieces.give(100);
        }

        assertThat(held()).isEqualTo(charged).isEqualTo(HeapPieces.STEP_BYTES);
    }

    @Test
    void whatIsUsedIsAlwaysCharged() {
        pieces.take(HeapPieces.STEP_BYTES + 1);

        assertThat(held()).isGreaterThan(HeapPieces.STEP_BYTES);
    }

    @Test
    void theRestOfAShareIsUsedToTheLastByte() {
        long free = 0;
        while (budget.hasRoom(Resource.HEAP, free + 1)) {
            free++;
        }

        pieces.take(1);
        pieces.take(free - 1);

        assertThatThrownBy(() -> pieces.take(1)).isInstanceOf(TransferException.class);
        assertThat(held()).isEqualTo(free);
    }

    @Test
    void twoStepsThatAreNotUsedAreKept() {
        long most = 2 * HeapPieces.STEP_BYTES;
        pieces.take(most);

        pieces.give(most - 1);
        assertThat(held()).isEqualTo(most);
        pieces.take(1);
        pieces.give(2);
        assertThat(held()).isEqualTo(most);
    }

    @Test
    void moreThanTwoStepsThatAreNotUsedAreGivenBackExceptOne() {
        long step = HeapPieces.STEP_BYTES;
        Budget large = new Budgets(Map.of(Resource.HEAP, 100 * step), () -> false).open("key");
        HeapPieces of = new HeapPieces(large);
        of.take(2 * step + 1);
        of.give(2 * step + 1);
        assertThat(large.held(Resource.HEAP)).isEqualTo(step);
        of.take(step);
        assertThat(large.held(Resource.HEAP)).isEqualTo(step);
    }

    @Test
    void theEndGivesBackEverything() {
        pieces.take(100);

        pieces.close();

        assertThat(held()).isZero();
    }
}
