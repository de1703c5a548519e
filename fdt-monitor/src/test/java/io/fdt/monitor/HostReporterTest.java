package io.fdt.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.fdt.core.basic.HostView;
import io.fdt.core.host.RecordedHost;
import io.fdt.core.wire.ControlCodec;
import io.fdt.core.wire.SessionMessage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The figures that a host sends to the remote end of a session. The host is sampled only while the remote end requests
 * it.
 */
final class HostReporterTest {
    @TempDir
    Path directory;

    @Test
    void looksWhenItIsAskedAndNoLonger() throws IOException {
        Path proc = Files.createDirectories(directory.resolve("proc"));
        Files.writeString(proc.resolve("stat"), "cpu  0\ncpu0 100 0 0 100 0 0 0 0 0 0\n");
        try (HostReporter reporter = new HostReporter(directory, 1_500)) {
            assertThat(reporter.isLooking()).isFalse();
            assertThat(reporter.get()).as("nobody has looked yet").isNull();
            assertThat(reporter.isLooking()).isTrue();

            long ticks = 100;
            HostView view = reporter.get();
            while (view == null || view.cores().isEmpty()) {
                ticks += 50;
                Files.writeString(
                        proc.resolve("stat"),
                        "cpu  0\ncpu0 " + (100 + ticks) + " 0 0 100 0 0 " + 3 * ticks + " 0 0 0\n");
                LockSupport.parkNanos(10_000_000);
                view = reporter.get();
            }
            assertThat(view.cores().get(0).core()).isZero();
            assertThat(view.cores().get(0).shares().softirq())
                    .isGreaterThan(view.cores().get(0).shares().user());
            assertThat(view.cores().get(0).shares().idle()).isZero();

            until(() -> !reporter.isLooking());
            assertThat(reporter.get()).as("what it saw then is not now").isNull();
            assertThat(reporter.isLooking()).as("it looks again").isTrue();
        }
    }

    @Test
    void looksNoMoreWhenItIsClosed() {
        HostReporter reporter = new HostReporter(directory);
        reporter.get();
        reporter.close();
        reporter.close();
        until(() -> !reporter.isLooking());
        assertThat(reporter.get()).isNull();
        assertThat(reporter.isLooking()).isFalse();
    }

    @Test
    void arrivesAsItIsToAThousandth() {
        HostView.Core core = new HostView.Core(7, 1, new HostView.Shares(0.1234, 0, 0.25, 0.0004, 0.5, 0.01, 0));
        HostView.Nic known = new HostView.Nic("eth0", 100_000_000_000L, "bond0", 1e10 + 0.4, 0, 0, 3);
        HostView.Nic unknown = new HostView.Nic("eth1", -1, null, -1, -1, -1, -1);

        HostView heard = sent(new HostView("dtn1", List.of(core), List.of(known, unknown)));

        assertThat(heard.host()).isEqualTo("dtn1");
        HostView.Core there = heard.cores().get(0);
        assertThat(there.core()).isEqualTo(7);
        assertThat(there.node()).isEqualTo(1);
        assertThat(there.shares().user()).isCloseTo(core.shares().user(), within(0.0005));
        assertThat(there.shares().softirq()).isCloseTo(core.shares().softirq(), within(0.0005));
        assertThat(there.shares().idle()).isCloseTo(core.shares().idle(), within(0.002));
        assertThat(heard.nics())
                .containsExactly(new HostView.Nic("eth0", 100_000_000_000L, "bond0", 1e10, 0, 0, 3), unknown);
    }

    /** A message for a host with 24 cores is smaller than a kilobyte a second, which has no effect on lanes. */
    @Test
    void isSmall() {
        try (HostSource source = new HostSource(RecordedHost.unpack("bonded40", directory))) {
            HostFigures figures = source.read();
            List<HostView.Core> cores = figures.cores().stream()
                    .map(core -> new HostView.Core(
                            core.core(), core.node(), new HostView.Shares(0.3, 0.1, 0.2, 0.1, 0.1, 0.05, 0.05)))
                    .toList();
            List<HostView.Nic> nics = HostRates.nics(figures, figures, 1);
            assertThat(cores).hasSize(24);
            assertThat(ControlCodec.encode(new SessionMessage.HostReport(
                            new HostView(source.host().name(), cores, nics))))
                    .hasSizeLessThan(1_000);
        }
    }

    private static HostView sent(HostView view) {
        return ((SessionMessage.HostReport)
                        ControlCodec.decode(ControlCodec.encode(new SessionMessage.HostReport(view)), "peer"))
                .view();
    }

    private static void until(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(1_000_000);
        }
    }
}
