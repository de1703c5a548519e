package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.fdt.core.Json;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The dashboards, rules and alerts, queried through Debian's Prometheus. */
@Tag("dashboards")
final class DashboardsTest {
    private static final List<String> DASHBOARDS = List.of("home", "host", "transfers", "network-tests");

    @RegisterExtension
    final Workplace work = new Workplace();

    @Test
    void everyExpressionHasDataOnAHostThatHasEverything() {
        try (RecordedMetrics metrics = new RecordedMetrics()) {
            Prometheus prometheus = Prometheus.start(work, List.of(metrics.target()));
            DashboardQueries queries = DashboardQueries.read(prometheus);
            assertThat(queries.expressions()).hasSizeGreaterThan(60);

            assertThat(queries.withoutData(prometheus, Workplace.LIMIT, expression -> false))
                    .isEmpty();
            Set<String> unknown = new TreeSet<>(queries.labels());
            unknown.removeAll(prometheus.labels());
            assertThat(unknown).as("labels that no metric has").isEmpty();
        }
    }

    /**
     * Two processes of one host, one process of another host, and one that has ended and whose counters therefore
     * stopped.
     */
    @Test
    void aHostIsCountedOnceAndOneThatIsGoneNotAtAll() {
        try (RecordedMetrics server = new RecordedMetrics("dtn1", 1);
                RecordedMetrics client = new RecordedMetrics("dtn1", 1);
                RecordedMetrics other = new RecordedMetrics("dtn2", 1);
                RecordedMetrics gone = new RecordedMetrics("dtn3", 0)) {
            Prometheus prometheus =
                    Prometheus.start(work, List.of(server.target(), client.target(), other.target(), gone.target()));
            DashboardQueries queries = DashboardQueries.read(prometheus);
            Map<String, String> expressions = queries.expressions();
            queries.withoutData(prometheus, Workplace.LIMIT, expression -> false);

            String cores = expressions.get("host.json: Cores of $host now A");
            Await.until(
                    "every core of the two hosts that live",
                    Workplace.LIMIT,
                    () -> prometheus.query(cores).size() == 2 * RecordedMetrics.CORES);
            assertThat(prometheus.query("count by (host) (" + cores + ")")).hasSize(2);
            assertThat(value(prometheus, "max(" + cores + ")")).isBetween(0.18, 0.21);
            assertThat(value(prometheus, expressions.get("host.json: Busy A") + " > 0"))
                    .isBetween(0.18, 0.21);
            assertThat(value(prometheus, expressions.get("rule host_cpu:fdt_host_cpu_busy:rate20s") + " > 0"))
                    .isBetween(0.18, 0.21);
            String traffic = "sum(" + expressions.get("host.json: Traffic A") + ")";
            Await.until(
                    "a NIC of each of two hosts, once the window of the rate is full",
                    Workplace.LIMIT,
                    () -> Math.abs(value(prometheus, traffic) - 2 * 8 * 5e9) < 8e9);
            assertThat(value(
                            prometheus,
                            "max(sum by (host) (" + expressions.get("host.json: What the cores of $host do A") + "))"))
                    .isLessThan(1);
            assertThat(prometheus.query(expressions.get("transfers.json: Bottleneck A")))
                    .as("the session of that name of each process")
                    .hasSize(4 * 2);
        }
    }

    @Test
    void aHostWithAServerThatIsDownIsNotUp() {
        try (RecordedMetrics server = new RecordedMetrics("dtn1", 1);
                RecordedMetrics monitor = new RecordedMetrics("dtn1", 1)) {
            Prometheus prometheus = Prometheus.start(work, List.of(server.target(), monitor.target()));
            Map<String, String> expressions = DashboardQueries.read(prometheus).expressions();
            String state = expressions.get("home.json: Hosts A");
            Await.until(
                    "both processes",
                    Workplace.LIMIT,
                    () -> prometheus.query("fdt_build_info").size() == 2);
            assertThat(value(prometheus, state)).isPositive();
            server.stop();
            Await.until("that it is down", Workplace.LIMIT, () -> value(prometheus, state) == 0);
            assertThat(value(prometheus, expressions.get("home.json: Hosts up A")))
                    .as("hosts with one that is up")
                    .isEqualTo(1);
        }
    }

    @Test
    void aTestThatReceivedIsInTheCellOfItsDataAndAFirstCopyIsMarked() {
        try (RecordedMetrics metrics = new RecordedMetrics()) {
            Prometheus prometheus = Prometheus.start(work, List.of(metrics.target()));
            Map<String, String> expressions = DashboardQueries.read(prometheus).expressions();
            Await.until(
                    "results",
                    Workplace.LIMIT,
                    () -> !prometheus.query("fdt_nettest_bytes_per_second").isEmpty());
            for (String matrix : List.of("Rate", "Loss")) {
                String cells = expressions.get("network-tests.json: " + matrix + " from each host to each A");
                assertThat(labels(prometheus, cells))
                        .contains("{source=dtn4, destination=dtn3}", "{source=dtn1, destination=dtn2}")
                        .doesNotContain("{source=dtn3, destination=dtn4}");
            }
            String rate = expressions.get("network-tests.json: Rate from each host to each A");
            // The path with a failed test also has one of rpc, whose messages make a higher rate.
            assertThat(value(prometheus, "(" + rate + ") and on (source, destination) fdt_nettest_exit_code"))
                    .isEqualTo(8 * 1.2e10);
            assertThat(labels(prometheus, expressions.get("network-tests.json: annotation Copies")))
                    .contains("{source=dtn3, destination=dtn4}");
        }
    }

    /** A gateway keeps the result of a test for ever. */
    @Test
    void aTestThatStoppedDrawsNoLine() {
        try (RecordedMetrics metrics = new RecordedMetrics()) {
            Prometheus prometheus = Prometheus.start(work, List.of(metrics.target()));
            Map<String, String> expressions = DashboardQueries.read(prometheus).expressions();
            String line = expressions.get("network-tests.json: Throughput over time A");
            Await.until(
                    "results",
                    Workplace.LIMIT,
                    () -> labels(prometheus, line).contains("{source=dtn1, destination=dtn2}"));
            assertThat(labels(prometheus, line)).doesNotContain("{source=dtn5, destination=dtn6}");
            assertThat(labels(prometheus, expressions.get("network-tests.json: Throughput of the last tests A")))
                    .contains("{source=dtn5, destination=dtn6}");
        }
    }

    /** The time between two samples is not that between two scrapes. Here it is twice as long. */
    @Test
    void aShareIsOfTheTimeBetweenSamples() {
        try (RecordedMetrics metrics = new RecordedMetrics("dtn1", 2)) {
            Prometheus prometheus = Prometheus.start(work, List.of(metrics.target()));
            Map<String, String> expressions = DashboardQueries.read(prometheus).expressions();
            for (String panel : List.of("Pressure", "Waiting for a core", "Disk busy")) {
                String expression = expressions.get("host.json: " + panel + " A");
                Await.until(
                        panel,
                        Workplace.LIMIT,
                        () -> !prometheus.query(expression).isEmpty());
                // The recorded modes of a core add up to 1.02.
                assertThat(value(prometheus, expression))
                        .as(panel)
                        .isCloseTo((panel.equals("Disk busy") ? 0.5 : 0.01) / 1.02, within(1e-3));
            }
        }
    }

    @Test
    void rowsOfLanesAreSortedBySessionThenByNumber() {
        try (RecordedMetrics metrics = new RecordedMetrics()) {
            Prometheus prometheus = Prometheus.start(work, List.of(metrics.target()));
            Map<String, String> expressions = DashboardQueries.read(prometheus).expressions();
            for (String panel : List.of("sending", "receiving")) {
                String expression = expressions.get("transfers.json: Lanes by time: " + panel + " A");
                Await.until(
                        panel,
                        Workplace.LIMIT,
                        () -> !prometheus.query(expression).isEmpty());
                List<String> rows = prometheus.query(expression).stream()
                        .map(one -> (String) ((Map<?, ?>) ((Map<?, ?>) one).get("metric")).get("row"))
                        .sorted()
                        .map(row -> row.replaceFirst("^dtn1 (s[12]) .* 0*([0-9]+)$", "$1 $2"))
                        .toList();
                assertThat(rows)
                        .isEqualTo(Stream.of("s1", "s2")
                                .flatMap(session -> IntStream.range(0, RecordedMetrics.LANES)
                                        .mapToObj(lane -> session + " " + lane))
                                .toList());
            }
        }
    }

    /**
     * Nothing moves on this host, so shares of what moves are shares of nothing. A quantile of nothing is in a table,
     * which shows it as an empty cell.
     */
    @Test
    void noGraphHasSharesOfNothing() {
        try (RecordedMetrics metrics = new RecordedMetrics("dtn1", 0)) {
            Prometheus prometheus = Prometheus.start(work, List.of(metrics.target()));
            Map<String, String> expressions = DashboardQueries.read(prometheus).expressions();
            Await.until(
                    "rates",
                    Workplace.LIMIT,
                    () -> !prometheus
                            .query("rate(fdt_session_stage_seconds_total[10s])")
                            .isEmpty());
            expressions.forEach((place, expression) -> {
                if (!expression.contains("histogram_quantile")) {
                    assertThat(prometheus.query(expression).toString())
                            .as("%s: %s", place, expression)
                            .doesNotContain("NaN");
                }
            });
        }
    }

    /** Returns the source and the destination of each series. */
    private static List<String> labels(Prometheus prometheus, String expression) {
        List<String> found = new ArrayList<>();
        for (Object one : prometheus.query(expression)) {
            Map<?, ?> metric = (Map<?, ?>) ((Map<?, ?>) one).get("metric");
            found.add("{source=" + metric.get("source") + ", destination=" + metric.get("destination") + "}");
        }
        return found;
    }

    /** Returns the value of the first series. */
    private static double value(Prometheus prometheus, String expression) {
        Map<?, ?> series = (Map<?, ?>) prometheus.query(expression).get(0);
        return Double.parseDouble((String) ((List<?>) series.get("value")).get(1));
    }

    @Test
    void aFailedListingIsNoFailedCopy() {
        try (RecordedMetrics metrics = new RecordedMetrics()) {
            Prometheus prometheus = Prometheus.start(work, List.of(metrics.target()));
            Map<String, String> expressions = DashboardQueries.read(prometheus).expressions();
            String all = "sum(rate(fdt_sessions_total{outcome=~\"failed|partial\"}[5m]))";
            String copies = expressions.get("transfers.json: Failed copies A").replace("increase(", "rate(");
            Await.until(
                    "the rates of copies and of listings",
                    Workplace.LIMIT,
                    () -> !prometheus.query(all).isEmpty() && value(prometheus, all) > 0);
            assertThat(value(prometheus, "(" + copies + ") / (" + all + ")")).isCloseTo(0.5, within(1e-3));
            assertThat(labels(prometheus, expressions.get("transfers.json: annotation Failed copies")))
                    .as("those of two sessions")
                    .hasSize(2);
        }
    }

    @Test
    void namesNoMetricThatIsNotExported() {
        try (RecordedMetrics metrics = new RecordedMetrics()) {
            Prometheus prometheus = Prometheus.start(work, List.of(metrics.target()));
            Set<String> unknown =
                    new TreeSet<>(DashboardQueries.read(prometheus).metrics());
            unknown.removeIf(RecordedMetrics.names()::contains);
            prometheus.rules().forEach(rule -> unknown.remove(rule.name()));
            assertThat(unknown).isEmpty();
        }
    }

    @Test
    void rulesAndConfigurationAreValidAndEachAlertFiresWhenItShould() {
        Path prometheus = Prometheus.dashboards().resolve("prometheus");
        assertThat(Shell.ok("promtool", "check", "config", prometheus.resolve("prometheus.yml")))
                .contains("SUCCESS");
        assertThat(Shell.ok(
                        "promtool",
                        "test",
                        "rules",
                        prometheus.resolve("alerts-test.yml"),
                        prometheus.resolve("alerts-slow-test.yml")))
                .contains("SUCCESS")
                .doesNotContain("FAILED");
    }

    @Test
    void namesAndHelpTextsPassTheLinterOfPrometheus() throws IOException {
        FdtServer server = work.server("--monitor", "127.0.0.1:0");
        String url = MonitorReplayTest.monitorUrl(server.process());
        String page = Browser.get(URI.create(url + "metrics"))
                .lines()
                .filter(line -> line.matches("(# (HELP|TYPE) )?(fdt|process)_.*"))
                .collect(Collectors.joining("\n", "", "\n"));
        assertThat(page).contains("fdt_sessions_total{", "fdt_build_info{");
        assertNothingToLint(page);
    }

    /** All metrics, of which one process has only some. */
    @Test
    void everyDocumentedMetricPassesTheLinterOfPrometheus() throws IOException {
        Pattern row = Pattern.compile("\\| `(\\w+)` \\| (\\w+)[^|]*\\|[^|]*\\| (.+) \\|");
        String page = Files.readAllLines(Prometheus.dashboards().resolveSibling("docs/metrics.md")).stream()
                .map(row::matcher)
                .filter(Matcher::matches)
                .map(metric -> "# HELP " + metric.group(1) + " " + metric.group(3) + "\n# TYPE " + metric.group(1) + " "
                        + metric.group(2).replace("info", "gauge") + "\n" + sample(metric.group(1), metric.group(2)))
                .collect(Collectors.joining());
        assertThat(page).contains("# TYPE fdt_session_stage_seconds_total counter\n");
        assertNothingToLint(page);
    }

    private static String sample(String name, String kind) {
        return kind.equals("histogram")
                ? name + "_bucket{le=\"+Inf\"} 1\n" + name + "_sum 1\n" + name + "_count 1\n"
                : name + " 1\n";
    }

    private void assertNothingToLint(String page) throws IOException {
        Path metrics = Files.writeString(work.path("metrics"), page);
        Shell.Result linted = Shell.run("sh", "-c", "promtool check metrics <" + metrics);
        assertThat(linted.out() + linted.err()).isEmpty();
        assertThat(linted.exitCode()).isZero();
    }

    /** A panel whose legend is hidden by its display mode is blank in Grafana 12. */
    @Test
    void everyPanelHasALegendThatGrafanaKnows() throws IOException {
        int legends = 0;
        for (String name : DASHBOARDS) {
            String json = Files.readString(Prometheus.dashboards().resolve("grafana/" + name + ".json"));
            for (Map<?, ?> panel : panels(Json.object(json))) {
                Map<?, ?> legend = (Map<?, ?>) ((Map<?, ?>) panel.get("options")).get("legend");
                if (legend != null && !panel.get("type").equals("heatmap")) {
                    legends++;
                    assertThat(legend.get("displayMode"))
                            .as("%s: %s", name, panel.get("title"))
                            .isIn("list", "table");
                    assertThat(legend.get("showLegend")).isInstanceOf(Boolean.class);
                    assertThat(legend.get("placement")).isIn("bottom", "right");
                    if (legend.get("displayMode").equals("table")) {
                        // On one time axis, what has ended has no last value, and so comes last.
                        assertThat(panel.get("transformations").toString()).contains("joinByField");
                        assertThat(((List<?>) legend.get("calcs")).contains("last"))
                                .isTrue();
                        assertThat(legend.get("sortBy")).isEqualTo("Last");
                        assertThat(legend.get("sortDesc")).isEqualTo(true);
                    }
                }
            }
        }
        assertThat(legends).isGreaterThan(20);
    }

    /** A name of several labels beside its bar would be cut. */
    @Test
    void longNamesAreAboveTheirBars() throws IOException {
        int bars = 0;
        for (String name : DASHBOARDS) {
            String json = Files.readString(Prometheus.dashboards().resolve("grafana/" + name + ".json"));
            for (Map<?, ?> panel : panels(Json.object(json))) {
                if (panel.get("type").equals("bargauge")
                        && panel.get("fieldConfig").toString().split("__field[.]labels", -1).length > 3) {
                    bars++;
                    assertThat(((Map<?, ?>) panel.get("options")).get("namePlacement"))
                            .as("%s: %s", name, panel.get("title"))
                            .isEqualTo("top");
                }
            }
        }
        assertThat(bars).isPositive();
    }

    /** Every query of a panel or of marks runs every five seconds, for each viewer. */
    @Test
    void aDashboardThatIsOpenedAsksForFewSeries() throws IOException {
        for (String name : DASHBOARDS) {
            String json = Files.readString(Prometheus.dashboards().resolve("grafana/" + name + ".json"));
            int queries = annotations(json).size();
            for (Object one : (List<?>) Json.object(json).get("panels")) {
                if (((Map<?, ?>) one).get("targets") instanceof List<?> targets) {
                    queries += targets.size();
                }
            }
            assertThat(queries).as(name).isLessThanOrEqualTo(name.equals("host") ? 25 : 35);
        }
    }

    /** In a short time, Grafana cuts a word to its first letters. */
    @Test
    void wordsOfATimelineAreInItsLegend() throws IOException {
        int timelines = 0;
        for (String name : DASHBOARDS) {
            String json = Files.readString(Prometheus.dashboards().resolve("grafana/" + name + ".json"));
            for (Map<?, ?> panel : panels(Json.object(json))) {
                if (panel.get("type").equals("state-timeline")) {
                    timelines++;
                    Map<?, ?> options = (Map<?, ?>) panel.get("options");
                    assertThat(options.get("showValue")).isEqualTo("never");
                    assertThat(((Map<?, ?>) options.get("legend")).get("showLegend"))
                            .isEqualTo(true);
                }
            }
        }
        assertThat(timelines).isEqualTo(2);
    }

    /** One text serves both, unless the columns have their own. */
    @Test
    void aCellWithoutAValueDoesNotSayWhatThePanelWithoutDataSays() throws IOException {
        int tables = 0;
        for (String name : DASHBOARDS) {
            String json = Files.readString(Prometheus.dashboards().resolve("grafana/" + name + ".json"));
            for (Map<?, ?> panel : panels(Json.object(json))) {
                Map<?, ?> config = (Map<?, ?>) panel.get("fieldConfig");
                boolean matrix = String.valueOf(panel.get("transformations")).contains("groupingToMatrix");
                if (panel.get("type").equals("table")
                        && !matrix
                        && ((Map<?, ?>) config.get("defaults")).containsKey("noValue")) {
                    tables++;
                    assertThat(((List<?>) config.get("overrides")).get(0).toString())
                            .as("%s: %s", name, panel.get("title"))
                            .contains("options=.*", "id=mappings", "match=null+nan", "match=empty");
                }
            }
        }
        assertThat(tables).isGreaterThan(3);
    }

    /** Grafana's scale of a heat map whose cells are all filtered out ends at minus infinity. */
    @Test
    void aHeatMapThatMayBeEmptyKeepsItsZeros() throws IOException {
        int maps = 0;
        for (String name : DASHBOARDS) {
            String json = Files.readString(Prometheus.dashboards().resolve("grafana/" + name + ".json"));
            for (Map<?, ?> panel : panels(Json.object(json))) {
                if (panel.get("type").equals("heatmap")
                        && panel.get("targets").toString().contains("absent_over_time")) {
                    maps++;
                    Map<?, ?> filter = (Map<?, ?>) ((Map<?, ?>) panel.get("options")).get("filterValues");
                    assertThat(((Number) filter.get("le")).doubleValue()).isNegative();
                }
            }
        }
        assertThat(maps).isEqualTo(3);
    }

    /** On a dark page, the low end of a scheme of one colour is dark, strong colour: 1 % looks like 100 %. */
    @Test
    void littleLooksLikeLittleOnAHeatMap() throws IOException {
        for (String name : List.of("host", "transfers")) {
            String json = Files.readString(Prometheus.dashboards().resolve("grafana/" + name + ".json"));
            for (Map<?, ?> panel : panels(Json.object(json))) {
                if (panel.get("type").equals("heatmap")) {
                    Map<?, ?> color = (Map<?, ?>) ((Map<?, ?>) panel.get("options")).get("color");
                    assertThat(color.get("mode").equals("opacity")
                                    || color.get("scheme").equals("RdYlGn"))
                            .as("%s: %s", name, panel.get("title"))
                            .isTrue();
                }
            }
        }
    }

    @Test
    void failuresAreMarkedOnEveryDashboardAndCopiesWhereTheyAreFew() throws IOException {
        for (String name : DASHBOARDS) {
            String json = Files.readString(Prometheus.dashboards().resolve("grafana/" + name + ".json"));
            List<String> marks = new ArrayList<>();
            for (Object one : annotations(json)) {
                Map<?, ?> mark = (Map<?, ?>) one;
                marks.add((String) mark.get("name"));
                assertThat(mark.get("enable"))
                        .as("a busy hour would cover the graphs")
                        .isEqualTo(false);
                assertThat(mark.get("useValueForTime"))
                        .as("points, not periods")
                        .isEqualTo(true);
                assertThat(((Map<?, ?>) mark.get("target")).get("expr")).isEqualTo(mark.get("expr"));
            }
            // Home shows a day of all hosts, and copies have a series each.
            assertThat(marks).as(name).hasSize(name.equals("home") ? 1 : 2).contains("Failed copies");
            assertThat(marks.contains("Copies")).as(name).isEqualTo(!name.equals("home"));
        }
    }

    private static List<?> annotations(String json) {
        return (List<?>) ((Map<?, ?>) Json.object(json).get("annotations")).get("list");
    }

    @Test
    void linksOfARowNameColumnsOfItsTable() throws IOException {
        List<String> links = new ArrayList<>();
        for (String name : DASHBOARDS) {
            String json = Files.readString(Prometheus.dashboards().resolve("grafana/" + name + ".json"));
            Map<String, Object> dashboard = Json.object(json);
            for (Map<?, ?> panel : panels(dashboard)) {
                for (String link : links(panel)) {
                    links.add(panel.get("title") + ": " + link);
                    Matcher column = Pattern.compile("__data[.]fields[.](\\w+)").matcher(link);
                    assertThat(column.find()).as(link).isTrue();
                    assertThat(String.valueOf(panel.get("transformations"))).contains(column.group(1) + "=");
                }
            }
        }
        assertThat(links)
                .contains("Sessions: http://${__data.fields.instance}/")
                .anyMatch(link -> link.startsWith("Sessions: /explore?left=")
                        && Json.object(link.substring(link.indexOf('=') + 1))
                                .get("datasource")
                                .equals("${logs}"));
    }

    /** Returns the decoded links of the columns of a panel. */
    private static List<String> links(Map<?, ?> panel) {
        List<String> links = new ArrayList<>();
        for (Object one : (List<?>) ((Map<?, ?>) panel.get("fieldConfig")).get("overrides")) {
            for (Object other : (List<?>) ((Map<?, ?>) one).get("properties")) {
                Map<?, ?> property = (Map<?, ?>) other;
                if (property.get("id").equals("links")) {
                    Map<?, ?> link = (Map<?, ?>) ((List<?>) property.get("value")).get(0);
                    links.add(URLDecoder.decode((String) link.get("url"), StandardCharsets.UTF_8));
                }
            }
        }
        return links;
    }

    /** Returns all panels with options, including those of collapsed rows. */
    private static List<Map<?, ?>> panels(Map<?, ?> dashboard) {
        List<Map<?, ?>> all = new ArrayList<>();
        for (Object one : (List<?>) dashboard.get("panels")) {
            Map<?, ?> panel = (Map<?, ?>) one;
            if (panel.get("type").equals("row")) {
                all.addAll(panels(panel));
            } else {
                all.add(panel);
            }
        }
        return all;
    }

    @Test
    void theFilesAreWhatTheirDescriptionWrites() {
        Shell.ok(Prometheus.dashboards().resolveSibling("scripts/dashboards"), "--check");
    }
}
