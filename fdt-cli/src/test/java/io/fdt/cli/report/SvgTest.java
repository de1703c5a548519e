package io.fdt.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

class SvgTest {
    private static final List<String> ALL =
            List.of("throughput", "sweep-a", "sweep-b", "latency", "rpc", "objects", "load");

    @Test
    void holdsTheChartsOfAllSuitesBelowTheirHeadings() throws Exception {
        Document svg = Examples.xml(Svg.of(Examples.sections(ALL, "vmi/ia32")));
        assertThat(Examples.texts(svg))
                .contains(
                        "Throughput over time",
                        "Bandwidth by message size",
                        "Distribution of latency (CDF)",
                        "RPC: bandwidth by size",
                        "Objects: bandwidth by size",
                        "Throughput against offered load",
                        "Hardware: IA-32 and IA-64 hosts; Myrinet, InfiniBand, gigabit Ethernet, shared memory")
                .contains("1 B", "4 KiB", "0.1", "1000", "bandwidth (MB/s)", "message size", "50 %", "99.99 %")
                .anyMatch(text -> text.startsWith("Local end: dtn1.example, Example CPU"))
                .anyMatch(text -> text.startsWith("throughput: Throughput between dtn1.example and dtn2.example. The"));
    }

    @Test
    void drawsEachPointOfACurveAndEachShareOfACore() throws Exception {
        Document sweep = Examples.xml(Svg.of(Examples.sections(List.of("sweep-a"), "vmi/ia32/myrinet/vmi")));
        // Three curves with 23 points each, and two more in the legend.
        assertThat(Examples.elements(sweep, "circle", "[fs]-line\\d")).hasSize(3 * (23 + 2));
        assertThat(Examples.elements(sweep, "circle", "s-line\\d")).hasSize(23 + 2);
        Document throughput = Examples.xml(Svg.of(Examples.sections(List.of("throughput"))));
        // The legend has one more; 8 cores at each end, with 10 seconds.
        assertThat(Examples.elements(throughput, "rect", "f-softirq")).hasSizeBetween(2, 2 * 9);
        assertThat(Examples.elements(throughput, "rect", "f-user")).hasSizeGreaterThanOrEqualTo(2 * 8 * 10);
    }

    @Test
    void drawsExtremeValuesInsideThePicture() throws Exception {
        for (String value : List.of("1e308", "1e-308", "-5", "1e18", "1e-12", "123456789.123456789")) {
            String point = "{\"size_bytes\":V,\"bytes_per_second\":V,\"p50_us\":V,\"p99_us\":V,\"mean_us\":V,"
                    + "\"offered_per_second\":V,\"achieved_per_second\":V,\"histogram\":"
                    + "[{\"from_us\":V,\"to_us\":V,\"count\":V}]}";
            for (String suite : List.of("sweep", "latency", "rpc", "load")) {
                String json = "{\"type\":\"result\",\"suite\":\"" + suite + "\",\"points\":["
                        + point.replace("V", value) + "," + point.replace("V", "3") + "]}";
                Report report = Report.ofResult("x".repeat(500), json, List.of(), name -> name);
                Document svg = Examples.xml(Svg.of(report.sections()));
                double height = Double.parseDouble(svg.getDocumentElement().getAttribute("height"));
                Stream.of("circle", "text")
                        .flatMap(name -> Examples.elements(svg, name, ".*").stream())
                        .forEach(element -> assertInside(element, height));
            }
        }
    }

    private static void assertInside(Element element, double height) {
        String c = element.getTagName().equals("circle") ? "c" : "";
        double x = Double.parseDouble(element.getAttribute(c + "x"));
        // Letters of seven pixels, about.
        double length = 7.0 * element.getTextContent().length();
        double before = Map.of("end", 1.0, "middle", 0.5).getOrDefault(element.getAttribute("text-anchor"), 0.0);
        assertThat(x - before * length).as(element.getTextContent()).isBetween(0.0, 900.0);
        assertThat(x + (1 - before) * length).as(element.getTextContent()).isBetween(0.0, 900.0);
        assertThat(Double.parseDouble(element.getAttribute(c + "y"))).isBetween(0.0, height);
    }
}
