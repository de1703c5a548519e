package io.fdt.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

class PictureTest {
    private static final List<String> ALL =
            List.of("throughput", "sweep-a", "sweep-b", "latency", "rpc", "objects", "load");

    @Test
    void stacksThePlotsOfAllSuitesWithTheirCaptions() throws Exception {
        Report report = Report.ofFiles(ALL.stream().map(Examples::file).toList(), List.of("vmi/ia32"));
        Document svg = Examples.xml(new String(report.bytes(Report.Format.SVG), StandardCharsets.UTF_8));
        assertThat(Examples.texts(svg))
                .contains(
                        "Throughput over time",
                        "Bandwidth by message size",
                        "Distribution of latency (CDF)",
                        "RPC: bandwidth by size",
                        "Objects: bandwidth by size",
                        "Throughput against offered load",
                        "hardware: IA-32 and IA-64 hosts; Myrinet, InfiniBand, gigabit Ethernet, shared memory")
                .anyMatch(text -> text.startsWith("local: dtn1.example, Example CPU"))
                .anyMatch(text -> text.startsWith("remote: dtn2.example"))
                .anyMatch(text -> text.startsWith("verdict: The limit is softirq on core 0"));
    }

    @Test
    void noPartOfAPictureLiesOutsideOfIt() {
        assertAllInside(Picture.of(Examples.sections(ALL, "vmi", "ramcloud-echo", "buffer-pools", "fdt-40ge")));
    }

    @Test
    void drawsExtremeValues() {
        for (String value : List.of("1e308", "1e-308", "-5", "1e18", "1e-12", "123456789.123456789")) {
            String point = "{\"size_bytes\":V,\"bytes_per_second\":V,\"p50_us\":V,\"p99_us\":V,\"mean_us\":V,"
                    + "\"offered_per_second\":V,\"achieved_per_second\":V,\"histogram\":"
                    + "[{\"from_us\":V,\"to_us\":V,\"count\":V}]}";
            for (String suite : List.of("sweep", "latency", "rpc", "load")) {
                String json = "{\"type\":\"result\",\"suite\":\"" + suite + "\",\"points\":["
                        + point.replace("V", value) + "," + point.replace("V", "3") + "]}";
                assertAllInside(Picture.of(
                        Report.ofResult("x".repeat(500), json, List.of()).sections()));
            }
        }
    }

    @Test
    void saysThatThereIsNothingToPlot() {
        Report report = Report.ofResult("r", "{\"type\":\"result\",\"suite\":\"rpc\"}", List.of());
        assertThat(new String(report.bytes(Report.Format.HTML), StandardCharsets.UTF_8))
                .contains("There is nothing to plot");
        assertThat(new String(report.bytes(Report.Format.SVG), StandardCharsets.UTF_8))
                .contains("rpc: There is nothing to plot");
    }

    private static void assertAllInside(Drawing picture) {
        for (Drawing.Shape shape : picture.shapes()) {
            if (shape instanceof Drawing.Text text && !text.upright()) {
                double width = TextWidth.of(text.text(), text.size());
                double left = switch (text.anchor()) {
                    case START -> text.x();
                    case MIDDLE -> text.x() - width / 2;
                    case END -> text.x() - width;
                };
                assertThat(left).as(text.text()).isGreaterThanOrEqualTo(0);
                assertThat(left + width).as(text.text()).isLessThanOrEqualTo(picture.width());
                assertThat(text.y()).as(text.text()).isBetween(text.size() * 0.7, picture.height());
            }
        }
    }
}
