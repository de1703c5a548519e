package io.fdt.monitor;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.Set;

/**
 * What a scrape shows: the figures of the last sample as Prometheus text or OpenMetrics, always of one sample and never of two.
 * Thread-safe.
 */
final class Exposition implements SampleListener, AutoCloseable {
    static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";
    static final String OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final SeriesRegistry series = new SeriesRegistry(registry, Set.of(Meter.Kind.COUNTER, Meter.Kind.GAUGE));
    private final InfoCollector infos = new InfoCollector();

    Exposition() {
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

    void onSampleTaken(double seconds) {
        series.onSampleTaken(seconds);
    }

    /** The content type for what a client accepts. */
    static String contentType(String accept) {
        return accept.contains("application/openmetrics-text") ? OPEN_METRICS : TEXT;
    }

    String scrape(String contentType) {
        series.onScrape();
        return render(contentType);
    }

    /** The same without counting as a scrape. */
    synchronized String render(String contentType) {
        return registry.scrape(contentType);
    }

    @Override
    public void close() {
        series.close();
    }
}
