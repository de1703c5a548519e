package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import io.fdt.system.Route.Direction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An interrupted copy stops within a second, whatever it is doing at that moment. */
@Tag("clock")
final class InterruptTimeTest {
    /** One second, and an allowance for a busy machine. */
    private static final double LIMIT_SECONDS = 3.0;

    @RegisterExtension
    final Workplace at = new Workplace();

    @ParameterizedTest
    @CsvSource({"PUSH,INT,130", "PULL,INT,130", "PUSH,TERM,143", "PULL,TERM,143"})
    void signalledClientStopsWithinASecondAndNamesTheRemedy(Direction direction, String signal, int exitCode) {
        StoppedCopy copy = StoppedCopy.of(at, direction);
        Outcome outcome = stops(copy.startUntilTheMiddle("-P", 4), signal, exitCode);
        assertThat(outcome.summary()).containsEntry("exit_code", (long) exitCode);
        assertThat(outcome.errText() + outcome.jsonOfType("error"))
                .contains("again")
                .contains("resume");
        copy.assertRerunResumes();
    }

    @Test
    void interruptWhileTheTreeIsWalkedOrConnectingStopsToo() {
        StoppedCopy copy = StoppedCopy.of(at, Direction.PUSH);
        FaultProxy proxy = copy.proxy();
        proxy.script(new Fault.Stall(0, Fault.Way.TO_SERVER, 0));
        FdtProcess client = copy.start("-P", 4);
        Await.until("it connects", Workplace.LIMIT, () -> !proxy.connections().isEmpty());
        stops(client, "INT", 130);
    }

    private static Outcome stops(FdtProcess client, String signal, int exitCode) {
        long startNanos = System.nanoTime();
        client.signal(signal);
        Outcome outcome = client.await(Workplace.LIMIT).expectExit(exitCode);
        assertThat((System.nanoTime() - startNanos) / 1e9).isLessThan(LIMIT_SECONDS);
        return outcome;
    }
}
