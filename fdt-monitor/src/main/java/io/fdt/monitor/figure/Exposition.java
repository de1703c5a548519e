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
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The figures of the last sample as Prometheus text or OpenMetrics; one scrape never mixes two samples. Thread-safe.
 */
public final class Exposition implements SampleListener, AutoCloseable {
    public static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";
    public static final String OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    private static final Pattern TYPE_LINE = Pattern.compile("(?m)^# TYPE (\\S+) .*$");
    private static final Map<String, String> UNITS = Arrays.stream(Meter.values())
            .filter(meter -> !meter.unit().isEmpty())
            .collect(Collectors.toMap(Meter::baseName, meter -> meter.unit().replace(' ', '_')));

    private static final String INFO_ENDING = "_info";

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final SeriesRegistry series;
    private final String host;
    private volatile List<Figure> infos = List.of();
    private @Nullable List<Figure> waiting;

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

    /** Without sessions, no series comes and goes between two scrapes, so that the next scrape makes them. */
    @Override
    public synchronized void onSample(Sample sample, List<Figure> figures) {
        waiting = figures;
        if (!sample.sessions().isEmpty()) {
            update();
        }
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
        return TYPE_LINE.matcher(page).replaceAll(line -> {
            String unit = UNITS.get(line.group(1));
            return Matcher.quoteReplacement(
                    unit == null ? line.group() : line.group() + "\n# UNIT " + line.group(1) + " " + unit);
        });
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
