package io.fdt.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.monitor.figure.Meter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The dashboards, rules and alerts use only metrics and labels that {@link Meter} defines. */
final class DashboardNamesTest {
    private static final Pattern METRIC = Pattern.compile("(?<![a-z_:])(fdt_[a-z_]+)(?![a-z_]*:)(?:\\{([^}]*)\\})?");
    private static final Pattern LABEL = Pattern.compile("(\\w+)\\s*(?:=~|!=|!~|=)");

    /** The labels that Prometheus adds, and the label that every series has. */
    private static final Set<String> ADDED_LABELS = Set.of("job", "instance", Meter.HOST_LABEL);

    private static final Map<String, Meter> METERS =
            Arrays.stream(Meter.values()).collect(Collectors.toMap(Meter::exportedName, Function.identity()));

    @Test
    void everyMetricAndLabelOfTheDashboardsIsExported() throws IOException {
        Set<String> unknown = new TreeSet<>();
        Set<Meter> used = new TreeSet<>();
        for (Path file : files()) {
            // Quotes of an expression are escaped in JSON.
            String text = Files.readString(file).replace("\\\"", "\"");
            for (Matcher matcher = METRIC.matcher(text); matcher.find(); ) {
                Meter meter = METERS.get(matcher.group(1));
                if (meter == null) {
                    // Of a histogram.
                    meter = METERS.get(matcher.group(1).replaceFirst("_(bucket|sum|count)$", ""));
                }
                if (meter == null) {
                    unknown.add(file.getFileName() + ": " + matcher.group(1));
                    continue;
                }
                used.add(meter);
                for (String label : labels(matcher.group(2))) {
                    if (!meter.labels().contains(label) && !ADDED_LABELS.contains(label)) {
                        unknown.add(file.getFileName() + ": " + matcher.group(1) + " has no label " + label);
                    }
                }
            }
        }
        assertThat(unknown).isEmpty();
        assertThat(used).as("what the patterns found").hasSizeGreaterThan(30);
    }

    private static List<String> labels(String selectors) {
        return selectors == null
                ? List.of()
                : LABEL.matcher(selectors)
                        .results()
                        .map(match -> match.group(1))
                        .toList();
    }

    /** Returns the files of dashboards, rules and alerts. */
    private static List<Path> files() throws IOException {
        Path dashboards = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(dashboards.resolve("dashboards"))) {
            dashboards = dashboards.getParent();
            assertThat(dashboards).as("a directory above with dashboards").isNotNull();
        }
        try (Stream<Path> files = Files.walk(dashboards.resolve("dashboards"))) {
            List<Path> found = files.filter(file ->
                            file.toString().matches(".*/(grafana/[a-z-]+\\.json|prometheus/(rules|alerts)\\.yml)"))
                    .sorted()
                    .toList();
            assertThat(found).hasSize(6);
            return found;
        }
    }
}
