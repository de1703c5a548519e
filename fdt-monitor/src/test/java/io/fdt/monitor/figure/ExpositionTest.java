package io.fdt.monitor.figure;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.basic.HostView;
import io.fdt.core.stats.Moved;
import io.fdt.monitor.figure.Sample.SessionState;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a scrape returns, though series are only made when a session or a scrape needs them. */
final class ExpositionTest {
    private static final SessionState SESSION = new SessionState(
            new Sample.SessionName("s1", "copy", "in", "dtn2", "ann", ""),
            new Sample.Amounts(0, 0, 0, 0, 0, Moved.NOTHING, 0),
            new Sample.Run(0, -1, null, -1, null),
            null,
            0,
            null,
            null);

    private static Sample sample(List<SessionState> sessions) {
        HostView host = new HostView("dtn1", List.of(), List.of());
        return new Sample(0, "server", host, Sample.Devices.NONE, sessions, List.of(), Map.of());
    }

    private static final String SERIES = "\nfdt_session_bytes_total{direction=\"in\",host=\"dtn1\",session=\"s1\"}";

    private static final String LANE =
            "\nfdt_lane_received_bytes_total{direction=\"in\",host=\"dtn1\",lane=\"0\",session=\"s1\"}";

    private static Figure bytes(long value) {
        return new Figure(Meter.SESSION_BYTES, List.of("s1", "in"), value);
    }

    @Test
    void aScrapeReturnsTheLastSampleOfAnIdleHost() {
        Exposition exposition = new Exposition("dtn1");
        exposition.onFirstFigures(List.of(new Figure(Meter.PROCESS_OPEN_FDS, List.of(), 7)));
        exposition.onSample(sample(List.of()), List.of(new Figure(Meter.PROCESS_OPEN_FDS, List.of(), 8)));
        exposition.onSample(sample(List.of()), List.of(new Figure(Meter.PROCESS_OPEN_FDS, List.of(), 9)));
        assertThat(exposition.scrape(Exposition.TEXT)).contains("process_open_fds{host=\"dtn1\"} 9.0");
        assertThat(exposition.scrape(Exposition.TEXT)).contains("process_open_fds{host=\"dtn1\"} 9.0");
    }

    @Test
    void aSessionBetweenTwoScrapesIsInTheSecond() {
        Exposition exposition = new Exposition("dtn1");
        exposition.onFirstFigures(List.of());
        exposition.scrape(Exposition.TEXT);
        exposition.onSample(sample(List.of(SESSION)), List.of(bytes(5)));
        exposition.onSample(sample(List.of()), List.of());
        assertThat(exposition.scrape(Exposition.TEXT)).contains(SERIES + " 0.0\n");
        assertThat(exposition.scrape(Exposition.TEXT)).contains(SERIES + " 5.0\n");
    }

    /** Series are updated by scrapes, and before the figures of a lane are gone. */
    @Test
    void aLaneThatClosesBetweenTwoScrapesKeepsItsLastValue() {
        Exposition exposition = new Exposition("dtn1");
        exposition.onFirstFigures(List.of(bytes(5), lane(5)));
        exposition.scrape(Exposition.TEXT);
        exposition.onSample(sample(List.of(SESSION)), List.of(bytes(7), lane(7)));
        exposition.onSample(sample(List.of(SESSION)), List.of(bytes(9)));
        exposition.onSample(sample(List.of(SESSION)), List.of(bytes(11)));
        String page = exposition.scrape(Exposition.TEXT);
        assertThat(page).contains(SERIES + " 11.0\n");
        assertThat(page).contains(LANE + " 7.0\n");
    }

    private static Figure lane(long value) {
        return new Figure(Meter.LANE_RECEIVED_BYTES, List.of("s1", "0", "in"), value);
    }

    @Test
    void openMetricsHasTheUnitsOfItsMetrics() {
        Exposition exposition = new Exposition("dtn1");
        exposition.onFirstFigures(List.of(bytes(5), new Figure(Meter.PROCESS_OPEN_FDS, List.of(), 7)));
        String page = exposition.scrape(Exposition.OPEN_METRICS);
        assertThat(page)
                .contains("# TYPE fdt_session_bytes counter\n# UNIT fdt_session_bytes bytes\n# HELP ")
                .doesNotContain("# UNIT process_open_fds")
                .endsWith("# EOF\n");
        assertThat(exposition.scrape(Exposition.TEXT)).doesNotContain("# UNIT");
    }

    @Test
    void linesOfAMetricAreTogetherBelowItsTypeAndHelp() {
        Exposition exposition = new Exposition("dtn1");
        Figure other = new Figure(Meter.SESSION_BYTES, List.of("s2", "in"), 7);
        exposition.onFirstFigures(List.of(bytes(5), lane(5), other));
        exposition.scrape(Exposition.TEXT);
        assertThat(exposition.scrape(Exposition.TEXT))
                .contains("# TYPE fdt_session_bytes_total counter\n# HELP fdt_session_bytes_total "
                        + Meter.SESSION_BYTES.help() + SERIES + " 5.0" + SERIES.replace("s1", "s2") + " 7.0\n# TYPE ");
    }

    @Test
    void factsAreInfosInOpenMetricsAndGaugesInText() {
        Exposition exposition = new Exposition("dtn1");
        exposition.onFirstFigures(List.of(new Figure(Meter.BUILD_INFO, List.of("1.0", "17", "server"), 1)));
        String series = "\nfdt_build_info{host=\"dtn1\",java=\"17\",role=\"server\",version=\"1.0\"} 1.0\n";
        assertThat(exposition.scrape(Exposition.TEXT)).contains("# TYPE fdt_build_info gauge\n", series);
        assertThat(exposition.scrape(Exposition.OPEN_METRICS))
                .contains("# TYPE fdt_build info\n", "# HELP fdt_build ", series);
    }

    /** The names of a peer and of its key may contain anything. */
    @Test
    void aLabelEndsWhereItsTextEnds() {
        Exposition exposition = new Exposition("dtn1");
        exposition.onFirstFigures(
                List.of(new Figure(Meter.PEER_CPU_RATIO, List.of("a\"b\\c\nd\0e", "0", "user"), 0.25)));
        assertThat(exposition.scrape(Exposition.TEXT))
                .contains("\nfdt_peer_cpu_ratio{cpu=\"0\",host=\"dtn1\",mode=\"user\","
                        + "peer=\"a\\\"b\\\\c\\nd\uFFFDe\"} 0.25\n");
    }

    @Test
    void numbersAreExactAndAsPrometheusReadsThem() {
        for (double value : new double[] {
            0,
            -1,
            0.1,
            1e-9,
            86,
            9_007_199_254_740_992.0,
            1.5e18,
            1e300,
            Double.MIN_VALUE,
            Double.NaN,
            Double.POSITIVE_INFINITY,
            Double.NEGATIVE_INFINITY
        }) {
            String line = Exposition.text(List.of(new Figure(Meter.HOST_TCP_MEMORY, List.of(), value)))
                    .lines()
                    .filter(each -> each.startsWith(Meter.HOST_TCP_MEMORY.exportedName()))
                    .findFirst()
                    .orElseThrow();
            String number = line.substring(line.indexOf(' ') + 1);
            assertThat(Double.valueOf(number.replace("Inf", "Infinity"))).isEqualTo(Double.valueOf(value));
        }
        assertThat(Exposition.text(List.of(new Figure(Meter.HOST_TCP_MEMORY, List.of(), 12_345_678_901L))))
                .endsWith(" 12345678901.0\n");
    }
}
