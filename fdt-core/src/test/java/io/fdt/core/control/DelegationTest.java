package io.fdt.core.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.TestPlan;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.LaneRange;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TransferPlan.Direction;
import io.fdt.core.security.AccessKey;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.Permission;
import io.fdt.core.transport.Await;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.ThirdPartyMessage;
import io.fdt.core.wire.TransferMessage.OpenTransfer;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A lent key is valid for one session, with one request, for a short time. */
class DelegationTest {
    private static final TransferPlan REQUEST =
            TestPlan.push("x", "/in/").lanes(4).at(1).request().forServer();
    private static final OpenTransfer OPEN = new OpenTransfer(REQUEST);
    private static final AccessKey GIVER =
            IssuedKey.of("default", Permission.READ_WRITE, null).key();
    private static final IssuedKey KEY = IssuedKey.of("default", Permission.READ_WRITE, null);
    private static final long MADE = 77_000_000;
    private static final long UNUSED_NANOS = 1_000;
    private final TransferException gone = Cause.CONNECTION_LOST.failure("gone");

    private final Delegations all = new Delegations(() -> 0, "");
    private final Delegation delegation = new Delegation(all, KEY, () -> GIVER, REQUEST, MADE, UNUSED_NANOS, 0);

    @Test
    void worksOnceForItsRequest() {
        assertThatCode(() -> delegation.claim(OPEN, MADE + UNUSED_NANOS)).doesNotThrowAnyException();
        assertRefused(OPEN, 1, "already used");
    }

    @Test
    void takesFewerLanesForTheSamePush() {
        assertThatCode(() ->
                        delegation.claim(new OpenTransfer(REQUEST.with(CopyValue.LANES, LaneRange.fixed(1))), MADE + 1))
                .doesNotThrowAnyException();
    }

    @Test
    void expiresIfUnused() {
        assertRefused(OPEN, UNUSED_NANOS + 1, "within");
        assertRefused(OPEN, 0, "already used");
    }

    @Test
    void expiresWithItsGiver() throws InterruptedException {
        delegation.end(gone, 1_000);
        assertRefused(OPEN, 1, "already used");
        assertThat(all.byId(KEY.key().id())).isNull();
    }

    static Stream<ControlMessage> otherRequests() {
        TransferPlan pull = REQUEST.with(CopyValue.DIRECTION, Direction.PULL);
        TransferPlan clear =
                TestPlan.push("x", "/in/").clearLanes().lanes(4).at(1).request().forServer();
        return Stream.of(
                new OpenTransfer(pull),
                new OpenTransfer(REQUEST.with(CopyValue.TARGET, RawPath.ofText("/in/other"))),
                new OpenTransfer(clear),
                new OpenTransfer(REQUEST.with(CopyValue.LANES, LaneRange.fixed(5))),
                new OpenTransfer(REQUEST.with(CopyValue.SOURCES, List.of(RawPath.ofText("/x")))),
                new OpenTransfer(REQUEST.with(CopyValue.NAMES, List.of())),
                new OpenTransfer(REQUEST.without(Preserve.TIMES)),
                new ThirdPartyMessage.OpenDelegation(REQUEST, ThirdPartyMessage.ATTACHED));
    }

    /** An attempt also revokes the key, because it is in the wrong hands. */
    @ParameterizedTest
    @MethodSource("otherRequests")
    void refusesOtherRequests(ControlMessage other) {
        assertRefused(other, 1, "valid only for the push");
        assertRefused(OPEN, 1, "already used");
    }

    @Test
    void pushThatMayBeRetriedOpensAgainInItsTimeOnly() {
        Delegation retried = new Delegation(all, KEY, () -> GIVER, REQUEST, MADE, UNUSED_NANOS, 5_000);
        retried.claim(OPEN, MADE + 1);
        assertThatCode(() -> retried.claim(OPEN, MADE + UNUSED_NANOS + 5_000)).doesNotThrowAnyException();
        assertThat(retried.isFinished(MADE + UNUSED_NANOS + 5_000)).isFalse();
        assertThat(retried.isFinished(MADE + UNUSED_NANOS + 5_001)).isTrue();
        assertThatThrownBy(() -> retried.claim(OPEN, MADE + UNUSED_NANOS + 5_001))
                .hasMessageContaining("already used");
    }

    /** Its server died, for example, and the time for retries is a day. */
    @Test
    void pushThatDoesNotReturnIsFinishedLongBeforeItsTime() {
        long day = TimeUnit.DAYS.toNanos(1);
        Delegation retried = new Delegation(all, KEY, () -> GIVER, REQUEST, 0, UNUSED_NANOS, day);
        retried.claim(OPEN, 1);
        long gone = TimeUnit.HOURS.toNanos(1);
        assertThat(retried.isFinished(gone)).isFalse();
        assertThat(retried.isFinished(gone + Delegation.MAX_ABSENT_NANOS)).isFalse();
        assertThat(retried.isFinished(gone + Delegation.MAX_ABSENT_NANOS + 1)).isTrue();
    }

    /** A network that is down for as long as {@code --retry} allows, up to an hour, does not end the copy. */
    @Test
    void pushMayReturnAfterAnOutageOfAlmostAnHour() {
        Delegation retried =
                new Delegation(all, KEY, () -> GIVER, REQUEST, 0, UNUSED_NANOS, TimeUnit.HOURS.toNanos(12));
        retried.claim(OPEN, 1);
        long minute = TimeUnit.MINUTES.toNanos(1);
        assertThat(retried.isFinished(minute)).isFalse();
        assertThat(retried.isFinished(59 * minute)).isFalse();
        retried.claim(OPEN, 59 * minute);
        assertThat(retried.isFinished(62 * minute))
                .as("it was there in between")
                .isFalse();
        assertThat(retried.isFinished(121 * minute)).isFalse();
        assertThat(retried.isFinished(123 * minute)).isTrue();
    }

    @Test
    void anotherRequestRevokesAlsoWhatMayBeRetried() {
        Delegation retried = new Delegation(all, KEY, () -> GIVER, REQUEST, MADE, UNUSED_NANOS, 5_000);
        retried.claim(OPEN, MADE + 1);
        OpenTransfer other = new OpenTransfer(REQUEST.with(CopyValue.TARGET, RawPath.ofText("/in/other")));
        assertThatThrownBy(() -> retried.claim(other, MADE + 2)).hasMessageContaining("valid only for the push");
        assertThatThrownBy(() -> retried.claim(OPEN, MADE + 3)).hasMessageContaining("already used");
        assertThat(retried.isFinished(MADE + 3)).isTrue();
    }

    @Test
    void isFinishedWhenNobodyUsedIt() {
        assertThat(delegation.isFinished(MADE + UNUSED_NANOS)).isFalse();
        assertThat(delegation.isFinished(MADE + UNUSED_NANOS + 1)).isTrue();
    }

    @Test
    void isLentByASessionWhoseKeyMayBeLent() throws InterruptedException {
        Delegations lent = new Delegations(() -> MADE, "beef");
        long ms = TimeUnit.MILLISECONDS.toNanos(1);
        try (SessionInSteps in = new SessionInSteps(() -> MADE, 1)) {
            assertThatThrownBy(() -> lent.give(in.session(), REQUEST, 2, 3))
                    .hasMessage("this server does not delegate copies");
            in.session().admittedBy(GIVER, true);

            Delegation made = lent.give(in.session(), REQUEST, 2, 3);

            assertThat(made.keyId()).startsWith("beef").isEqualTo(made.key().id());
            assertThat(made.giver()).isEqualTo(GIVER);
            assertThat(lent.byId(made.keyId())).isSameAs(made);
            made.claim(OPEN, MADE + 2 * ms);
            assertThat(made.isFinished(MADE + 5 * ms)).isFalse();
            assertThat(made.isFinished(MADE + 5 * ms + 1)).isTrue();
            made.end(gone, 0);
            assertThat(lent.byId(made.keyId())).isNull();
        }
    }

    @Test
    void itsSessionEndsWithIt() throws InterruptedException {
        CountDownLatch go = new CountDownLatch(1);
        Thread serving = new Thread(() -> Await.until("the test goes on", go));
        try (SessionInSteps in = new SessionInSteps(() -> MADE, 1)) {
            delegation.claim(OPEN, MADE + 1);
            assertThat(delegation.opened(in.session())).isFalse();
            delegation.bind(in.session(), serving);
            assertThat(delegation.opened(in.session())).isTrue();
            assertThat(delegation.isRunning()).isFalse();
            serving.start();
            assertThat(delegation.isRunning()).isTrue();
            assertThat(delegation.isFinished(2 * MADE)).isFalse();
            go.countDown();
            serving.join();
            assertThat(delegation.isRunning()).isFalse();
            assertThat(delegation.isFinished(MADE + 1)).isTrue();
            in.runPosted();

            delegation.end(gone, Await.LIMIT_MS);

            assertThatThrownBy(in::runPosted).isSameAs(gone);
        } finally {
            go.countDown();
        }
    }

    @Test
    void aSessionThatOpensTooLateEnds() throws InterruptedException {
        delegation.claim(OPEN, MADE + 1);
        delegation.end(gone, 0);
        try (SessionInSteps in = new SessionInSteps(() -> MADE, 1)) {
            delegation.bind(in.session(), new Thread(() -> {}));
            assertThatThrownBy(in::runPosted).hasMessage("the client that requested this copy is gone");
        }
    }

    @Test
    void aPushThatIsRetriedReplacesItsSession() {
        Delegation retried = new Delegation(all, KEY, () -> GIVER, REQUEST, MADE, UNUSED_NANOS, 5_000);
        try (SessionInSteps in = new SessionInSteps(() -> MADE, 1)) {
            retried.claim(OPEN, MADE + 1);
            retried.bind(in.session(), new Thread(() -> {}));
            in.runPosted();
            retried.claim(OPEN, MADE + 2);
            assertThatThrownBy(in::runPosted).hasMessage("a newer session of the same copy replaces it");
        }
    }

    private void assertRefused(ControlMessage request, long agoNanos, String why) {
        assertThatThrownBy(() -> delegation.claim(request, MADE + agoNanos))
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.REFUSED))
                .hasMessageContaining(why);
    }
}
