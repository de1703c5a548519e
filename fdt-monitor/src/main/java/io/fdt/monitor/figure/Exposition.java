package io.fdt.monitor.figure;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The figures of the last sample as Prometheus text or OpenMetrics; one scrape never mixes two samples. Thread-safe.
 */
public final class Exposition implements SampleListener, AutoCloseable {
    public static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";
    public static final String OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    private static final String TYPE_LINE = "# TYPE ";
    private static final Map<String, String> UNITS = Arrays.stream(Meter.values())
            .filter(meter -> !meter.unit().isEmpty())
            .collect(Collectors.toMap(Meter::baseName, meter -> meter.unit().replace(' ', '_')));

    /** Meters that every session and lane has. */
    private static final Set<Meter> PARTS =
            EnumSet.of(Meter.SESSION_BYTES, Meter.LANE_SENT_BYTES, Meter.LANE_RECEIVED_BYTES);

    private static final String INFO_ENDING = "_info";

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final SeriesRegistry series;
    private final String host;
    private volatile List<Figure> infos = List.of();
    private @Nullable List<Figure> waiting;
    private Set<List<String>> waitingParts = Set.of();

    /** @param host a label of every series */
    public Exposition(String host) {
        series = new SeriesRegistry(
                registry, Set.of(Meter.MeterKind.COUNTER, Meter.MeterKind.GAUGE), host, meter -> null, true);
        this.host = host;
        registry.getPrometheusRegistry().register((MultiCollector) this::infos);
    }

    @Override
    public synchronized void onFirstFigures(List<Figure> figures) {
        waiting = figures;
        update();
    }

    /**
     * The series are made and updated by the next scrape, and before that only for sessions and lanes that the next
     * sample does not have.
     */
    @Override
    public synchronized void onSample(Sample sample, List<Figure> figures) {
        Set<List<String>> parts = parts(figures);
        if (!parts.containsAll(waitingParts)) {
            update();
        }
        waiting = figures;
        waitingParts = parts;
    }

    private static Set<List<String>> parts(List<Figure> figures) {
        Set<List<String>> parts = new HashSet<>();
        for (Figure figure : figures) {
            if (PARTS.contains(figure.meter())) {
                parts.add(figure.labels());
            }
        }
        return parts;
    }

    /** A scrape is of the last sample. */
    @Override
    public boolean isWatched() {
        return false;
    }

    private void update() {
        List<Figure> figures = waiting;
        if (figures != null) {
            waiting = null;
            infos = figures.stream()
                    .filter(figure -> figure.meter().kind() == Meter.MeterKind.INFO)
                    .toList();
            series.update(figures, System.nanoTime());
        }
    }

    /** @param contentType {@link #TEXT} or {@link #OPEN_METRICS} */
    public synchronized String scrape(String contentType) {
        update();
        series.onScrape();
        String page = registry.scrape(contentType);
        return contentType.equals(OPEN_METRICS) ? withUnits(page) : page;
    }

    /** Micrometer writes no units. */
    private static String withUnits(String page) {
        StringBuilder all = new StringBuilder(page.length() + page.length() / 8);
        int copied = 0;
        for (int at = page.indexOf(TYPE_LINE); at >= 0; at = page.indexOf(TYPE_LINE, copied)) {
            int name = at + TYPE_LINE.length();
            int end = page.indexOf('\n', name) + 1;
            String meter = page.substring(name, page.indexOf(' ', name));
            all.append(page, copied, end);
            String unit = UNITS.get(meter);
            if (unit != null) {
                all.append("# UNIT ").append(meter).append(' ').append(unit).append('\n');
            }
            copied = end;
        }
        return all.append(page, copied, page.length()).toString();
    }

    @Override
    public void close() {
        series.close();
    }

    /**
     * The meters whose labels are their value. Micrometer has no such type and would remove the suffix from their
     * names, so they are added to the Prometheus output here.
     */
    private MetricSnapshots infos() {
        Map<Meter, InfoSnapshot.Builder> builders = new EnumMap<>(Meter.class);
        for (Figure info : infos) {
            builders.computeIfAbsent(info.meter(), Exposition::infoBuilder)
                    .dataPoint(InfoDataPointSnapshot.builder()
                            .labels(Labels.of(info.meter().labels(), info.labels())
                                    .merge(Labels.of(Meter.HOST_LABEL, host)))
                            .build());
        }
        MetricSnapshots.Builder all = MetricSnapshots.builder();
        builders.values().forEach(builder -> all.metricSnapshot(builder.build()));
        return all.build();
    }

    private static InfoSnapshot.Builder infoBuilder(Meter meter) {
        String name = meter.exportedName();
        return InfoSnapshot.builder()
                .name(name.substring(0, name.length() - INFO_ENDING.length()))
                .help(meter.help());
    }
}
