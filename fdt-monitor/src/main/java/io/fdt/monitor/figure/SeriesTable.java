package io.fdt.monitor.figure;

import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The series of an exporter: one for each figure, which is removed after its figure has been absent for 15 seconds and
 * two scrapes, or for three minutes without scrapes. With over a thousand series it is a minute without scrapes, and
 * those of a session, which is absent only a while after its end, go as soon as two scrapes have had their last values.
 * Calls of {@link #update} exclude each other; values may be read on any thread.
 *
 * @param <T> what the exporter makes of a series
 */
public final class SeriesTable<T> {
    private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(15);
    /** So that a scraper that comes each minute sees a short session twice. */
    private static final long LINGER_WITHOUT_SCRAPES_NANOS = TimeUnit.MINUTES.toNanos(3);

    private static final long LINGER_AMONG_MANY_NANOS = TimeUnit.MINUTES.toNanos(1);
    /** With more series, none waits for a second scraper. */
    static final int MANY_SERIES = 1_000;

    private static final int LINGER_SCRAPES = 2;
    private static final String SESSION_LABEL = "session";
    private static final String LANE_LABEL = "lane";
    private static final String KEY_LABEL = "key";
    /**
     * The limit for each meter: a peer could report different cores every second, and keeping all would exhaust the
     * heap.
     */
    static final int MAX_SERIES = 1 << 16;

    private final Set<Meter.MeterKind> kinds;
    private final boolean scraped;
    private final Function<Series, T> show;
    private final Consumer<T> hide;
    private final Map<Meter, Map<List<String>, Series>> all = new EnumMap<>(Meter.class);
    private final AtomicLong scrapes = new AtomicLong();
    private int size;
    private long updates;

    /**
     * The last value of a figure. A counter of a session, key or cause is 0 in its first scrape: without a first value,
     * Prometheus would leave out all that was counted before that scrape.
     */
    public final class Series {
        private final Meter meter;
        private final List<String> labels;
        private final boolean beginsAtZero;
        private final long scrapesBefore = scrapes.get();
        private final T shown;
        private volatile double last;
        private long update;
        private long seenNanos;
        private long scrapesThen;
        private long scrapesAtChange = scrapesBefore;

        private Series(Meter meter, List<String> labels) {
            this.meter = meter;
            this.labels = labels;
            this.beginsAtZero = scraped
                    && meter.kind() == Meter.MeterKind.COUNTER
                    && (meter.labels().contains(SESSION_LABEL)
                            || meter.labels().contains(KEY_LABEL)
                            || meter == Meter.SESSIONS_FAILED);
            this.shown = show.apply(this);
        }

        public Meter meter() {
            return meter;
        }

        public List<String> labels() {
            return labels;
        }

        public T shown() {
            return shown;
        }

        /** Any thread. */
        public double value() {
            return beginsAtZero && scrapes.get() <= scrapesBefore + 1 ? 0 : last;
        }
    }

    /**
     * @param kinds of meters to keep; others are left out
     * @param scraped whether {@link #onScrape} is called before each export
     * @param show makes what the exporter keeps of a new series
     * @param hide is called when the series is removed
     */
    public SeriesTable(Set<Meter.MeterKind> kinds, boolean scraped, Function<Series, T> show, Consumer<T> hide) {
        this.kinds = Set.copyOf(kinds);
        this.scraped = scraped;
        this.show = show;
        this.hide = hide;
    }

    /** All values are about to be scraped. Any thread. */
    public void onScrape() {
        scrapes.incrementAndGet();
    }

    public void update(List<Figure> figures, long nowNanos) {
        updates++;
        long seenScrapes = scrapes.get();
        for (Figure figure : figures) {
            if (!kinds.contains(figure.meter().kind())) {
                continue;
            }
            Series series = series(figure.meter(), figure.labels());
            if (series == null) {
                continue;
            }
            if (series.last != figure.value()) {
                series.scrapesAtChange = seenScrapes;
            }
            series.last = figure.value();
            series.update = updates;
            series.seenNanos = nowNanos;
            series.scrapesThen = seenScrapes;
        }
        boolean many = size > MANY_SERIES;
        for (Map<List<String>, Series> ofMeter : all.values()) {
            ofMeter.values().removeIf(series -> {
                boolean stale = series.update != updates
                        && (isStale(series, nowNanos, seenScrapes)
                                || (many && isStaleAmongMany(series, nowNanos, seenScrapes)));
                if (stale) {
                    hide.accept(series.shown);
                    size--;
                }
                return stale;
            });
        }
    }

    /**
     * Returns null if the meter has the maximum number of series; the new one is added after others have been removed.
     */
    private @Nullable Series series(Meter meter, List<String> labels) {
        Map<List<String>, Series> ofMeter = all.computeIfAbsent(meter, each -> new LinkedHashMap<>());
        Series known = ofMeter.get(labels);
        if (known != null || ofMeter.size() >= MAX_SERIES) {
            return known;
        }
        Series made = new Series(meter, labels);
        ofMeter.put(labels, made);
        size++;
        return made;
    }

    private boolean isStaleAmongMany(Series series, long nowNanos, long scrapesNow) {
        List<String> labels = series.meter.labels();
        boolean ofSession = labels.contains(SESSION_LABEL) && !labels.contains(LANE_LABEL);
        return nowNanos - series.seenNanos >= LINGER_AMONG_MANY_NANOS
                || (ofSession && scrapesNow - series.scrapesAtChange >= LINGER_SCRAPES);
    }

    private boolean isStale(Series series, long nowNanos, long scrapesNow) {
        long absent = nowNanos - series.seenNanos;
        return absent >= LINGER_WITHOUT_SCRAPES_NANOS
                || (absent >= LINGER_NANOS && scrapesNow - series.scrapesThen >= LINGER_SCRAPES);
    }

    /** Returns the series of a meter, the oldest first. */
    public Collection<Series> of(Meter meter) {
        Map<List<String>, Series> ofMeter = all.get(meter);
        return ofMeter == null ? List.of() : ofMeter.values();
    }

    public int size() {
        return size;
    }
}
