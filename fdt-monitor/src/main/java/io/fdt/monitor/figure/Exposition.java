package io.fdt.monitor.figure;

import io.fdt.core.basic.Word;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The figures of the last sample as Prometheus text or OpenMetrics; one scrape never mixes two samples. Thread-safe.
 */
public final class Exposition implements SampleListener {
    public static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";
    public static final String OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    /** Meters that every session and lane has. */
    private static final Set<Meter> PARTS =
            EnumSet.of(Meter.SESSION_BYTES, Meter.LANE_SENT_BYTES, Meter.LANE_RECEIVED_BYTES);

    private static final String INFO_ENDING = "_info";
    /** All whole numbers up to this one are exact. */
    private static final double MAX_WHOLE = 1L << 53;

    private static final int FIRST_PAGE_CHARS = 1 << 14;

    private final Map<String, String> common;
    private final SeriesTable<String> series;
    private int lastLength = FIRST_PAGE_CHARS;
    private List<Figure> infos = List.of();
    private @Nullable List<Figure> waiting;
    private Set<List<String>> waitingParts = Set.of();

    /** @param host a label of every series */
    public Exposition(String host) {
        common = Map.of(Meter.HOST_LABEL, host);
        series = new SeriesTable<>(
                EnumSet.complementOf(EnumSet.of(Meter.MeterKind.INFO)),
                true,
                each -> series(each.meter(), each.labels(), common),
                gone -> {});
    }

    /** Returns these figures, once each, as Prometheus text without the label of the host. */
    public static String text(List<Figure> figures) {
        StringBuilder page = new StringBuilder();
        for (Meter meter : Meter.values()) {
            List<Figure> ofMeter = ofMeter(meter, figures);
            if (!ofMeter.isEmpty()) {
                addHead(page, meter, false);
            }
            ofMeter.forEach(figure -> addLine(page, series(meter, figure.labels(), Map.of()), figure.value()));
        }
        return page.toString();
    }

    private static List<Figure> ofMeter(Meter meter, List<Figure> figures) {
        return figures.stream().filter(figure -> figure.meter() == meter).toList();
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
        boolean openMetrics = contentType.equals(OPEN_METRICS);
        StringBuilder page = new StringBuilder(lastLength + lastLength / 8);
        for (Meter meter : Meter.values()) {
            Collection<SeriesTable<String>.Series> ofMeter = series.of(meter);
            List<Figure> ofInfos = ofMeter(meter, infos);
            if (!ofMeter.isEmpty() || !ofInfos.isEmpty()) {
                addHead(page, meter, openMetrics);
            }
            ofMeter.forEach(each -> addLine(page, each.shown(), each.value()));
            ofInfos.forEach(info -> addLine(page, series(meter, info.labels(), common), 1));
        }
        if (openMetrics) {
            page.append("# EOF\n");
        }
        lastLength = page.length();
        return page.toString();
    }

    /** In OpenMetrics, the name of a metric has no suffix that its type adds. */
    private static void addHead(StringBuilder page, Meter meter, boolean openMetrics) {
        boolean info = meter.kind() == Meter.MeterKind.INFO;
        String name = meter.exportedName();
        String type = info ? "gauge" : Word.of(meter.kind());
        if (openMetrics) {
            name = info ? name.substring(0, name.length() - INFO_ENDING.length()) : meter.baseName();
            type = info ? "info" : type;
        }
        page.append("# TYPE ").append(name).append(' ').append(type).append('\n');
        if (openMetrics && !meter.unit().isEmpty()) {
            page.append("# UNIT ").append(name).append(' ').append(meter.unit().replace(' ', '_'));
            page.append('\n');
        }
        page.append("# HELP ").append(name).append(' ').append(meter.help()).append('\n');
    }

    /** Returns the name with the labels, sorted by name. A page would end for Prometheus at a NUL. */
    private static String series(Meter meter, List<String> labels, Map<String, String> more) {
        Map<String, String> sorted = new TreeMap<>(more);
        List<String> names = meter.seriesLabels(labels);
        for (int i = 0; i < names.size(); i++) {
            sorted.put(names.get(i), labels.get(i));
        }
        StringBuilder series = new StringBuilder(meter.seriesName(labels));
        char before = '{';
        for (Map.Entry<String, String> label : sorted.entrySet()) {
            String value = label.getValue()
                    .replace("\\", "\\\\")
                    .replace("\"", "\\\"")
                    .replace("\n", "\\n")
                    .replace('\0', '\uFFFD');
            series.append(before)
                    .append(label.getKey())
                    .append("=\"")
                    .append(value)
                    .append('"');
            before = ',';
        }
        return (sorted.isEmpty() ? series : series.append('}')).toString();
    }

    private static void addLine(StringBuilder page, String series, double value) {
        page.append(series).append(' ');
        if (value == Math.rint(value) && Math.abs(value) <= MAX_WHOLE) {
            page.append((long) value).append(".0");
        } else if (Double.isInfinite(value)) {
            page.append(value > 0 ? "+Inf" : "-Inf");
        } else {
            page.append(value);
        }
        page.append('\n');
    }
}
