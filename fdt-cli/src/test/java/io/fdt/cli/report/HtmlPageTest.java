package io.fdt.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class HtmlPageTest {
    private static final Pattern TAG = Pattern.compile("<([^\\s>]*)([^>]*)>");
    private static final String HOSTILE =
            "'\\\"></text></svg></style><script>alert(1)</script><img src=x onerror=y>&#60;\\u0000\\u202e";

    @Test
    void showsPlotsWithTablesAndTheHardwareOfBothSides() throws Exception {
        String page = page(Report.ofFiles(
                List.of(Examples.file("throughput"), Examples.file("latency")), List.of("fdt-40ge", "verbs-rtt")));
        assertThat(page)
                .startsWith("<!DOCTYPE html>")
                .contains("<h2>Throughput</h2>", "<h2>Latency</h2>", "dtn1.example", "dtn2.example")
                .contains("The limit is softirq on core 0 of dtn2.example")
                .contains("dual Intel Xeon X5670", "Intel Westmere E5620", "options: pin=auto")
                .contains("prefers-color-scheme:dark", "<th scope=\"col\">softirq</th>", "CPU seconds a GB");
        List<String> drawings = drawings(page);
        assertThat(drawings).hasSize(6 + 4);
        for (String drawing : drawings) {
            Examples.xml(drawing);
        }
    }

    @Test
    void loadsNothingFromOtherSites() {
        String page = page(Report.ofFiles(List.of(Examples.file("sweep-a")), List.of("vmi")));
        assertThat(page.replace("http://www.w3.org/2000/svg", ""))
                .doesNotContain("http:", "https:", "//", "url(", "@import", "src=", "href=")
                .contains("default-src 'none'");
    }

    @Test
    void noTextOfAResultFileBecomesMarkup() throws Exception {
        for (String name : List.of("throughput", "sweep-a", "latency", "rpc", "objects", "load")) {
            String clean = Files.readString(Examples.file(name));
            // Replaces every text in the file except those that identify its format, and adds some that the file lacks.
            String hostile = clean.replaceAll(
                    ":\"(?!result\"|local\"|remote\"|rtt\"|" + suite(name) + "\")[^\"]*\"",
                    Matcher.quoteReplacement(":\"" + HOSTILE + "\""));
            hostile = hostile.replace("\"options\":{", "\"options\":{\"" + HOSTILE + "\":\"x\",");
            String verdict = "\"verdict\":{\"sentence\":\"" + HOSTILE + "\",\"evidence\":[\"" + HOSTILE + "\"]}";
            hostile = hostile.strip().replaceAll("}$", "," + Matcher.quoteReplacement(verdict) + "}");
            hostile = hostile.substring(hostile.lastIndexOf('\n') + 1);
            assertThat(hostile).contains("<script>");
            Report report = Report.ofResult(HOSTILE.replace("\\\"", "\""), hostile, List.of());

            String page = page(report);
            String expected = page(Report.ofResult(name, clean, List.of()));
            assertThat(page).contains("&lt;script&gt;alert(1)&lt;/script&gt;").doesNotContain("\u202e", "\u0000");
            assertThat(tags(page)).as(name).isSubsetOf(tags(expected + "<p class=\"verdict\"></p><tr><td>"));
            assertThat(page).doesNotContain("<script", "<img");
            for (String drawing : drawings(page)) {
                Examples.xml(drawing);
            }
            Examples.xml(new String(report.bytes(Report.Format.SVG), StandardCharsets.UTF_8));
        }
    }

    private static String suite(String name) {
        return name.replace("-a", "");
    }

    private static String page(Report report) {
        return new String(report.bytes(Report.Format.HTML), StandardCharsets.UTF_8);
    }

    private static Set<String> tags(String page) {
        Set<String> tags = new TreeSet<>();
        Matcher tag = TAG.matcher(page);
        while (tag.find()) {
            tags.add(tag.group(1));
        }
        return tags;
    }

    private static List<String> drawings(String page) {
        return Pattern.compile("<svg .*?</svg>", Pattern.DOTALL)
                .matcher(page)
                .results()
                .map(MatchResult::group)
                .toList();
    }
}
