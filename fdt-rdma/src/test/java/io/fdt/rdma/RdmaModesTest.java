package io.fdt.rdma;

import io.fdt.rdma.RdmaSettings.Completions;
import io.fdt.rdma.RdmaSettings.Notice;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Lanes satisfy the same contract with all settings. */
@Tag("lab")
final class RdmaModesTest {
    private static final RdmaSettings DEFAULT = RdmaSettings.DEFAULT;

    private static final RdmaSettings LARGE = DEFAULT.withBlockBytes((256 << 10) + RdmaSettings.ROOM_BYTES);

    private static RdmaSettings waiting(Completions completions, int spinUs) {
        return DEFAULT.withCompletions(completions, spinUs);
    }

    @Nested
    final class BusyPolling extends RdmaContract {
        BusyPolling() {
            super(waiting(Completions.BUSY_POLL, 0), HERE);
        }

        /** The guest has two cores, and each lane uses one core at each end. */
        @Override
        protected int lanesAtOnce() {
            return 4;
        }
    }

    @Nested
    final class SleepingAtOnce extends RdmaContract {
        SleepingAtOnce() {
            super(waiting(Completions.EVENT, 0), HERE);
        }
    }

    /** The queue is armed in nearly every round while something completes. */
    @Nested
    final class SpinningForLong extends RdmaContract {
        SpinningForLong() {
            super(waiting(Completions.ADAPTIVE, 2_000), HERE);
        }
    }

    /** Every block waits for its completion and for credit from the peer. */
    @Nested
    final class FewestBlocks extends RdmaContract {
        FewestBlocks() {
            super(
                    DEFAULT.withBlocks(2, 2, 1)
                            .withCompletions(Completions.ADAPTIVE, 0)
                            .withHugePages(false),
                    HERE);
        }
    }

    /** There are more blocks to send than the peer grants, with one completion for all of them. */
    @Nested
    final class OneCompletionForAll extends RdmaContract {
        OneCompletionForAll() {
            super(DEFAULT.withBlocks(16, 4, 16).withHugePages(false), HERE);
        }
    }

    /** As on a device without writes with immediate data. */
    @Nested
    final class NoticeByMessage extends RdmaContract {
        NoticeByMessage() {
            super(DEFAULT.withNotice(Notice.BY_MESSAGE), HERE);
        }
    }

    /** Blocks of several leaves. */
    @Nested
    final class LargeBlocks extends RdmaContract {
        LargeBlocks() {
            super(LARGE, HERE);
        }
    }

    @Nested
    final class LargeBlocksToSmallOnes extends RdmaContract {
        LargeBlocksToSmallOnes() {
            super(DEFAULT, LARGE, HERE);
        }
    }

    @Nested
    final class SmallBlocksToLargeOnes extends RdmaContract {
        SmallBlocksToLargeOnes() {
            super(LARGE, DEFAULT, HERE);
        }
    }

    @Nested
    final class OverIpv6 extends RdmaContract {
        OverIpv6() {
            super(DEFAULT, HERE_IN_IPV6);
        }
    }
}
