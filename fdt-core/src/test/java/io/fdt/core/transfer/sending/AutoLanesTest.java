package io.fdt.core.transfer.sending;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.control.SessionInSteps;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.plan.ChunkQueue;
import io.fdt.core.plan.LaneRange;
import io.fdt.core.plan.Range;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.stats.LaneActivity;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.stats.LaneObserver;
import io.fdt.core.stats.LanePlace;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.SessionActivity.LaneReason;
import io.fdt.core.stats.StreamFigures;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.transfer.LaneWatch;
import io.fdt.core.transfer.Ledger;
import io.fdt.core.transfer.LimitGate;
import io.fdt.core.transfer.RateLimit;
import io.fdt.core.transfer.SessionParts;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transport.Connection;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.SpreadWatch;
import io.fdt.core.wire.TransferMessage;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How a sender changes the number of its lanes, on a path where each lane moves ten megabytes a second. */
class AutoLanesTest {
    private static final int LANES = 8;
    private static final long TRIP_US = 20_000;
    private static final long PERIOD_MS = 250;
    private static final long LANE_BYTES = 2_500_000;

    private final ChunkQueue queue = new ChunkQueue(TreeDigest.LEAF_BYTES, TreeDigest.LEAF_BYTES);
    private long nowMs = 1;
    private final SessionInSteps session = new SessionInSteps(() -> TimeUnit.MILLISECONDS.toNanos(nowMs), LANES);
    private final List<LaneActivity> lanes = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private final List<String> heard = new ArrayList<>();
    private long lostInAPeriod;
    private List<Counter> spentOn = List.of(Counter.BLOCKED_NANOS);
    private final LaneWatch watch = SessionParts.of(
                    session.session(),
                    SendingSide.request(DigestKind.NONE, TreeDigest.LEAF_BYTES, 0, 30_000),
                    new Ledger(new TransferFigures(), new TransferObserver() {}),
                    LimitGate.ofClient(TransferLimits.NONE),
                    new RateLimit(0, session.session().clock()),
                    SpreadWatch.NONE)
            .lanes();

    AutoLanesTest() {
        session.session().activity().watchLanes(new LaneObserver() {
            @Override
            public void onLane(LaneChange change, int lane, String detail) {}

            @Override
            public void onCount(int count, String why) {
                told.add(count + ": " + why);
            }
        });
    }

    @AfterEach
    void close() {
        session.close();
    }

    private AutoLanes autoLanes(LaneRange range) {
        AutoLanes made = new AutoLanes(session.session(), range, watch, new Retirement(new HashMap<>(), queue), queue);
        for (int index = 0; index < range.first(); index++) {
            join(made, index);
        }
        return made;
    }

    private void join(AutoLanes auto, int index) {
        lanes.add(session.session().activity().join(index, SessionActivity.Direction.OUT, "tcp", () -> 0));
        Lane lane = lane(index);
        watch.onJoined(index, index, lane);
        auto.onJoined(index, lane);
    }

    /** A lane that reports the test's figures. */
    private Lane lane(int index) {
        Connection connection = new Connection() {
            @Override
            public boolean mayUseBbr() {
                return true;
            }

            @Override
            public void useBbr(boolean wish) {
                heard.add(index + " " + wish);
            }
        };
        return (Lane) Proxy.newProxyInstance(
                Lane.class.getClassLoader(),
                new Class<?>[] {Lane.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "connection" -> connection;
                    case "execute" -> {
                        ((Runnable) arguments[0]).run();
                        yield null;
                    }
                    default -> throw new AssertionError("not expected: " + method.getName());
                });
    }

    private void run(AutoLanes auto, int seconds) {
        for (long end = nowMs + 1_000L * seconds; nowMs < end; nowMs += PERIOD_MS) {
            long acked = LANE_BYTES * (nowMs / PERIOD_MS);
            for (LaneActivity lane : lanes) {
                long lost = lostInAPeriod * (nowMs / PERIOD_MS);
                lane.publish(new StreamFigures(
                        acked,
                        lost,
                        0,
                        new StreamFigures.RoundTrip((int) TRIP_US, TRIP_US),
                        new StreamFigures.Windows(1 << 20, 1 << 20, 0),
                        StreamFigures.SendTime.NONE,
                        new LanePlace(0, 0, 0)));
                spentOn.forEach(counter ->
                        session.session().counters().lane(lane.index()).add(counter, 1_000_000));
            }
            auto.check();
        }
    }

    @Test
    void serverRequestsMoreLanesFromClient() {
        AutoLanes auto = autoLanes(new LaneRange(2, 2, LANES));
        run(auto, 10);

        assertThat(session.takeSent(TransferMessage.LanesWanted.class))
                .singleElement()
                .satisfies(wanted -> {
                    assertThat(wanted.count()).isEqualTo(LANES);
                    assertThat(wanted.reason()).isEqualTo(LaneReason.NETWORK);
                    assertThat(wanted.why()).isEqualTo("the network limits 2 lanes to 160 Mbit/s");
                });
        assertThat(told).containsExactly("8: the network limits 2 lanes to 160 Mbit/s");
    }

    @Test
    void clientOpensMoreLanesItself() {
        List<Integer> opened = new ArrayList<>();
        watch.onLanesRequested(opened::add);
        AutoLanes auto = autoLanes(new LaneRange(2, 2, LANES));
        run(auto, 10);

        assertThat(opened).containsExactly(LANES);
        assertThat(session.takeSent(TransferMessage.LanesWanted.class)).isEmpty();
    }

    /** On a long path one file occupies all lanes. */
    @Test
    void opensTheLanesThatThereIsWorkFor() {
        List<Integer> opened = new ArrayList<>();
        watch.onLanesRequested(opened::add);
        AutoLanes auto = autoLanes(new LaneRange(1, LANES, 64));
        auto.onWork();
        assertThat(opened).isEmpty();

        queue.add(1, 1, 100L * TreeDigest.LEAF_BYTES, List.of(new Range(0, 100L * TreeDigest.LEAF_BYTES)));
        auto.onWork();
        assertThat(opened).as("one file on a short path").isEmpty();

        run(auto, 1);
        auto.onWork();
        assertThat(opened).as("one file on a long path").containsExactly(LANES);
        assertThat(session.session().activity().state().laneChanges(LaneReason.WORK))
                .isEqualTo(1);
    }

    @Test
    void numberChosenByUserIsKept() {
        AutoLanes auto = autoLanes(LaneRange.fixed(2));
        run(auto, 60);

        assertThat(told).isEmpty();
        assertThat(session.takeSent(TransferMessage.LanesWanted.class)).isEmpty();
    }

    /** The trial applies to the existing lanes, and to those that join meanwhile. It gains nothing here. */
    @Test
    void triesBbrOnAllLanesWhenPacketsAreLost() {
        lostInAPeriod = 10;
        AutoLanes auto = autoLanes(LaneRange.between(1, 2, 8));
        run(auto, 3);
        assertThat(heard).containsExactlyInAnyOrder("0 true", "1 true");
        watch.onClosed(1, 1, null);
        join(auto, 1);
        assertThat(heard).hasSize(3).endsWith("1 true");
        heard.clear();
        run(auto, 10);
        assertThat(heard).containsExactlyInAnyOrder("0 false", "1 false");
        assertThat(session.session().activity().state().laneChanges(LaneReason.LOSS))
                .isEqualTo(1);
        assertThat(session.session().activity().state().laneChanges(LaneReason.UNDONE))
                .isPositive();
    }

    @Test
    void triesFewerLanesThatReadButNotFewerThatHashAndSend() {
        watch.onLanesRequested(count -> {});
        spentOn = List.of(Counter.READ_NANOS, Counter.READ_NANOS, Counter.SEND_NANOS);
        run(autoLanes(LaneRange.between(1, 4, 4)), 5);
        assertThat(told).first().asString().startsWith("2: fewer than 4 lanes");

        told.clear();
        spentOn = List.of(Counter.HASH_NANOS, Counter.SEND_NANOS, Counter.IDLE_NANOS, Counter.READ_NANOS);
        run(autoLanes(LaneRange.between(1, 4, 4)), 20);
        assertThat(told).noneMatch(each -> each.contains("fewer"));
    }

    /** A transport that reports no figures about its connections. */
    @Test
    void keepsLanesWithoutFigures() {
        AutoLanes auto = autoLanes(new LaneRange(2, 2, LANES));
        lanes.clear();
        run(auto, 60);

        assertThat(told).isEmpty();
    }
}
