package io.fdt.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.fdt.core.host.RecordedHost;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.SessionActivity.Direction;
import io.fdt.core.stats.SessionCounters;
import io.fdt.core.stats.TransferFigures;
import io.fdt.monitor.figure.Exposition;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What samples and scrapes cost, on a host with 24 cores and the queues of four 40GE ports. */
final class SampleCostTest {
    /** Of 24 cores, the queues of four ports and a copy over four lanes. */
    private static final long MAX_SAMPLE_BYTES = 350_000;

    private static final long MAX_SCRAPE_BYTES = 300_000;
    private static final int OTHER_PROCESSES = 300;
    private static final Path THREAD_IO = Path.of("/proc/thread-self/io");

    @TempDir
    Path directory;

    private final com.sun.management.ThreadMXBean threads =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final History history = new History();

    private Sampler sampler(HostSource source, Exposition exposition) {
        SessionTable sessions = new SessionTable("client");
        SessionActivity copy = new SessionActivity("0123", "10.1.1.1:5", new SessionCounters());
        copy.begin(new SessionActivity.Work(
                SessionActivity.Service.COPY, Direction.OUT, "xxh3", new TransferFigures(), () -> 3));
        for (int lane = 0; lane < 4; lane++) {
            copy.join(lane, Direction.OUT, "epoll, TLSv1.3 TLS_AES_128_GCM_SHA256 (BoringSSL)", () -> 7);
        }
        sessions.add(copy);
        return new Sampler(
                source,
                sessions,
                List.of(exposition, new LiveClients(history)),
                true,
                text -> {},
                System::nanoTime,
                () -> 0);
    }

    /** What a sample allocates is what it does, whichever machine runs it. */
    @Test
    void samplesAndScrapesAllocateLittle() {
        Path root = RecordedHost.unpack("bonded40", directory);
        Exposition exposition = new Exposition("dtn");
        try (HostSource source = new HostSource(root)) {
            Sampler sampler = sampler(source, exposition);
            sampler.takeSample();
            sampler.takeSample();
            exposition.scrape(Exposition.OPEN_METRICS);
            long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
            for (int i = 0; i < HostSource.FACTS_EVERY; i++) {
                sampler.takeSample();
            }
            long sampled =
                    threads.getThreadAllocatedBytes(Thread.currentThread().getId());
            exposition.scrape(Exposition.OPEN_METRICS);
            long scraped =
                    threads.getThreadAllocatedBytes(Thread.currentThread().getId());
            long bytesOfASample = (sampled - before) / HostSource.FACTS_EVERY;
            System.out.printf("allocated: %d bytes a sample, %d a scrape%n", bytesOfASample, scraped - sampled);
            assertThat(bytesOfASample).isPositive().isLessThan(MAX_SAMPLE_BYTES);
            assertThat(scraped - sampled).isPositive().isLessThan(MAX_SCRAPE_BYTES);
        }
    }

    /** To read every process of a host takes longer than a minute of samples. */
    @Test
    void processesOfTheHostAreNotRead() throws IOException {
        assumeThat(THREAD_IO).as("the kernel counts the calls of each thread").exists();
        Path root = RecordedHost.unpack("bonded40", directory);
        long without = readsOfAMinute(root);
        for (int pid = 1; pid <= OTHER_PROCESSES; pid++) {
            Path process = Files.createDirectories(root.resolve("proc/" + (10_000 + pid)));
            Files.writeString(process.resolve("comm"), "java\n");
            Files.writeString(process.resolve("stat"), "1 (java) S 1\n");
        }
        long with = readsOfAMinute(root);
        System.out.printf("%d reads in %d samples%n", with, HostSource.FACTS_EVERY);
        assertThat(with - without).as("reads for %d processes", OTHER_PROCESSES).isLessThan(OTHER_PROCESSES / 2);
    }

    /** Returns how often this thread read from a file in a minute of samples, with one look for NICs. */
    private long readsOfAMinute(Path root) throws IOException {
        Exposition exposition = new Exposition("dtn");
        try (HostSource source = new HostSource(root)) {
            Sampler sampler = sampler(source, exposition);
            sampler.takeSample();
            long before = reads();
            for (int i = 0; i < HostSource.FACTS_EVERY; i++) {
                sampler.takeSample();
            }
            return reads() - before;
        }
    }

    private static long reads() throws IOException {
        String line = Files.readAllLines(THREAD_IO).stream()
                .filter(each -> each.startsWith("syscr: "))
                .findFirst()
                .orElseThrow();
        return Long.parseLong(line.substring("syscr: ".length()));
    }
}
