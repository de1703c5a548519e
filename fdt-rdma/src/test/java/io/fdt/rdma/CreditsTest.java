package io.fdt.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Counts of the blocks that a sender may fill. */
final class CreditsTest {
    private final Credits credits = new Credits(4, 8);

    @Test
    void fillsThePeersBlocksInTurnAndNoMoreThanItGranted() {
        assertThat(new int[] {credits.fill(), credits.fill(), credits.fill(), credits.fill()})
                .containsExactly(0, 1, 2, 3);
        assertThat(credits.available()).isZero();
        assertThatThrownBy(credits::fill).isInstanceOf(IllegalStateException.class);
        assertThat(credits.onGivenBack(1)).isTrue();
        assertThat(credits.available()).isEqualTo(1);
        assertThat(credits.fill()).isZero();
    }

    @Test
    void refusesToTakeBackMoreBlocksThanWereFilled() {
        credits.fill();
        assertThat(credits.onGivenBack(2)).isFalse();
        assertThat(credits.onGivenBack(-1)).isFalse();
        assertThat(credits.available()).isEqualTo(3);
        assertThat(credits.onGivenBack(1)).isTrue();
        assertThat(credits.onGivenBack(0)).isFalse();
        assertThat(credits.onGivenBack(1)).as("the same word again").isTrue();
        assertThat(credits.available()).isEqualTo(4);
    }

    @Test
    void announcesCountsBeyondTheBitsOfAWord() {
        assertThat(credits.announce((1L << 32) + 3)).isEqualTo(3);
        assertThat(credits.shouldTell((1L << 32) + 3, true)).isFalse();
        assertThat(credits.shouldTell((1L << 32) + 4, true)).isTrue();
    }

    @Test
    void announcesAQuarterOfTheBlocksOrAnyWhenIdle() {
        assertThat(credits.shouldTell(0, true)).isFalse();
        assertThat(credits.shouldTell(1, false)).isFalse();
        assertThat(credits.shouldTell(1, true)).isTrue();
        assertThat(credits.shouldTell(2, false)).isTrue();
        credits.announce(2);
        assertThat(credits.shouldTell(2, true)).isFalse();
    }
}
