package io.fdt.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.basic.Clock;
import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Budgets;
import io.fdt.core.budget.ServerTotals;
import io.fdt.core.control.SessionInSteps;
import io.fdt.core.failure.Cause;
import io.fdt.core.security.KeyLimits;
import io.fdt.core.security.Permission;
import io.fdt.core.transport.InBackground;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;

final class ServerRatesTest {
    private final ServerRates rates = new ServerRates(0, new ServerTotals());

    /** How long a new session of the key must wait before it sends this much. */
    private long waitSeconds(long bitsPerSecond, int bytes) {
        KeyLimits limits = new KeyLimits(bitsPerSecond, Long.MAX_VALUE, 1);
        Permission permission = new Permission(Permission.ALL.rights(), true, List.of(), limits);
        try (SessionInSteps session = new SessionInSteps(Clock.SYSTEM, 1, permission)) {
            return TimeUnit.NANOSECONDS.toSeconds(rates.of(session.session()).reserve(bytes));
        }
    }

    @Test
    void sessionsOfOneKeyShareItsRate() {
        assertThat(waitSeconds(8, 1000)).isZero();
        assertThat(waitSeconds(8, 1)).isGreaterThan(900);
    }

    /** Network tests, verifications and sums are paced; copies reserve. */
    @Test
    void whatIsPacedAndCopiesShareTheRateOfTheirKey() {
        KeyLimits limits = new KeyLimits(8, Long.MAX_VALUE, 1);
        Permission permission = new Permission(Permission.ALL.rights(), true, List.of(), limits);
        try (SessionInSteps session = new SessionInSteps(Clock.SYSTEM, 1, permission)) {
            rates.pacing(session.session()).accept(1000);
        }
        assertThat(waitSeconds(8, 1)).isGreaterThan(900);
    }

    /** With the rate of the key, this takes a quarter of an hour. */
    @Test
    void endOfTheSessionEndsItsWaitForTheRate() {
        KeyLimits limits = new KeyLimits(8, Long.MAX_VALUE, 1);
        Permission permission = new Permission(Permission.ALL.rights(), true, List.of(), limits);
        Budget budget = new Budgets(Map.of(), () -> false).open("key");
        try (SessionInSteps session = new SessionInSteps(Clock.SYSTEM, 1, permission, budget)) {
            IntConsumer pacing = rates.pacing(session.session());
            pacing.accept(1000);
            var waiting = InBackground.run(() -> pacing.accept(1000)).awaitWaiting();
            budget.end(Cause.REFUSED.failure("the key was revoked"));
            assertThatThrownBy(waiting::result).hasMessage("the key was revoked");
        }
    }

    @Test
    void aKeyWhoseRateWasChangedHasTheNewOne() {
        waitSeconds(8, 1000);
        waitSeconds(800_000, 1000);
        assertThat(waitSeconds(800_000, 1)).isZero();
        waitSeconds(8, 1000);
        assertThat(waitSeconds(8, 1)).isGreaterThan(900);
    }
}
