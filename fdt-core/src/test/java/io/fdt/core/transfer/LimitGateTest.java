package io.fdt.core.transfer;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.TransferLimits;
import org.junit.jupiter.api.Test;

/** Limits of a session that come from several sides. */
final class LimitGateTest {
    private static LimitGate ofServer(long entries, long bytes) {
        return LimitGate.ofServer(new TransferLimits(entries, bytes, 4095, 512));
    }

    private static void assertReached(Runnable counting, String limit) {
        assertThatExceptionOfType(TransferException.class)
                .isThrownBy(counting::run)
                .withMessageContaining(limit);
    }

    @Test
    void everyLimitOfAChainCounts() {
        LimitGate wide = ofServer(1000, 1000);
        LimitGate all = wide.and(ofServer(2, 1000)).and(ofServer(1000, 10)).and(wide);
        all.countEntry();
        all.countEntry();
        assertReached(all::countEntry, "2 files");
        assertReached(() -> all.declare(11), "10 bytes");
        assertReached(() -> all.countBytes(11), "10 bytes");
    }
}
