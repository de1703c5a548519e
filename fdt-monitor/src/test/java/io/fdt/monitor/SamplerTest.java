package io.fdt.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.host.RecordedHost;
import io.fdt.core.transport.Await;
import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Sample;
import io.fdt.monitor.figure.SampleListener;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The thread that feeds all listeners of a monitor. */
final class SamplerTest {
    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private final AtomicInteger seen = new AtomicInteger();
    private final CountDownLatch ended = new CountDownLatch(1);

    @TempDir
    Path directory;

    private final SampleListener sound = new SampleListener() {
        @Override
        public void onSample(Sample sample, List<Figure> figures) {
            seen.incrementAndGet();
        }

        @Override
        public void onEnd() {
            ended.countDown();
        }
    };

    /** Returns a sampler whose clock advances by a second each time it is read. */
    private Sampler sampler(List<SampleListener> listeners, java.util.function.LongSupplier epochMs) {
        AtomicLong nanos = new AtomicLong();
        Sampler sampler = new Sampler(
                new HostSource(RecordedHost.unpack("bonded40", directory)),
                new SessionTable("monitor"),
                listeners,
                false,
                warnings::add,
                () -> nanos.addAndGet(1_000_000_000L),
                epochMs);
        sampler.takeSample();
        sampler.start();
        return sampler;
    }

    @Test
    void aSampleThatFailsEndsNeitherTheThreadNorTheOthers() {
        AtomicInteger asked = new AtomicInteger();
        try (Sampler sampler = sampler(List.of(sound), () -> {
            if (asked.incrementAndGet() % 2 == 0) {
                throw new IllegalStateException("no time");
            }
            return 0;
        })) {
            Await.until("later samples", () -> seen.get() >= 3);
            assertThat(sampler.host().name()).isEqualTo("dtn40");
        }
        Await.until("the end", ended);
        assertThat(warnings).singleElement().asString().contains("no time");
    }

    @Test
    void aListenerThatFailsKeepsNoSampleFromTheOthers() {
        SampleListener broken = new SampleListener() {
            @Override
            public void onSample(Sample sample, List<Figure> figures) {
                throw new IllegalStateException("broken");
            }

            @Override
            public void onEnd() {
                throw new IllegalStateException("broken to the end");
            }
        };
        try (Sampler sampler = sampler(List.of(broken, sound), () -> 0)) {
            Await.until("samples", () -> seen.get() >= 3);
            assertThat(sampler.host().name()).isEqualTo("dtn40");
        }
        Await.until("the end", ended);
        assertThat(warnings).singleElement().asString().contains("broken");
    }
}
