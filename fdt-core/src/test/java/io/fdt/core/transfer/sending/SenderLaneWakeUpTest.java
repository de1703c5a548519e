package io.fdt.core.transfer.sending;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.control.SessionInSteps;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.transfer.Ledger;
import io.fdt.core.transfer.LimitGate;
import io.fdt.core.transfer.RateLimit;
import io.fdt.core.transfer.SessionParts;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transport.IdleLane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.transport.SpreadWatch;
import io.fdt.core.wire.TransferMessage;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A sending lane whose network and timers the test drives step by step. */
final class SenderLaneWakeUpTest {
    private static final int LEAF = TreeDigest.LEAF_BYTES;

    private final TransferFigures figures = new TransferFigures();
    private final FakeSources sources = new FakeSources();
    private long nowNanos;

    @Test
    void aWakeUpSendsNothingBeforeTheRateLimitAllowsIt() {
        sources.file("f", 4 * LEAF);
        try (SessionInSteps session = new SessionInSteps(() -> nowNanos, 1)) {
            Sender sender = senderOfOneLeafASecond(session);
            IdleLane lane = new IdleLane();
            LaneHandler sending = sender.onLane(0, 0, lane);
            sending.onSendable();
            sender.work();
            sender.onMessage(new TransferMessage.Verdicts(0, 1, List.of()));
            assertThat(lane.tasks).as("the lane is woken").hasSize(1);
            // The network has room again before the lane handles its wake-up.
            sending.onSendable();
            assertThat(lane.scheduled).as("the second leaf waits for the limit").hasSize(1);
            assertThat(sentBytes(session)).isEqualTo(LEAF);

            lane.tasks.remove().run();
            assertThat(sentBytes(session)).isEqualTo(LEAF);

            nowNanos += TimeUnit.SECONDS.toNanos(1);
            lane.scheduled.remove(0).run();
            assertThat(sentBytes(session)).isEqualTo(2 * LEAF);
            sender.close(null);
        }
    }

    /** Otherwise each lane that is woken wakes the next, and all lanes compete for the files of each message. */
    @Test
    void laneThatHadNoWorkWakesNoOther() {
        int files = 20;
        for (int i = 0; i < files; i++) {
            sources.file("f" + i, LEAF / 2);
        }
        try (SessionInSteps session = new SessionInSteps(() -> nowNanos, 2)) {
            Sender sender = senderOfLargeChunks(session);
            IdleLane first = new IdleLane();
            IdleLane second = new IdleLane();
            sender.onLane(0, 0, first).onSendable();
            sender.onLane(1, 0, second).onSendable();
            sender.work();
            nowNanos += TimeUnit.SECONDS.toNanos(1);
            sender.onMessage(new TransferMessage.Verdicts(0, files, List.of()));
            assertThat(first.tasks).as("there is work for one lane").hasSize(1);
            first.tasks.remove().run();

            assertThat(second.tasks).isEmpty();
            sender.close(null);
        }
    }

    private Sender senderOfLargeChunks(SessionInSteps session) {
        return sender(session, 64 * LEAF, 0);
    }

    private static long sentBytes(SessionInSteps session) {
        return session.session().counters().lane(0).get(Counter.SENT_BYTES);
    }

    private Sender senderOfOneLeafASecond(SessionInSteps session) {
        return sender(session, 4 * LEAF, 8L * LEAF);
    }

    private Sender sender(SessionInSteps session, int chunkBytes, long rateBitsPerSecond) {
        return new Sender(
                SessionParts.of(
                        session.session(),
                        SendingSide.request(DigestKind.NONE, chunkBytes, rateBitsPerSecond, 10_000),
                        new Ledger(figures, TransferObserver.NONE),
                        LimitGate.ofClient(TransferLimits.NONE),
                        new RateLimit(0, session.session().clock()),
                        SpreadWatch.NONE),
                sources);
    }
}
