package io.fdt.monitor.figure;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.Set;

/**
 * The figures of the last sample as Prometheus text or OpenMetrics; one scrape never mixes two samples. Thread-safe.
 */
public final class Exposition implements SampleListener, AutoCloseable {
    public static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";
    public static final String OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final SeriesRegistry series;
    private final InfoCollector infos;

    /** @param host a label of every series */
    public Exposition(String host) {
        series = new SeriesRegistry(registry, Set.of(Meter.Kind.COUNTER, Meter.Kind.GAUGE), host, meter -> null);
        infos = new InfoCollector(host);
        registry.getPrometheusRegistry().register(infos);
    }

    @Override
    public synchronized void onFirstFigures(List<Figure> figures) {
        infos.update(figures);
        series.update(figures, System.nanoTime());
    }

    @Override
    public void onSample(Sample sample, List<Figure> figures) {
        onFirstFigures(figures);
    }

    /** Returns the content type for an {@code Accept} header. */
    public static String contentType(String accept) {
        return accept.contains("application/openmetrics-text") ? OPEN_METRICS : TEXT;
    }

    public String scrape(String contentType) {
        series.onScrape();
        return render(contentType);
    }

    /** Like {@link #scrape}, but does not count as a scrape. */
    public synchronized String render(String contentType) {
        return registry.scrape(contentType);
    }

    @Override
    public void close() {
        series.close();
    }
}
