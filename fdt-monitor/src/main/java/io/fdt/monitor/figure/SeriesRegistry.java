package io.fdt.monitor.figure;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Updates a Micrometer registry with each sample, for exporters that send by themselves. Leaves histograms out:
 * Micrometer sends only those whose values it received one by one. For one thread.
 */
public final class SeriesRegistry implements AutoCloseable {
    private final MeterRegistry registry;
    private final Function<Meter, @Nullable String> unit;
    private final SeriesTable<io.micrometer.core.instrument.Meter> series;

    /**
     * @param host a label of every series, to distinguish several processes of one host from several hosts
     * @param unit returns the unit to export in addition to the name; null for none
     */
    public SeriesRegistry(MeterRegistry registry, String host, Function<Meter, @Nullable String> unit) {
        this.registry = registry;
        this.unit = unit;
        registry.config().commonTags(Meter.HOST_LABEL, host);
        series = new SeriesTable<>(
                EnumSet.complementOf(EnumSet.of(Meter.MeterKind.HISTOGRAM)), false, this::register, registry::remove);
    }

    public void update(List<Figure> figures, long nowNanos) {
        series.update(figures, nowNanos);
    }

    private io.micrometer.core.instrument.Meter register(SeriesTable<io.micrometer.core.instrument.Meter>.Series made) {
        Meter meter = made.meter();
        List<Tag> tags = new ArrayList<>();
        for (int i = 0; i < made.labels().size(); i++) {
            tags.add(Tag.of(meter.labels().get(i), made.labels().get(i)));
        }
        // Micrometer refers to the value weakly; the table keeps it.
        return meter.kind() == Meter.MeterKind.COUNTER
                ? FunctionCounter.builder(meter.baseName(), made, each -> each.value())
                        .tags(tags)
                        .description(meter.help())
                        .baseUnit(unit.apply(meter))
                        .register(registry)
                : Gauge.builder(meter.baseName(), made, each -> each.value())
                        .tags(tags)
                        .description(meter.help())
                        .baseUnit(unit.apply(meter))
                        .register(registry);
    }

    @Override
    public void close() {
        registry.close();
    }
}
