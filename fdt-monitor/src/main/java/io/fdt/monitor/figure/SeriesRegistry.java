package io.fdt.monitor.figure;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Updates a Micrometer registry with each sample: it has a series for each figure, which is removed after its figure
 * has been absent for 15 seconds and two scrapes, or for three minutes without scrapes. With over a thousand series it
 * is a minute without scrapes, and those of a session, which is absent only a while after its end, go as soon as two
 * scrapes have had their last values. The registry only reads the last sample's values. Calls of {@link #update} exclude each other; scrapes may come on any thread.
 */
public final class SeriesRegistry implements AutoCloseable {
    private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(15);
    /** So that a scraper that comes each minute sees a short session twice. */
    private static final long LINGER_WITHOUT_SCRAPES_NANOS = TimeUnit.MINUTES.toNanos(3);

    private static final long LINGER_AMONG_MANY_NANOS = TimeUnit.MINUTES.toNanos(1);
    /** With more series, none waits for a second scraper. */
    static final int MANY_SERIES = 1_000;

    private static final int LINGER_SCRAPES = 2;
    private static final String SESSION_LABEL = "session";
    private static final String LANE_LABEL = "lane";
    /**
     * The limit for each meter: a peer could report different cores every second, and keeping all would exhaust the
     * heap.
     */
    static final int MAX_SERIES = 1 << 16;

    private final MeterRegistry registry;
    private final boolean scraped;
    private final Set<Meter.MeterKind> kinds;
    private final Function<Meter, @Nullable String> unit;
    private final Map<Key, Series> all = new HashMap<>();
    private final Map<Meter, Integer> counts = new EnumMap<>(Meter.class);
    private final AtomicLong scrapes = new AtomicLong();
    private final JvmGcMetrics gc = new JvmGcMetrics();
    private long updates;

    private record Key(Meter meter, List<String> labels) {}

    /**
     * A value as exported. A counter of a session or key is 0 in its first scrape: without a first value, Prometheus
     * would leave out all that was counted before that scrape.
     */
    private final class Value {
        private final boolean beginsAtZero;
        private final long scrapesBefore = scrapes.get();
        private volatile double last;

        Value(Meter meter) {
            beginsAtZero = scraped
                    && meter.kind() == Meter.MeterKind.COUNTER
                    && (meter.labels().contains(SESSION_LABEL) || meter == Meter.KEY_SESSIONS);
        }

        double get() {
            return beginsAtZero && scrapes.get() <= scrapesBefore + 1 ? 0 : last;
        }
    }

    /** The last value of a series, and the registry's meter for it. */
    private static final class Series {
        private final io.micrometer.core.instrument.Meter shown;
        private final Value value;
        private long update;
        private long seenNanos;
        private long scrapesThen;
        private long scrapesAtChange;

        Series(io.micrometer.core.instrument.Meter shown, Value value) {
            this.shown = shown;
            this.value = value;
        }
    }

    /**
     * @param kinds of meters to keep; others are left out
     * @param host a label of every series, to distinguish several processes of one host from several hosts
     * @param unit returns the unit to export in addition to the name; null for none
     * @param scraped whether {@link #onScrape} is called before each export
     */
    public SeriesRegistry(
            MeterRegistry registry,
            Set<Meter.MeterKind> kinds,
            String host,
            Function<Meter, @Nullable String> unit,
            boolean scraped) {
        this.registry = registry;
        this.scraped = scraped;
        this.unit = unit;
        registry.config().commonTags(Meter.HOST_LABEL, host);
        this.kinds = Set.copyOf(kinds);
        new JvmMemoryMetrics().bindTo(registry);
        gc.bindTo(registry);
    }

    /** The registry is about to be scraped. Any thread. */
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
            Series series = series(new Key(figure.meter(), figure.labels()));
            if (series == null) {
                continue;
            }
            if (series.value.last != figure.value()) {
                series.scrapesAtChange = seenScrapes;
            }
            series.value.last = figure.value();
            series.update = updates;
            series.seenNanos = nowNanos;
            series.scrapesThen = seenScrapes;
        }
        boolean many = all.size() > MANY_SERIES;
        all.entrySet().removeIf(one -> {
            Series series = one.getValue();
            boolean stale = series.update != updates
                    && (isStale(series, nowNanos, seenScrapes)
                            || (many && isStaleAmongMany(one.getKey().meter(), series, nowNanos, seenScrapes)));
            if (stale) {
                registry.remove(series.shown);
                counts.merge(one.getKey().meter(), -1, Integer::sum);
            }
            return stale;
        });
    }

    /**
     * Returns null if the meter has the maximum number of series; the new one is added after others have been removed.
     */
    private @Nullable Series series(Key key) {
        Series known = all.get(key);
        if (known != null || counts.getOrDefault(key.meter(), 0) >= MAX_SERIES) {
            return known;
        }
        Series made = register(key);
        made.scrapesAtChange = scrapes.get();
        all.put(key, made);
        counts.merge(key.meter(), 1, Integer::sum);
        return made;
    }

    private static boolean isStaleAmongMany(Meter meter, Series series, long nowNanos, long scrapesNow) {
        boolean ofSession =
                meter.labels().contains(SESSION_LABEL) && !meter.labels().contains(LANE_LABEL);
        return nowNanos - series.seenNanos >= LINGER_AMONG_MANY_NANOS
                || (ofSession && scrapesNow - series.scrapesAtChange >= LINGER_SCRAPES);
    }

    private static boolean isStale(Series series, long nowNanos, long scrapesNow) {
        long absent = nowNanos - series.seenNanos;
        return absent >= LINGER_WITHOUT_SCRAPES_NANOS
                || (absent >= LINGER_NANOS && scrapesNow - series.scrapesThen >= LINGER_SCRAPES);
    }

    private Series register(Key key) {
        Value value = new Value(key.meter);
        List<Tag> tags = new ArrayList<>();
        for (int i = 0; i < key.labels.size(); i++) {
            tags.add(Tag.of(key.meter.labels().get(i), key.labels.get(i)));
        }
        String name = key.meter.baseName();
        io.micrometer.core.instrument.Meter shown = key.meter.kind() == Meter.MeterKind.COUNTER
                ? FunctionCounter.builder(name, value, Value::get)
                        .tags(tags)
                        .description(key.meter.help())
                        .baseUnit(unit.apply(key.meter))
                        .register(registry)
                : Gauge.builder(name, value, Value::get)
                        .tags(tags)
                        .description(key.meter.help())
                        .baseUnit(unit.apply(key.meter))
                        .strongReference(true)
                        .register(registry);
        return new Series(shown, value);
    }

    @Override
    public void close() {
        gc.close();
        registry.close();
    }
}
