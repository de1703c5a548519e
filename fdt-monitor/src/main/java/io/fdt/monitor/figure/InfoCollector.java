package io.fdt.monitor.figure;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Exports meters of the kind INFO. Micrometer has no such kind and would remove the suffix of their names, so this
 * collector provides them to Prometheus. Thread-safe.
 */
public final class InfoCollector implements MultiCollector {
    private static final String ENDING = "_info";

    private final String host;
    private volatile List<Figure> infos = List.of();

    InfoCollector(String host) {
        this.host = host;
    }

    void update(List<Figure> figures) {
        infos = figures.stream()
                .filter(figure -> figure.meter().kind() == Meter.Kind.INFO)
                .toList();
    }

    @Override
    public MetricSnapshots collect() {
        Map<Meter, InfoSnapshot.Builder> builders = new EnumMap<>(Meter.class);
        for (Figure info : infos) {
            builders.computeIfAbsent(info.meter(), InfoCollector::builder)
                    .dataPoint(InfoDataPointSnapshot.builder()
                            .labels(Labels.of(info.meter().labels(), info.labels())
                                    .merge(Labels.of(Meter.HOST_LABEL, host)))
                            .build());
        }
        MetricSnapshots.Builder all = MetricSnapshots.builder();
        builders.values().forEach(builder -> all.metricSnapshot(builder.build()));
        return all.build();
    }

    private static InfoSnapshot.Builder builder(Meter meter) {
        String name = meter.exportedName();
        return InfoSnapshot.builder()
                .name(name.substring(0, name.length() - ENDING.length()))
                .help(meter.help());
    }
}
