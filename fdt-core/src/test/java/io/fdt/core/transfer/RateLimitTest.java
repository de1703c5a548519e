package io.fdt.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class RateLimitTest {
    private static final int LEAF_BYTES = 128 << 10;
    private static final long BITS_PER_SECOND = 400_000_000;
    private static final double BYTES_PER_NANO = BITS_PER_SECOND / 8e9;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private long nowNanos = -7 * SECOND;
    private final RateLimit limit = new RateLimit(BITS_PER_SECOND, () -> nowNanos);

    private record Sent(long atNanos, int bytes) {}

    private final List<Sent> sent = new ArrayList<>();

    /** Simulates a lane that sends whenever the limit permits, until the given time. */
    private void sendUntil(long endNanos) {
        while (true) {
            long waitNanos = limit.reserve(LEAF_BYTES);
            assertThat(waitNanos).isNotNegative();
            nowNanos += waitNanos;
            sent.add(new Sent(nowNanos, LEAF_BYTES));
            if (nowNanos >= endNanos) {
                return;
            }
        }
    }

    private long bytes(long fromNanos, long toNanos) {
        return sent.stream()
                .filter(each -> each.atNanos >= fromNanos && each.atNanos < toNanos)
                .mapToLong(Sent::bytes)
                .sum();
    }

    @Test
    void averageRateMatchesTheLimit() {
        long start = nowNanos;
        sendUntil(start + 10 * SECOND);
        assertThat((double) bytes(start, start + 10 * SECOND)).isBetween(0.99 * 500e6, 1.01 * 500e6);
    }

    @Test
    void combinedLimitIncludesEveryPart() {
        RateLimit slow = new RateLimit(8_000, () -> nowNanos);
        RateLimit all = new RateLimit(0, () -> nowNanos).and(slow).and(new RateLimit(0, () -> nowNanos));
        assertThat(all.isUnlimited()).isFalse();
    }

    @Test
    void catchesUpAfterAPauseWithoutABurst() {
        long start = nowNanos;
        sendUntil(start + SECOND);
        nowNanos += SECOND / 2;
        long resumed = nowNanos;
        sendUntil(start + 10 * SECOND);
        assertThat((double) bytes(start, start + 10 * SECOND)).isBetween(0.99 * 500e6, 1.01 * 500e6);
        for (long from = start; from < start + 9 * SECOND; from += SECOND / 50) {
            double most = 1.1 * BYTES_PER_NANO * (SECOND / 10 + SECOND / 50) + 2 * LEAF_BYTES;
            assertThat((double) bytes(from, from + SECOND / 10))
                    .as("in 100 ms from %d", from)
                    .isLessThanOrEqualTo(most);
        }
        // Faster while it catches up, and not afterwards.
        assertThat((double) bytes(resumed + SECOND, resumed + 2 * SECOND)).isGreaterThan(1.08 * 50e6);
        assertThat((double) bytes(start + 8 * SECOND, start + 9 * SECOND)).isBetween(0.99 * 50e6, 1.01 * 50e6);
    }

    @Test
    void catchesUpForAtMostOneSecond() {
        nowNanos += 20 * SECOND;
        long start = nowNanos;
        sendUntil(start + 20 * SECOND);
        assertThat((double) bytes(start, start + 20 * SECOND)).isBetween(0.99 * 21 * 50e6, 1.01 * 21 * 50e6);
    }

    @Test
    void sharedLimitCountsForAllItsUsers() {
        RateLimit shared = new RateLimit(8_000, () -> nowNanos);
        RateLimit one = new RateLimit(80_000, () -> nowNanos).and(shared);
        RateLimit other = new RateLimit(0, () -> nowNanos).and(shared);
        assertThat(other.isUnlimited()).isFalse();
        nowNanos += SECOND;
        one.reserve(1_000);
        one.reserve(1_000);
        assertThat(other.reserve(1)).as("what the other took of both").isGreaterThan(SECOND / 2);
        assertThat(new RateLimit(0, () -> nowNanos)
                        .and(new RateLimit(0, () -> nowNanos))
                        .isUnlimited())
                .isTrue();
    }

    @Test
    void neverWaitsWithoutALimit() {
        RateLimit none = new RateLimit(0, () -> nowNanos);
        assertThat(none.isUnlimited()).isTrue();
        assertThat(none.reserve(Integer.MAX_VALUE)).isZero();
        assertThat(none.reserve(Integer.MAX_VALUE)).isZero();
    }
}
