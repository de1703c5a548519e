package io.fdt.monitor;

import io.fdt.core.basic.Word;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.SessionActivity.Direction;
import io.fdt.core.stats.SessionActivity.Service;
import io.fdt.core.stats.SessionState;
import io.fdt.core.stats.Summary;
import io.fdt.monitor.figure.Meter;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * How long the copies took that ended with everything in place, how much they moved, and how fast. Every series exists
 * from the start. For the sampler's thread.
 */
final class CopyHistograms {
    /** The upper limits. Rates are those of lines of 10 and 100 Mbit/s, and of 1 to 100 Gbit/s. */
    private static final Map<Meter, double[]> LIMITS = Map.of(
            Meter.COPIES_SECONDS, new double[] {1, 10, 60, 300, 1_800, 3_600, 14_400, 86_400},
            Meter.COPIES_BYTES, new double[] {1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13},
            Meter.COPIES_RATE,
                    new double[] {1.25e6, 1.25e7, 6.25e7, 1.25e8, 3.125e8, 6.25e8, 1.25e9, 3.125e9, 1.25e10});

    private static final double NANOS = 1e9;

    private final Map<Direction, Map<Meter, Histogram>> histograms = new EnumMap<>(Direction.class);

    private static final class Histogram {
        private final double[] limits;
        private final long[] counts;
        private long count;
        private double sum;

        Histogram(double[] limits) {
            this.limits = limits;
            this.counts = new long[limits.length];
        }

        void add(double value) {
            for (int i = 0; i < limits.length; i++) {
                counts[i] += value <= limits[i] ? 1 : 0;
            }
            count++;
            sum += value;
        }

        void addTo(FigureList figures, Meter meter, String direction) {
            for (int i = 0; i < limits.length; i++) {
                figures.add(meter, counts[i], direction, (long) limits[i] + ".0");
            }
            figures.add(meter, count, direction, "+Inf");
            figures.add(meter, sum, direction, Meter.SUM);
            figures.add(meter, count, direction, Meter.COUNT);
        }
    }

    CopyHistograms() {
        for (Direction direction : Direction.values()) {
            Map<Meter, Histogram> made = new EnumMap<>(Meter.class);
            LIMITS.forEach((meter, limits) -> made.put(meter, new Histogram(limits)));
            histograms.put(direction, made);
        }
    }

    /** Counts a session that has ended. */
    void countEnd(SessionState session) {
        SessionActivity.Kind kind = session.kind();
        Summary summary = session.summary();
        if (kind == null || kind.service() != Service.COPY || summary == null) {
            return;
        }
        if (summary.failure() == null && summary.preview() == null) {
            double seconds = summary.run().elapsedNanos() / NANOS;
            double bytes = summary.bytes().moved().durable();
            add(kind.direction(), Meter.COPIES_SECONDS, seconds);
            add(kind.direction(), Meter.COPIES_BYTES, bytes);
            if (bytes > 0 && seconds > 0) {
                add(kind.direction(), Meter.COPIES_RATE, bytes / seconds);
            }
        }
    }

    private void add(Direction direction, Meter meter, double value) {
        Objects.requireNonNull(Objects.requireNonNull(histograms.get(direction)).get(meter))
                .add(value);
    }

    void addTo(FigureList figures) {
        histograms.forEach((direction, each) ->
                each.forEach((meter, histogram) -> histogram.addTo(figures, meter, Word.of(direction))));
    }
}
