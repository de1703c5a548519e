package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import io.fdt.system.DashboardPage.Panel;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The panels of all dashboards, drawn from a Prometheus that scrapes a host that has everything. */
@Tag("dashboards")
final class DashboardPanelsTest {
    private static final Duration RANGE = Duration.ofMinutes(1);

    @RegisterExtension
    final Workplace work = new Workplace();

    @Test
    void everyPanelWithDataShowsPixelsOfItsSeries() throws IOException {
        try (RecordedMetrics metrics = new RecordedMetrics()) {
            Prometheus prometheus = Prometheus.start(work, List.of(metrics.target()));
            assertThat(DashboardQueries.read(prometheus).withoutData(prometheus, Workplace.LIMIT, expression -> false))
                    .isEmpty();
            DashboardPage page = DashboardPage.of(work, prometheus);
            Set<String> drawn = new TreeSet<>();
            for (String name : DashboardPage.DASHBOARDS) {
                page.open(name, RANGE);
                assertThat(page.blank()).as("blank panels of %s", name).isEmpty();
                for (Panel panel : page.panels()) {
                    assertThat(panel.rows()).as("%s: %s", name, panel.title()).isPositive();
                    if (panel.isDrawn()) {
                        drawn.add(name + ": " + panel.title());
                    }
                }
            }
            assertThat(drawn).hasSizeGreaterThan(40);
        }
    }

    /** The sessions that have ended were faster. */
    @Test
    void aLegendLeadsWithTheSessionsThatRun() throws IOException {
        try (RecordedMetrics running = new RecordedMetrics();
                RecordedMetrics ended = new RecordedMetrics("dtn1", 5)) {
            Prometheus prometheus = Prometheus.start(work, List.of(running.target(), ended.target()));
            String rates = "rate(fdt_session_bytes_total{instance=\"" + ended.target() + "\"}[10s])";
            Await.until(
                    "the sessions",
                    Workplace.LIMIT,
                    () -> !prometheus.query(rates).isEmpty());
            ended.stop();
            Await.until(
                    "their end", Workplace.LIMIT, () -> prometheus.query(rates).isEmpty());
            DashboardPage page = DashboardPage.of(work, prometheus);
            page.open("transfers", RANGE);
            Await.until("four rows", Workplace.LIMIT, () -> legend(page).size() == 4);
            assertThat(String.join("\n", legend(page)))
                    .matches("(?s)(?:[^\n]*" + running.target() + "[^\n]*\n){2}(?:[^\n]*" + ended.target()
                            + "[^\n]*\n?){2}");
        }
    }

    private static List<String> legend(DashboardPage page) {
        return page.panels().stream()
                .filter(panel -> panel.title().equals("Throughput of each session"))
                .findFirst()
                .orElseThrow()
                .legend();
    }
}
