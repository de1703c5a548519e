package io.fdt.core.nettest;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * How long many exchanges took, in nanoseconds with three significant digits: what stands in a result. Not changed
 * after it was made.
 */
public final class Latencies {
    /** Longer exchanges count as this long. */
    static final long MOST_NANOS = 100_000_000_000L;

    static final int DIGITS = 3;

    private static final double MICROSECOND = 1e3;
    private static final int TICKS_A_HALF = 5;

    private final Histogram histogram;

    private Latencies(Histogram histogram) {
        this.histogram = histogram;
    }

    /** Everything that these lanes have recorded. The recorders are read once, here. */
    static Latencies of(List<SingleWriterRecorder> recorders) {
        Histogram sum = new Histogram(1, MOST_NANOS, DIGITS);
        for (SingleWriterRecorder recorder : recorders) {
            sum.add(recorder.getIntervalHistogram());
        }
        return new Latencies(sum);
    }

    /** All of them together. */
    static Latencies sum(List<Latencies> parts) {
        Histogram sum = new Histogram(1, MOST_NANOS, DIGITS);
        parts.forEach(part -> sum.add(part.histogram));
        return new Latencies(sum);
    }

    /** Of these nanoseconds, for tests and examples. */
    public static Latencies ofNanos(long... nanos) {
        Histogram histogram = new Histogram(1, MOST_NANOS, DIGITS);
        for (long each : nanos) {
            histogram.recordValue(Math.min(MOST_NANOS, Math.max(1, each)));
        }
        return new Latencies(histogram);
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

    /** What so many of a hundred exchanges took at most. */
    public double percentileUs(double percentile) {
        return histogram.getValueAtPercentile(percentile) / MICROSECOND;
    }

    /** From this time until, but without, that one. */
    public record Bucket(long fromUs, long toUs, long count) {}

    /** The exchanges in buckets of one microsecond, without those that are empty. */
    public List<Bucket> buckets() {
        List<Bucket> buckets = new ArrayList<>();
        long at = -1;
        long count = 0;
        for (HistogramIterationValue value : histogram.recordedValues()) {
            long us = value.getValueIteratedTo() / 1000;
            if (us != at) {
                if (count > 0) {
                    buckets.add(new Bucket(at, at + 1, count));
                }
                at = us;
                count = 0;
            }
            count += value.getCountAddedInThisIterationStep();
        }
        if (count > 0) {
            buckets.add(new Bucket(at, at + 1, count));
        }
        return buckets;
    }

    /** The percentiles in microseconds, in HdrHistogram's own table, which its plotters read. */
    public void writePercentiles(PrintStream out) {
        histogram.outputPercentileDistribution(out, TICKS_A_HALF, MICROSECOND);
    }
}
