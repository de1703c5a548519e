package io.fdt.core.stats;

import io.fdt.core.stats.LaneCounters.Counter;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.GroupThreads;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The cost of counting for a lane, alone and while another thread reads the counters. */
@State(Scope.Group)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CountersBenchmark {
    private final LaneCounters counters = new LaneCounters();

    @Benchmark
    @Group("alone")
    public void count() {
        counters.add(Counter.SENT_BYTES, 128 << 10);
    }

    @Benchmark
    @Group("read")
    @GroupThreads(1)
    public void countWhileRead() {
        counters.add(Counter.SENT_BYTES, 128 << 10);
    }

    @Benchmark
    @Group("read")
    @GroupThreads(1)
    public long read() {
        return counters.get(Counter.SENT_BYTES);
    }
}
