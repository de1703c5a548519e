package io.fdt.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.transport.Lane;
import java.lang.reflect.Proxy;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * What counts as progress, and that a session without it ends. The client of these tests reopens every lane at once.
 */
final class LaneWatchTest {
    private static final long TIMEOUT_MS = 30_000;
    private static final int LANES = 3;
    private static final Lane LANE = (Lane) Proxy.newProxyInstance(
            Lane.class.getClassLoader(), new Class<?>[] {Lane.class}, (lane, method, arguments) -> {
                if (!method.getName().equals("abort")) {
                    throw new AssertionError("not expected: " + method.getName());
                }
                return null;
            });

    private final TransferFigures figures = new TransferFigures();
    private long nowMs;
    private int keys;
    private final LaneWatch watch =
            new LaneWatch(() -> TimeUnit.MILLISECONDS.toNanos(nowMs), "dtn2:27321", figures, TIMEOUT_MS);

    LaneWatchTest() {
        watch.whenLost(index -> watch.onJoined(index, keys++, LANE));
        for (int index = 0; index < LANES; index++) {
            watch.onJoined(index, keys++, LANE);
        }
    }

    private void loseAllLanes() {
        for (int index = 0; index < LANES; index++) {
            lose(index);
        }
    }

    /** Each index has one lane, so its oldest key is that of the lane. */
    private void lose(int index) {
        int key = keyOf[index];
        keyOf[index] = keys;
        watch.onClosed(index, key, Cause.CONNECTION_LOST.failure("reset by peer"));
    }

    private final int[] keyOf = {0, 1, 2};

    /** Lets this time pass with regular ticks. */
    private void pass(long ms) {
        for (long end = nowMs + ms; nowMs < end; nowMs += 50) {
            watch.check(true);
        }
    }

    @Test
    void repeatedLossWithoutAcknowledgementEndsTheSession() {
        figures.bytesMoved.set(3 << 20);
        assertThatThrownBy(() -> {
                    while (nowMs < 10 * TIMEOUT_MS) {
                        pass(200);
                        loseAllLanes();
                    }
                })
                .isInstanceOfSatisfying(TransferException.class, end -> {
                    assertThat(end.kind()).isEqualTo(FailureKind.CONNECTION_LOST);
                    assertThat(end)
                            .hasMessageContaining("dtn2:27321 for 30 s")
                            .hasMessageContaining("3.0 MiB")
                            .hasMessageContaining("reset by peer");
                });
        assertThat(nowMs).isBetween(TIMEOUT_MS, TIMEOUT_MS + 2_000);
    }

    @Test
    void everyAcknowledgementGivesNewTime() {
        for (int round = 0; round < 20; round++) {
            for (int loss = 0; loss < 8; loss++) {
                pass(TIMEOUT_MS / 10);
                loseAllLanes();
            }
            figures.bytesDone.addAndGet(1);
        }
    }

    /** Another watch detects whether the lane moves data. */
    @Test
    void sessionContinuesWhileOneLaneLives() {
        for (int loss = 0; loss < 100; loss++) {
            pass(TIMEOUT_MS / 10);
            lose(0);
            lose(1);
        }
    }

    /**
     * The sender sends a whole chunk twice, and then its pieces. This takes longer than the timeout, and no
     * acknowledgement arrives before.
     */
    @Test
    void retriesWithSmallerPiecesExtendTheTimeout() {
        for (int life = 0; life < 3; life++) {
            pass(2 * TIMEOUT_MS);
            loseAllLanes();
        }
        pass(2 * TIMEOUT_MS);
        figures.bytesDone.addAndGet(1);
        pass(TIMEOUT_MS);
    }

    @Test
    void aSessionThatNeedsNothingWaits() {
        for (int loss = 0; loss < 8; loss++) {
            loseAllLanes();
        }
        for (int tick = 0; tick < 100; tick++) {
            nowMs += TIMEOUT_MS;
            watch.check(false);
        }
    }

    @Test
    void hostLimitEndsTheSessionAtOnce() {
        TransferException limit = Cause.HOST_LIMIT.failure("the limit of open files is reached");
        assertThatThrownBy(() -> watch.onClosed(0, 0, limit)).isSameAs(limit);
    }

    @Test
    void lanesThatCannotBeOpenedAgainEndTheSession() {
        watch.whenLost(index -> {});
        pass(TIMEOUT_MS);
        loseAllLanes();
        pass(TIMEOUT_MS - 1_000);
        assertThatThrownBy(() -> pass(2_000)).hasMessageContaining("lanes lost since then: 3");
    }
}
