package io.fdt.core.nettest;

import io.fdt.core.basic.JsonObject;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.AtomicHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * The durations of many exchanges, in nanoseconds with three significant digits. One thread records; others read a
 * {@link #copy} meanwhile. Those in a result do not change any more.
 */
public final class Latencies {
    /** The names of {@link #figures}. */
    static final List<String> NAMES =
            List.of("min_us", "mean_us", "p50_us", "p90_us", "p99_us", "p999_us", "p9999_us", "max_us");

    /** Longer exchanges count as this long. */
    private static final long MAX_NANOS = 100_000_000_000L;

    private static final int DIGITS = 3;

    private static final double MICROSECOND = 1e3;
    private static final int TICKS_A_HALF = 5;

    private final Histogram histogram = new AtomicHistogram(1, MAX_NANOS, DIGITS);

    public void record(long nanos) {
        record(nanos, 1);
    }

    /** Records this many exchanges of this duration. */
    public void record(long nanos, long exchanges) {
        histogram.recordValueWithCount(Math.min(MAX_NANOS, Math.max(1, nanos)), exchanges);
    }

    /** Returns them under the names that all suites use; these are their source. */
    public JsonObject figures() {
        return new JsonObject()
                .with("min_us", minUs(), 3)
                .with("mean_us", meanUs(), 3)
                .with("p50_us", percentileUs(50), 3)
                .with("p90_us", percentileUs(90), 3)
                .with("p99_us", percentileUs(99), 3)
                .with("p999_us", percentileUs(99.9), 3)
                .with("p9999_us", percentileUs(99.99), 3)
                .with("max_us", maxUs(), 3)
                .from(this);
    }

    public static Latencies of(JsonObject figures) {
        return (Latencies) figures.source();
    }

    public void add(Latencies more) {
        histogram.add(more.histogram);
    }

    public void reset() {
        histogram.reset();
    }

    /** A copy of what was recorded so far. Thread-safe. */
    public Latencies copy() {
        return sum(List.of(this));
    }

    public static Latencies sum(List<Latencies> parts) {
        Latencies sum = new Latencies();
        parts.forEach(sum::add);
        return sum;
    }

    public long count() {
        return histogram.getTotalCount();
    }

    public double minUs() {
        return count() == 0 ? 0 : histogram.getMinValue() / MICROSECOND;
    }

    public double meanUs() {
        return histogram.getMean() / MICROSECOND;
    }

    public double maxUs() {
        return histogram.getMaxValue() / MICROSECOND;
    }

    /** The duration that this percentage of the exchanges did not exceed. */
    public double percentileUs(double percentile) {
        return histogram.getValueAtPercentile(percentile) / MICROSECOND;
    }

    /** The exchanges in buckets of one microsecond, without empty ones. */
    public List<JsonObject> buckets() {
        List<JsonObject> buckets = new ArrayList<>();
        long at = -1;
        long count = 0;
        for (HistogramIterationValue value : histogram.recordedValues()) {
            long us = value.getValueIteratedTo() / 1000;
            if (us != at) {
                if (count > 0) {
                    buckets.add(bucket(at, count));
                }
                at = us;
                count = 0;
            }
            count += value.getCountAddedInThisIterationStep();
        }
        if (count > 0) {
            buckets.add(bucket(at, count));
        }
        return buckets;
    }

    private static JsonObject bucket(long fromUs, long count) {
        return new JsonObject()
                .with("from_us", fromUs)
                .with("to_us", fromUs + 1)
                .with("count", count);
    }

    /** Writes the percentiles in microseconds in the format of HdrHistogram, for its plotters. */
    public void writePercentiles(PrintStream out) {
        histogram.outputPercentileDistribution(out, TICKS_A_HALF, MICROSECOND);
    }
}
