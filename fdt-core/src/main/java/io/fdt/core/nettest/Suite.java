package io.fdt.core.nettest;

import io.fdt.core.basic.Figures;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.plan.Value;
import java.util.List;
import java.util.Objects;

/**
 * A suite of network tests: its values, both of its sides, and everything that displays say about it. One object
 * without state, which the table of suites lists; nothing else knows it. What displays do with figures follows from
 * their names: see {@link JsonObject}.
 */
public abstract class Suite {
    private final String name;
    private final List<Value<?>> values;
    private final String csvColumns;
    private final List<Plot> plots;

    /**
     * @param name in commands, results and requests to servers
     * @param values of its plans, in the order in which they are shown
     * @param csvColumns separated by commas; they are public: columns may be added, and keep their meaning
     */
    protected Suite(String name, List<Value<?>> values, String csvColumns, List<Plot> plots) {
        this.name = name;
        this.values = values;
        this.csvColumns = csvColumns;
        this.plots = plots;
    }

    public final String name() {
        return name;
    }

    public final List<Value<?>> values() {
        return values;
    }

    protected final String csvColumns() {
        return csvColumns;
    }

    public final List<Plot> plots() {
        return plots;
    }

    // ---- Plans.

    /** Changes the defaults of values that other suites have as well. */
    public NettestPlan withDefaults(NettestPlan plan) {
        return plan;
    }

    /** Changes what depends on the lanes, whose transport the path now contains. */
    public NettestPlan overLanes(NettestPlan plan) {
        return plan;
    }

    /** Throws USAGE if values contradict each other. Both ends check: a server does not trust a request. */
    public void check(NettestPlan plan) {}

    /** Of a message. */
    public int maxSizeBytes() {
        return NettestValue.SIZES.max();
    }

    public int maxDurationMs() {
        return NettestValue.DURATION.max();
    }

    /** Whether its lanes cannot be encrypted. */
    public boolean isClearOnly() {
        return false;
    }

    public boolean writesLog(NettestPlan plan) {
        return false;
    }

    /** Whether each lane carries as many bytes as it can, as a copy does. */
    public boolean isOfStreams() {
        return false;
    }

    public boolean hasHistograms() {
        return false;
    }

    /** After this time, the client stops the lanes; 0 if they end by themselves. */
    public long limitMs(NettestPlan plan) {
        return 0;
    }

    /** Adds a value to the options in a result. */
    public void putOption(NettestPlan plan, Value<?> value, JsonObject into) {
        plan.put(value, into);
    }

    // ---- Sides.

    public abstract SuiteClient client(NettestPlan plan);

    /** The client's sides for several servers at the same time. */
    public SeveralServers severalServers(NettestPlan plan) {
        throw new IllegalStateException(name() + " measures one server");
    }

    /** The server's side, for a plan that was checked. The caller has reserved {@link #serverBytes}. */
    public abstract SuiteSide server(NettestPlan plan, NettestResources resources);

    /** The memory that the server's side allocates, with all of its lanes. */
    public abstract long serverBytes(NettestPlan plan);

    // ---- Displays.

    /** The test in words, before it begins. */
    public abstract String announcement(NettestPlan plan, String peer, String transport);

    /** The figures of the plan that the line {@code start} contains. */
    public abstract JsonObject start(NettestPlan plan);

    /** The lines about a second, without its time. */
    public List<String> lines(JsonObject second, boolean verbose) {
        long of = second.count("of");
        return List.of(Figures.text(
                "%d of %d, size %s: %d%s",
                second.count("round"),
                second.count("rounds"),
                Figures.exactBytes(second.count("size_bytes")),
                second.count("done"),
                of == 0 ? "" : " of " + of));
    }

    /** The text tables, above the lines that all suites share. */
    public abstract List<String> tables(NettestResult result);

    /** The lines below those. */
    public abstract List<String> conclusion(NettestResult result);

    /** The CSV table. */
    public List<String> csv(NettestResult result) {
        return Csv.ofPoints(result, csvColumns);
    }

    /** What distinguishes the points of one curve from those of another, for a legend; empty for nothing. */
    public String curve(JsonObject point) {
        return "";
    }

    /** The direction of the measured bytes, seen from the client: {@code out}, {@code in} or {@code both}. */
    public String direction(NettestPlan plan) {
        return "both";
    }

    /** The figures to compare with later results. */
    public List<NettestResult.Headline> headlines(NettestResult result) {
        return NettestResult.Headline.bySize(result, direction(result.plan()));
    }

    /** Some of the options of a plan, for {@link #start}. */
    public static JsonObject some(NettestPlan plan, String... names) {
        JsonObject options = plan.options();
        JsonObject some = new JsonObject();
        for (String name : names) {
            if (options.has(name)) {
                some.with(name, Objects.requireNonNull(options.values().get(name)));
            }
        }
        return some;
    }
}
