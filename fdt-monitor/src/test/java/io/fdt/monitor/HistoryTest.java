package io.fdt.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.basic.HostView;
import io.fdt.monitor.figure.Sample;
import java.io.ByteArrayOutputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is kept for a page that nobody has opened yet. */
final class HistoryTest {
    private static final int CORES = 64;
    private static final int UNWATCHED = 200;
    /** The JSON of one has 8 kB. */
    private static final long MAX_BYTES_A_SAMPLE = 500;

    private final History history = new History();

    private static Sample sample(long time, int cores) {
        HostView.Core core = new HostView.Core(1, 0, new HostView.Shares(0.25, 0, 0.125, 0, 0.5, 0, 0));
        HostView host = new HostView("dtn", Collections.nCopies(cores, core), List.of());
        return new Sample(time, "server", host, Sample.Devices.NONE, List.of(), List.of(), Map.of());
    }

    private String shown() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        history.toArray().forEach(all::writeBytes);
        return all.toString(StandardCharsets.UTF_8);
    }

    private static String json(Sample sample) {
        return new String(SampleJson.of(sample), StandardCharsets.UTF_8);
    }

    /** What it allocates is what it does, whichever machine runs it. */
    @Test
    void samplesThatNobodyWatchesDoNotBecomeJson() {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        LiveClients nobody = new LiveClients(history);
        Sample sample = sample(1, CORES);
        nobody.onSample(sample, List.of());
        long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
        for (int i = 0; i < UNWATCHED; i++) {
            nobody.onSample(sample, List.of());
        }
        long bytes = threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;

        assertThat(bytes / UNWATCHED).isLessThan(MAX_BYTES_A_SAMPLE);
        assertThat(shown()).startsWith("[" + json(sample) + ",").endsWith("}]");
    }

    @Test
    void showsTheLastSamplesInTheirOrderHoweverOftenAsked() {
        for (int i = 0; i <= History.MAX_SAMPLES; i++) {
            history.add(sample(i, 1));
        }
        String first = shown();
        assertThat(first).startsWith("[" + json(sample(1, 1)) + "," + json(sample(2, 1)) + ",");
        assertThat(shown()).isEqualTo(first);

        history.add(sample(5_000, 1));
        history.add(SampleJson.of(sample(6_000, 1)));

        assertThat(shown())
                .startsWith("[" + json(sample(3, 1)) + ",")
                .endsWith("," + json(sample(5_000, 1)) + "," + json(sample(6_000, 1)) + "]");
    }

    @Test
    void limitsTheBytesOfLargeSamplesAndOfManySmallOnes() {
        int large = 2 * History.MAX_PARTS;
        for (int i = 0; i < History.MAX_SAMPLES; i++) {
            history.add(sample(i, i % 2 == 0 ? large : History.MAX_PARTS));
        }
        assertThat((long) shown().length())
                .isLessThan(History.MAX_BYTES + History.MAX_SAMPLES)
                .isGreaterThan(History.MAX_BYTES - large * 1_000L);
    }
}
