package io.fdt.core.stats;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.fdt.core.control.SessionInSteps;
import io.fdt.core.stats.ForeignLoad.Ticks;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A lack of cores is attributed to the sender or the receiver only if no other program filled the cores. */
final class ForeignLoadTest {
    private static final Path THREAD_IO = Path.of("/proc/thread-self/io");
    private static final Ticks START = new Ticks(5_000, 80_000, 300);

    private static boolean othersFill(long busy, long all, long own) {
        return new Ticks(START.busy() + busy, START.all() + all, START.own() + own).areOthersSince(START);
    }

    @Test
    void reportsForeignLoadOnlyOnFullCores() {
        assertThat(othersFill(1_980, 2_000, 300)).isTrue();
        assertThat(othersFill(1_980, 2_000, 1_500)).as("this process did").isFalse();
        assertThat(othersFill(1_980, 2_000, 900))
                .as("the other end of a copy within a host may be as busy")
                .isFalse();
        assertThat(othersFill(1_000, 2_000, 100))
                .as("half of the cores are idle")
                .isFalse();
        assertThat(othersFill(20, 20, 0)).as("too short to tell").isFalse();
    }

    @Test
    void reportsOnlyCpuLimits() {
        Bottleneck.Share cpu = new Bottleneck.Share("receiver-cpu", 80);
        assertThat(cpu.ifOthersFillTheCores(true)).isEqualTo(new Bottleneck.Share("receiver-foreign-load", 80));
        assertThat(cpu.ifOthersFillTheCores(false)).isEqualTo(cpu);
        Bottleneck.Share disk = new Bottleneck.Share("target-disk", 80);
        assertThat(disk.ifOthersFillTheCores(true)).isEqualTo(disk);
        assertThat(Bottleneck.verdict("blocked", "receiver-foreign-load", 80)).isEqualTo("receiver-foreign-load");
    }

    /** On a busy machine, more time may pass between the two looks than is meant. */
    @Test
    void aSpanThatIsTooShortTellsNothing() {
        Await.until("a short span", () -> {
            ForeignLoad load = new ForeignLoad();
            load.onTick(TimeUnit.SECONDS.toNanos(1));
            return !load.prevails();
        });
    }

    /** Also if the sessions of a process ask for it each second. */
    @Test
    void countersThatAMonitorHasReadAreNotReadAgain() throws IOException {
        assumeThat(THREAD_IO).as("the kernel counts the calls of each thread").exists();
        ForeignLoad.Recent recent = new ForeignLoad.Recent();
        Ticks full = new Ticks(START.busy() + 1_000, START.all() + 1_000, START.own());
        assertThat(recent.look(START, TimeUnit.HOURS.toNanos(1))).isFalse();
        assertThat(recent.look(full, TimeUnit.HOURS.toNanos(1))).isTrue();
        reads();
        long first = reads();
        long reading = reads() - first;
        long before = reads();

        boolean prevails = recent.prevails();

        assertThat(reads() - before).as("reads, with those of this test").isEqualTo(reading);
        assertThat(prevails).isTrue();
    }

    private static long reads() throws IOException {
        String line = Files.readAllLines(THREAD_IO).stream()
                .filter(each -> each.startsWith("syscr: "))
                .findFirst()
                .orElseThrow();
        return Long.parseLong(line.substring("syscr: ".length()));
    }

    @Test
    void aShortSessionReadsNoCounters() {
        AtomicInteger looks = new AtomicInteger();
        ForeignLoad load = new ForeignLoad(() -> new Ticks(1_980L * looks.get(), 2_000L * looks.getAndIncrement(), 0));
        SessionCounters counters = new SessionCounters(load);
        counters.lane(0).add(Counter.HASH_NANOS, 1);

        counters.onTick(MILLISECONDS.toNanos(199));
        assertThat(Bottleneck.ofReceiver(counters).limit()).isEqualTo("receiver-cpu");
        assertThat(looks).hasValue(0);

        counters.onTick(MILLISECONDS.toNanos(200));
        counters.onTick(MILLISECONDS.toNanos(250));
        assertThat(looks).as("once for the start").hasValue(1);
        assertThat(Bottleneck.ofReceiver(counters).limit()).isEqualTo("receiver-foreign-load");
    }

    @Test
    void aLongSessionReadsThem() {
        AtomicLong now = new AtomicLong();
        try (SessionInSteps steps = new SessionInSteps(now::get, 1)) {
            ForeignLoad load = steps.session().counters().foreignLoad();
            steps.session().execute(() -> now.set(MILLISECONDS.toNanos(199)));
            steps.runPosted();
            assertThat(load.start).isNull();
            steps.session().execute(() -> now.set(MILLISECONDS.toNanos(250)));
            steps.runPosted();
            assertThat(load.start).isNotNull();
        }
    }
}
