package io.fdt.system;

import io.fdt.core.Json;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * All expressions of the dashboards, rules and alerts, ready to be queried, keyed by the place where each was found.
 */
final class DashboardQueries {
    private static final Pattern LABEL_VALUES = Pattern.compile("label_values\\((.*), (\\w+)\\)");
    private static final Pattern LAST_COMPARISON = Pattern.compile(" (==|>|<) ([0-9.e+]+)$");
    private static final Pattern METRIC = Pattern.compile("(?:[a-z_]+:)?fdt_[a-z_]+(?::[a-z0-9_]+)?");
    private static final Pattern GROUPING =
            Pattern.compile("\\b(?:by|on|ignoring|without|group_left) ?\\(([^)]*)\\)|\\{\\{(\\w+)\\}\\}");

    /** The arguments of label_replace and label_join, among them the labels that they make. */
    private static final Pattern MADE = Pattern.compile(", \"(\\w+)\"(?=, \")");

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(200);

    private final Map<String, String> expressions = new LinkedHashMap<>();
    private final Set<String> labels = new TreeSet<>();

    private DashboardQueries() {}

    /** Reads the dashboards from the repository, and the rules as Prometheus has parsed them. */
    static DashboardQueries read(Prometheus prometheus) {
        DashboardQueries queries = new DashboardQueries();
        try (Stream<Path> files = Files.list(Prometheus.dashboards().resolve("grafana"))) {
            for (Path file : files.filter(file -> file.toString().endsWith(".json"))
                    .sorted()
                    .toList()) {
                queries.readDashboard(file.getFileName().toString(), Json.object(Files.readString(file)));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        for (Prometheus.Rule rule : prometheus.rules()) {
            // A comparison without bool drops series for which it is false, so an alert of a healthy system would be
            // empty.
            String expression = rule.alert()
                    ? LAST_COMPARISON.matcher(rule.expression()).replaceFirst(" $1 bool $2")
                    : rule.expression();
            queries.add((rule.alert() ? "alert " : "rule ") + rule.name(), expression);
        }
        return queries;
    }

    private void readDashboard(String file, Map<String, Object> dashboard) {
        readPanels(file, (List<?>) dashboard.get("panels"));
        Map<?, ?> annotations = (Map<?, ?>) dashboard.get("annotations");
        for (Object entry : (List<?>) annotations.get("list")) {
            Map<?, ?> annotation = (Map<?, ?>) entry;
            add(file + ": annotation " + annotation.get("name"), (String) annotation.get("expr"));
            noteLabels((String) annotation.get("titleFormat"));
            noteLabels((String) annotation.get("textFormat"));
        }
        Map<?, ?> templating = (Map<?, ?>) dashboard.get("templating");
        for (Object entry : (List<?>) templating.get("list")) {
            Map<?, ?> variable = (Map<?, ?>) entry;
            if (variable.get("definition") instanceof String definition) {
                Matcher matcher = LABEL_VALUES.matcher(definition);
                if (!matcher.matches()) {
                    throw new AssertionError(file + " has a variable of another kind: " + definition);
                }
                add(
                        file + ": variable " + variable.get("name"),
                        "count by (" + matcher.group(2) + ") (" + matcher.group(1) + ")");
            }
        }
    }

    /** Reads the expressions of all panels. The panels of a collapsed row are nested in it. */
    private void readPanels(String file, List<?> panels) {
        for (Object entry : panels) {
            Map<?, ?> panel = (Map<?, ?>) entry;
            if (panel.get("panels") instanceof List<?> folded) {
                readPanels(file, folded);
            }
            if (panel.get("targets") instanceof List<?> targets) {
                for (Object target : targets) {
                    Map<?, ?> fields = (Map<?, ?>) target;
                    add(file + ": " + panel.get("title") + " " + fields.get("refId"), (String) fields.get("expr"));
                    noteLabels((String) fields.get("legendFormat"));
                }
            }
        }
    }

    private void add(String place, String expression) {
        String ready = expression
                .replace("$__rate_interval", "10s")
                .replace("[$__range]", "[5m]")
                .replace("[$__range:", "[5m:")
                // Removes the fallback that a panel shows if there is no data.
                .replaceFirst(" or on \\(\\) .*", "")
                .replaceAll("\\$(job|host|session|cpu|source|destination)\\b", ".*");
        if (ready.replaceAll("\"0?[$]1\"", "").contains("$")) {
            throw new AssertionError(place + " has a macro that the test does not know: " + expression);
        }
        if (expressions.put(place, ready) != null) {
            throw new AssertionError("two expressions are called " + place);
        }
        noteLabels(expression);
    }

    private void noteLabels(String text) {
        Matcher matcher = GROUPING.matcher(text);
        while (matcher.find()) {
            String names = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
            Stream.of(names.split(","))
                    .map(String::strip)
                    .filter(name -> !name.isEmpty())
                    .forEach(labels::add);
        }
    }

    Map<String, String> expressions() {
        return expressions;
    }

    /** The fdt metrics in the expressions, including those that recording rules define. */
    Set<String> metrics() {
        Set<String> names = new TreeSet<>();
        for (String expression : expressions.values()) {
            Matcher matcher = METRIC.matcher(expression);
            while (matcher.find()) {
                names.add(matcher.group());
            }
        }
        return names;
    }

    /** The labels that the expressions group by and the legends show, without those that expressions make. */
    Set<String> labels() {
        Set<String> read = new TreeSet<>(labels);
        for (String expression : expressions.values()) {
            Matcher matcher = MADE.matcher(expression);
            while (matcher.find()) {
                read.remove(matcher.group(1));
            }
        }
        return read;
    }

    /**
     * Waits until all expressions have data, and returns those that have none at the end of the limit. Does not wait
     * for expressions that may be empty.
     */
    List<String> withoutData(Prometheus prometheus, Duration limit, Predicate<String> mayBeEmpty) {
        Map<String, String> open = new LinkedHashMap<>(expressions);
        open.values().removeIf(mayBeEmpty);
        Await.holdsWithin(limit, () -> {
            open.values().removeIf(expression -> !prometheus.query(expression).isEmpty());
            if (!open.isEmpty()) {
                Await.pass(BETWEEN_LOOKS);
            }
            return open.isEmpty();
        });
        List<String> empty = new ArrayList<>();
        open.forEach((place, expression) -> empty.add(place + ": " + expression));
        return empty;
    }
}
