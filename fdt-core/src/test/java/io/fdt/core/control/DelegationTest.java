package io.fdt.core.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.FailureKind;
import io.fdt.core.TestPlan;
import io.fdt.core.TransferException;
import io.fdt.core.plan.CopyRequest;
import io.fdt.core.plan.LaneRange;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.SourceSelection;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.plan.TransferPlan.Direction;
import io.fdt.core.security.AccessKey;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.Permission;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.ErrandMessage;
import io.fdt.core.wire.TransferMessage.OpenTransfer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A lent key is valid for one session, with one request, for a short time. */
class DelegationTest {
    private static final CopyRequest REQUEST =
            TestPlan.push("x", "/in/").lanes(4).at(1).request().forServer();
    private static final OpenTransfer OPEN = new OpenTransfer(REQUEST);
    private static final AccessKey GIVER =
            IssuedKey.of("default", Permission.READ_WRITE, null).key();
    private static final IssuedKey KEY = IssuedKey.of("default", Permission.READ_WRITE, null);
    private static final long UNUSED_NANOS = 1_000;

    private final Delegations all = new Delegations(() -> 0);
    private final Delegation delegation = new Delegation(all, KEY, GIVER, REQUEST, 0, UNUSED_NANOS, 0);

    @Test
    void worksOnceForItsRequest() {
        assertThatCode(() -> delegation.claim(OPEN, UNUSED_NANOS)).doesNotThrowAnyException();
        assertRefused(OPEN, 1, "already used");
    }

    @Test
    void takesFewerLanesForTheSamePush() {
        assertThatCode(() -> delegation.claim(new OpenTransfer(REQUEST.withLanes(LaneRange.fixed(1))), 1))
                .doesNotThrowAnyException();
    }

    @Test
    void expiresIfUnused() {
        assertRefused(OPEN, UNUSED_NANOS + 1, "within");
        assertRefused(OPEN, 0, "already used");
    }

    @Test
    void expiresWithItsGiver() throws InterruptedException {
        delegation.end(new TransferException(FailureKind.CONNECTION_LOST, "gone"), 1_000);
        assertRefused(OPEN, 1, "already used");
        assertThat(all.byId(KEY.key().id())).isNull();
    }

    static Stream<ControlMessage> otherRequests() {
        CopyRequest pull = new CopyRequest(
                Direction.PULL,
                REQUEST.selection(),
                REQUEST.target(),
                REQUEST.rules(),
                REQUEST.lanes(),
                REQUEST.chunks(),
                false);
        CopyRequest clear =
                TestPlan.push("x", "/in/").clearLanes().lanes(4).at(1).request().forServer();
        return Stream.of(
                new OpenTransfer(pull),
                new OpenTransfer(REQUEST.withTarget(RawPath.ofText("/in/other"))),
                new OpenTransfer(clear),
                new OpenTransfer(REQUEST.withLanes(LaneRange.fixed(5))),
                new OpenTransfer(
                        REQUEST.withSelection(new SourceSelection(List.of(RawPath.ofText("/x")), null, List.of()))),
                new OpenTransfer(REQUEST.withNames(List.of())),
                new OpenTransfer(REQUEST.withRules(REQUEST.rules().without(Preserve.TIMES))),
                new ErrandMessage.OpenDelegation(REQUEST, ErrandMessage.ATTACHED));
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
        Delegation retried = new Delegation(all, KEY, GIVER, REQUEST, 0, UNUSED_NANOS, 5_000);
        retried.claim(OPEN, 1);
        assertThatCode(() -> retried.claim(OPEN, UNUSED_NANOS + 5_000)).doesNotThrowAnyException();
        assertThat(retried.isFinished(UNUSED_NANOS + 5_000)).isFalse();
        assertThat(retried.isFinished(UNUSED_NANOS + 5_001)).isTrue();
        assertThatThrownBy(() -> retried.claim(OPEN, UNUSED_NANOS + 5_001)).hasMessageContaining("already used");
    }

    /** Its server died, for example, and the time for retries is a day. */
    @Test
    void pushThatDoesNotReturnIsFinishedLongBeforeItsTime() {
        long day = TimeUnit.DAYS.toNanos(1);
        Delegation retried = new Delegation(all, KEY, GIVER, REQUEST, 0, UNUSED_NANOS, day);
        retried.claim(OPEN, 1);
        long gone = TimeUnit.HOURS.toNanos(1);
        assertThat(retried.isFinished(gone)).isFalse();
        assertThat(retried.isFinished(gone + Delegation.MAX_ABSENT_NANOS)).isFalse();
        assertThat(retried.isFinished(gone + Delegation.MAX_ABSENT_NANOS + 1)).isTrue();
    }

    /** A network that is down for as long as {@code --retry} allows, up to an hour, does not end the copy. */
    @Test
    void pushMayReturnAfterAnOutageOfAlmostAnHour() {
        Delegation retried = new Delegation(all, KEY, GIVER, REQUEST, 0, UNUSED_NANOS, TimeUnit.HOURS.toNanos(12));
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
        Delegation retried = new Delegation(all, KEY, GIVER, REQUEST, 0, UNUSED_NANOS, 5_000);
        retried.claim(OPEN, 1);
        OpenTransfer other = new OpenTransfer(REQUEST.withTarget(RawPath.ofText("/in/other")));
        assertThatThrownBy(() -> retried.claim(other, 2)).hasMessageContaining("valid only for the push");
        assertThatThrownBy(() -> retried.claim(OPEN, 3)).hasMessageContaining("already used");
        assertThat(retried.isFinished(3)).isTrue();
    }

    @Test
    void isFinishedWhenNobodyUsedIt() {
        assertThat(delegation.isFinished(UNUSED_NANOS)).isFalse();
        assertThat(delegation.isFinished(UNUSED_NANOS + 1)).isTrue();
    }

    private void assertRefused(ControlMessage request, long nowNanos, String why) {
        assertThatThrownBy(() -> delegation.claim(request, nowNanos))
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.REFUSED))
                .hasMessageContaining(why);
    }
}
