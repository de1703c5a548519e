package io.fdt.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.basic.Clock;
import io.fdt.core.basic.HostView;
import io.fdt.core.host.RecordedHost;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.SessionActivity.Direction;
import io.fdt.core.stats.SessionActivity.Service;
import io.fdt.core.stats.SessionCounters;
import io.fdt.core.transport.Await;
import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Meter;
import io.fdt.monitor.figure.Sample;
import io.fdt.monitor.figure.SampleListener;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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

    /** Otherwise a demonstration on one host shows interfaces without traffic. */
    @Test
    void theLoopbackInterfaceIsShownOnceALaneUsesIt() {
        AtomicLong nanos = new AtomicLong();
        List<Sample> samples = new ArrayList<>();
        SessionTable sessions = new SessionTable("server");
        Sampler sampler = new Sampler(
                new HostSource(Path.of("/")),
                sessions,
                List.of(new SampleListener() {
                    @Override
                    public void onSample(Sample sample, List<Figure> figures) {
                        samples.add(sample);
                    }
                }),
                false,
                warnings::add,
                () -> nanos.addAndGet(1_000_000_000L),
                () -> 0);
        SessionActivity activity = new SessionActivity("0123", "127.0.0.1:5", new SessionCounters());
        activity.begin(new SessionActivity.Work(Service.NETTEST, Direction.OUT, "", null, () -> 0));
        InetSocketAddress end = new InetSocketAddress(InetAddress.getLoopbackAddress(), 5);
        sampler.takeSample();
        sampler.takeSample();
        assertThat(nics(samples)).doesNotContain("lo");
        sessions.add(activity);
        activity.join(0, Direction.OUT, "epoll", () -> 1).connects(end, end);
        // One that sees the lane, and two that a rate is computed from.
        for (int i = 0; i < 3; i++) {
            sampler.takeSample();
        }
        assertThat(nics(samples)).contains("lo");
        assertThat(warnings).isEmpty();
    }

    private static List<String> nics(List<Sample> samples) {
        return samples.get(samples.size() - 1).view().nics().stream()
                .map(HostView.Nic::nic)
                .toList();
    }

    /** Its samples are those of the host, which may be busy without any session of fdt. */
    @Test
    void onlyAProcessOfSessionsIsIdleWithoutThem() throws IOException {
        assertThat(dropsAfterOneMore("server")).isEqualTo(1);
        assertThat(dropsAfterOneMore("monitor")).isEqualTo(2);
    }

    /** Returns the dropped connections in the second sample, before which they rose from 1 to 2. */
    private double dropsAfterOneMore(String role) throws IOException {
        Path netstat = Files.createDirectories(directory.resolve("proc/net")).resolve("netstat");
        Files.writeString(netstat, "TcpExt: ListenDrops\nTcpExt: 1\n");
        List<Double> drops = new ArrayList<>();
        SampleListener listener = new SampleListener() {
            @Override
            public void onSample(Sample sample, List<Figure> figures) {
                figures.stream()
                        .filter(figure -> figure.meter() == Meter.HOST_LISTEN_DROPS)
                        .forEach(figure -> drops.add(figure.value()));
            }

            @Override
            public boolean isWatched() {
                return false;
            }
        };
        try (HostSource source = new HostSource(directory)) {
            Sampler sampler = new Sampler(
                    source, new SessionTable(role), List.of(listener), false, warnings::add, System::nanoTime, () -> 0);
            sampler.takeSample();
            Files.writeString(netstat, "TcpExt: ListenDrops\nTcpExt: 2\n");
            sampler.takeSample();
        }
        assertThat(drops).hasSize(1);
        return drops.get(0);
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

    /** A rate of a few milliseconds means nothing. */
    @Test
    void aLateSampleIsNotFollowedAtOnce() {
        AtomicLong suspendedNanos = new AtomicLong();
        List<Long> times = new CopyOnWriteArrayList<>();
        SampleListener listener = new SampleListener() {
            @Override
            public void onSample(Sample sample, List<Figure> figures) {
                times.add(sample.epochMs());
            }
        };
        Clock clock = () -> System.nanoTime() + suspendedNanos.get();
        try (HostSource source = new HostSource(RecordedHost.unpack("bonded40", directory))) {
            Sampler sampler = new Sampler(
                    source,
                    new SessionTable("monitor"),
                    List.of(listener),
                    false,
                    warnings::add,
                    clock,
                    () -> TimeUnit.NANOSECONDS.toMillis(clock.nanoTime()));
            sampler.takeSample();
            sampler.start();
            Await.until("the first sample", () -> !times.isEmpty());
            suspendedNanos.set(TimeUnit.SECONDS.toNanos(5));
            Await.until("two more samples", () -> times.size() >= 3);
            assertThat(times.get(2) - times.get(1)).isGreaterThan(400);
            sampler.close();
        }
    }

    @Test
    void takesNoMoreThanOneSampleASecond() {
        try (HostSource source = new HostSource(RecordedHost.unpack("bonded40", directory))) {
            Sampler sampler = new Sampler(
                    source, new SessionTable("client"), List.of(sound), true, warnings::add, System::nanoTime, () -> 0);
            long begun = System.nanoTime();
            sampler.takeSample();
            sampler.start();
            Await.until("samples", () -> seen.get() >= 3);
            assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(TimeUnit.SECONDS.toNanos(3));
            sampler.close();
        }
    }
}
