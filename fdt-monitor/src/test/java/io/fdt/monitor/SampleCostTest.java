package io.fdt.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.host.RecordedHost;
import io.fdt.monitor.figure.Exposition;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One sample a second costs less than a hundredth of a core, with 24 cores and the queues of four 40GE ports. */
final class SampleCostTest {
    private static final int WARM_UP = 300;
    private static final int SAMPLES = 300;
    private static final double HUNDREDTH_OF_A_CORE_NANOS = 10_000_000;

    @TempDir
    Path directory;

    /** Measures the CPU time of the thread, so that other load on the machine does not count. */
    @Test
    void sampleCostsLessThanAHundredthOfACore() {
        Path root = RecordedHost.unpack("bonded40", directory);
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        History history = new History();
        try (Exposition exposition = new Exposition("dtn");
                HostSource source = new HostSource(root)) {
            Sampler sampler = new Sampler(
                    source,
                    new SessionTable("monitor"),
                    List.of(exposition, new LiveClients(history)),
                    true,
                    text -> {},
                    System::nanoTime,
                    () -> 0);
            for (int i = 0; i < WARM_UP; i++) {
                sampler.takeSample();
            }
            long started = threads.getCurrentThreadCpuTime();
            for (int i = 0; i < SAMPLES; i++) {
                sampler.takeSample();
            }
            double nanos = (double) (threads.getCurrentThreadCpuTime() - started) / SAMPLES;
            System.out.printf("one sample of 24 cores: %.3f ms of a core%n", nanos / 1e6);
            assertThat(nanos).isPositive().isLessThan(HUNDREDTH_OF_A_CORE_NANOS);
        }
    }
}
