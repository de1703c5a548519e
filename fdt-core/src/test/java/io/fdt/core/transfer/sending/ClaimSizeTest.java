package io.fdt.core.transfer.sending;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.digest.TreeDigest;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A lane that moves data at a known rate, and what it claims. Time is computed, so nothing waits. */
final class ClaimSizeTest {
    private static final int LEAF = TreeDigest.LEAF_BYTES;
    private static final int MIB = 1 << 20;
    private static final int CHUNK = 8 * MIB;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final ClaimSize size = new ClaimSize(CHUNK, 0);
    private long nowNanos;
    private long sentBytes;
    private long movedBytes;

    private int next() {
        return size.next(nowNanos, sentBytes, movedBytes);
    }

    /** Claims and moves at this rate for so long; each chunk is acknowledged when the next one has been claimed. */
    private void move(long bytesPerSecond, long nanos) {
        long end = nowNanos + nanos;
        int before = 0;
        while (nowNanos < end) {
            int bytes = next();
            movedBytes += before;
            sentBytes += bytes;
            before = bytes;
            nowNanos += (long) ((double) bytes * SECOND / bytesPerSecond);
        }
        movedBytes += before;
    }

    @ParameterizedTest
    @ValueSource(longs = {10_000, 80_000, 300_000, 2_000_000})
    void claimsWhatALaneMovesInTwoSeconds(long bytesPerSecond) {
        move(bytesPerSecond, 60 * SECOND);
        assertThat((long) next()).isBetween(Math.min(LEAF, bytesPerSecond), Math.max(LEAF, 22 * bytesPerSecond / 10));
    }

    @Test
    void aFastLaneClaimsWholeChunksSoon() {
        assertThat(next()).isEqualTo(LEAF);
        move(1_000_000_000, SECOND / 50);
        assertThat(next()).isEqualTo(CHUNK);
        move(62_500_000, 60 * SECOND);
        assertThat(next()).as("one of sixteen at 1 GB/s").isEqualTo(CHUNK);
    }

    /** A kernel takes several mebibytes at once, whatever the path is. */
    @Test
    void claimsAtMostAMebibyteBeforeAnythingIsAcknowledged() {
        for (int claim = 0; claim < 100; claim++) {
            int bytes = next();
            assertThat(bytes).isLessThanOrEqualTo(MIB);
            sentBytes += bytes;
        }
        assertThat(next()).isEqualTo(MIB);
        nowNanos = 30 * SECOND;
        movedBytes = MIB;
        assertThat(next()).isEqualTo(LEAF);
    }

    @Test
    void followsAPathThatBecomesSlow() {
        move(100_000_000, 10 * SECOND);
        move(500_000, 30 * SECOND);
        assertThat(next()).isLessThanOrEqualTo(MIB);
    }

    @Test
    void aLaneWithoutWorkIsNotSlow() {
        move(100_000_000, 10 * SECOND);
        nowNanos += 3600 * SECOND;
        size.onIdle(3600 * SECOND);
        assertThat(next()).isEqualTo(CHUNK);
    }

    @Test
    void noClaimIsLongerThanAChunk() {
        ClaimSize small = new ClaimSize(2 * LEAF, 0);
        assertThat(small.next(SECOND, 100L * CHUNK, 0)).isEqualTo(2 * LEAF);
        assertThat(small.next(SECOND, 100L * CHUNK, 100L * CHUNK)).isEqualTo(2 * LEAF);
    }
}
