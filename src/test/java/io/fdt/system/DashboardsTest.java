package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The dashboards, rules and alerts, asked through Debian's Prometheus. */
@Timeout(180)
final class DashboardsTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @RegisterExtension
    final Workplace work = new Workplace();

    @Test
    void everyExpressionHasDataOnAHostThatHasEverything() {
        try (RecordedMetrics metrics = new RecordedMetrics()) {
            Prometheus prometheus = Prometheus.start(work, List.of(metrics.target()));
            DashboardQueries queries = DashboardQueries.read(prometheus);
            assertThat(queries.expressions()).hasSizeGreaterThan(60);

            assertThat(queries.withoutData(prometheus, LIMIT, expression -> false))
                    .isEmpty();
            Set<String> unknown = new TreeSet<>(queries.labels());
            unknown.removeAll(prometheus.labels());
            assertThat(unknown).as("labels that no metric has").isEmpty();
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
        Prometheus.assumeInstalled();
        Path prometheus = Prometheus.dashboards().resolve("prometheus");
        assertThat(Shell.ok("promtool", "check", "config", prometheus.resolve("prometheus.yml")))
                .contains("SUCCESS");
        assertThat(Shell.ok("promtool", "test", "rules", prometheus.resolve("alerts-test.yml")))
                .contains("SUCCESS");
    }

    @Test
    void theFilesAreWhatTheirDescriptionWrites() {
        Shell.ok(Prometheus.dashboards().resolveSibling("scripts/dashboards"), "--check");
    }
}
