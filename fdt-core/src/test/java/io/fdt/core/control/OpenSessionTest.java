package io.fdt.core.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.security.AccessKey;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.LaneAdmission;
import io.fdt.core.security.Permission;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.stats.SessionActivity.Direction;
import io.fdt.core.wire.ControlCodec;
import io.fdt.core.wire.NettestMessage;
import io.fdt.core.wire.SessionMessage;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** For how long a session has achieved nothing, by a clock that the test sets. */
final class OpenSessionTest {
    private static final long HOUR = TimeUnit.HOURS.toNanos(1);

    @TempDir
    Path home;

    private long now = 5;
    private final SessionInSteps steps = new SessionInSteps(() -> now, 1);
    private final Session session = steps.session();

    private OpenSession open() {
        AccessKey key =
                new KeyStore(home).create("greedy", Permission.READ_ONLY, null).key();
        return new OpenSession(
                Thread::new,
                session,
                new LaneAdmission(session.secret(), session.id(), 1),
                () -> key,
                self -> {},
                () -> {});
    }

    @Test
    void heartbeatsOfTheClientAreNoProgress() {
        OpenSession open = open();
        for (int hour = 1; hour <= 30; hour++) {
            now += HOUR;
            steps.deliver(ControlCodec.encode(new SessionMessage.Heartbeat(0)));
            steps.deliver(ControlCodec.encode(new SessionMessage.Warning("I am busy")));
            steps.runPosted();
            assertThat(open.idleNanos()).isEqualTo(hour * HOUR);
        }
        steps.close();
    }

    @Test
    void figuresThatAreDueAnywayAreNoProgress() {
        OpenSession open = open();
        now += HOUR;
        session.report(new NettestMessage.NettestStart());
        assertThat(open.idleNanos()).isEqualTo(HOUR);
        steps.close();
    }

    @Test
    void aSessionWhoseClientBrokeOffSaysSoUnlessItNeedsNone() {
        assertThat(session.activity().isPeerGone()).isFalse();
        steps.breakOff();
        assertThat(session.activity().isPeerGone()).isTrue();
        session.outliveClient();
        assertThat(session.activity().isPeerGone()).isFalse();
        steps.close();
        try (SessionInSteps left = new SessionInSteps(() -> now, 1)) {
            left.deliver(ControlCodec.encode(new SessionMessage.Leaving()));
            assertThat(left.session().activity().isPeerGone())
                    .as("it left in order")
                    .isFalse();
        }
    }

    @Test
    void whateverThisSideAchievesIsProgress() {
        OpenSession open = open();
        AtomicLong ofNetworkTest = new AtomicLong();
        session.activity().join(0, Direction.OUT, "tcp", ofNetworkTest::get);
        for (Runnable step : List.<Runnable>of(
                () -> session.send(new SessionMessage.Warning("found")),
                () -> session.counters().lane(0).add(Counter.SENT_BYTES, 1),
                ofNetworkTest::incrementAndGet)) {
            now += HOUR;
            assertThat(open.idleNanos()).isEqualTo(HOUR);
            step.run();
            assertThat(open.idleNanos()).isZero();
        }
        steps.close();
    }
}
