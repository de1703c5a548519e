package io.fdt.rdma;

import io.fdt.rdma.RdmaSettings.Completions;
import io.fdt.rdma.RdmaSettings.Notice;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Whatever is set, lanes keep the same contract. */
@Tag("lab")
final class RdmaModesTest {
    private static final RdmaSettings DEFAULT = RdmaSettings.DEFAULT;

    private static RdmaSettings waiting(Completions completions, int spinUs) {
        return new RdmaSettings(
                DEFAULT.sendBlocks(),
                DEFAULT.receiveBlocks(),
                DEFAULT.signalEvery(),
                completions,
                spinUs,
                true,
                Notice.WITH_THE_WRITE);
    }

    @Nested
    final class BusyPolling extends RdmaContract {
        BusyPolling() {
            super(waiting(Completions.BUSY_POLL, 0), HERE);
        }

        /** The guest has two cores, and each lane wants one at each end. */
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

    /** Nearly every round arms the queue while something completes. */
    @Nested
    final class SpinningForLong extends RdmaContract {
        SpinningForLong() {
            super(waiting(Completions.ADAPTIVE, 2_000), HERE);
        }
    }

    /** Every block waits for its completion and for the peer's word. */
    @Nested
    final class FewestBlocks extends RdmaContract {
        FewestBlocks() {
            super(new RdmaSettings(2, 2, 1, Completions.ADAPTIVE, 0, false, Notice.WITH_THE_WRITE), HERE);
        }
    }

    /** More to send than the peer grants, and one completion for all of it. */
    @Nested
    final class OneCompletionForAll extends RdmaContract {
        OneCompletionForAll() {
            super(new RdmaSettings(16, 4, 16, Completions.ADAPTIVE, 20, false, Notice.WITH_THE_WRITE), HERE);
        }
    }

    /** As on a device that has no writes with immediate data. */
    @Nested
    final class NoticeByMessage extends RdmaContract {
        NoticeByMessage() {
            super(new RdmaSettings(6, 8, 3, Completions.ADAPTIVE, 20, true, Notice.BY_MESSAGE), HERE);
        }
    }

    @Nested
    final class OverIpv6 extends RdmaContract {
        OverIpv6() {
            super(DEFAULT, HERE_IN_IPV6);
        }
    }
}
