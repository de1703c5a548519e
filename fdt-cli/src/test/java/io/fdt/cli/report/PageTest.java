package io.fdt.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.Json;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

class PageTest {
    private static final String HOSTILE =
            "'\\\"></text></svg></style></script><script>alert(1)</script><img src=x onerror=y>&#60;\\u0000\\u202e";

    private static final String DATA = "<script type=\"application/json\" id=\"report\">";

    @Test
    void holdsTheVerdictBothEndsAndTheSettingsUnderTheirNamesInTheHelp() {
        Report report = Report.ofFiles(
                List.of(Examples.file("throughput"), Examples.file("latency")),
                List.of("fdt-40ge", "verbs-rtt"),
                name -> "--" + name);
        assertThat(data(page(report)).toString())
                .contains("title=Throughput between dtn1.example and dtn2.example")
                .contains("The limit is softirq on core 0 of dtn2.example")
                .contains("2026-01-02 03:04:05 UTC, for 10 s", "--pin auto", "dual Intel Xeon X5670")
                .contains("At 4 B, the median latency is ")
                .contains("softirq", "CPU seconds a GB");
    }

    @Test
    void theVerdictOfALoadTestIsThatOfItsBestPools() {
        String pools = "[{\"rx_buffers\":24,\"tx_buffers\":8,\"best_per_second\":5,\"sentence\":\"all was done\"},"
                + "{\"rx_buffers\":48,\"tx_buffers\":32,\"best_per_second\":9,\"sentence\":\"of 10 only 9\"}]";
        String json =
                "{\"type\":\"result\",\"suite\":\"load\",\"options\":{\"warm_up_seconds\":0},\"pools\":" + pools + "}";
        Report report = Report.ofResult("r", json, List.of(), name -> name);
        assertThat(data(page(report)).toString())
                .contains("verdict=With 48 receive and 32 send buffers: of 10 only 9.", "warm_up_seconds 0s");
    }

    @Test
    void loadsNothingAndRunsOnlyItsOwnScript() {
        String page = page(Report.ofFiles(List.of(Examples.file("sweep-a")), List.of("vmi"), name -> name));
        assertThat(page.replace("http://www.w3.org/2000/svg", ""))
                .startsWith("<!doctype html>")
                .doesNotContain("http:", "https:", "url(", "@import", "src=", "href=", "{{")
                .containsPattern("default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'\"");
    }

    @Test
    void noTextOfAResultFileBecomesMarkup() throws Exception {
        for (String name : List.of("throughput", "sweep-a", "latency", "rpc", "objects", "load")) {
            String clean = Files.readString(Examples.file(name));
            // Replaces every text in the file except those that identify its format, and adds some that the file lacks.
            String hostile = clean.replaceAll(
                    ":\"(?!result\"|local\"|remote\"|rtt\"|" + name.replace("-a", "") + "\")[^\"]*\"",
                    Matcher.quoteReplacement(":\"" + HOSTILE + "\""));
            hostile = hostile.replace("\"options\":{", "\"options\":{\"" + HOSTILE + "\":\"x\",\"sizes\":[\"x\"],");
            String verdict = "\"verdict\":{\"sentence\":\"" + HOSTILE + "\",\"evidence\":[\"" + HOSTILE + "\"]}";
            hostile = hostile.strip().replaceAll("}$", "," + Matcher.quoteReplacement(verdict) + "}");
            hostile = hostile.substring(hostile.lastIndexOf('\n') + 1);
            assertThat(hostile).contains("<script>");
            Report report = Report.ofResult(HOSTILE.replace("\\\"", "\""), hostile, List.of(), each -> each);

            String page = page(report);
            String foreign =
                    page.substring(page.indexOf(DATA) + DATA.length(), page.indexOf("</script>", page.indexOf(DATA)));
            assertThat(foreign).as(name).doesNotContain("<").contains("alert(1)");
            assertThat(data(page)).containsKey("sections");
            Document svg = Examples.xml(svg(report));
            assertThat(svg.getElementsByTagName("script").getLength()).isZero();
            assertThat(svg(report)).doesNotContain("\u202e", "\u0000");
        }
    }

    @Test
    void saysThatThereIsNothingToPlot() {
        Report report = Report.ofResult("r", "{\"type\":\"result\",\"suite\":\"rpc\"}", List.of(), name -> name);
        assertThat(data(page(report)).toString()).contains("charts=[]", "There is nothing to plot");
        assertThat(svg(report)).contains("rpc: There is nothing to plot");
    }

    private static Map<String, Object> data(String page) {
        int from = page.indexOf(DATA) + DATA.length();
        return Json.object(page.substring(from, page.indexOf("</script>", from)));
    }

    private static String page(Report report) {
        return new String(report.bytes(Report.Format.HTML), StandardCharsets.UTF_8);
    }

    private static String svg(Report report) {
        return new String(report.bytes(Report.Format.SVG), StandardCharsets.UTF_8);
    }
}
