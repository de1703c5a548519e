package io.fdt.cli.report;

import io.fdt.core.basic.JsonObject;
import io.fdt.monitor.Monitor;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A report as one self-contained page: the style and scripts of the live page, the script of reports, and the charts as
 * JSON. The page's policy admits exactly this style and this script, and no other file; no text of a result is markup.
 */
final class Page {
    /** The scripts of the live page that reports use, each after those that it imports. */
    private static final List<String> SCRIPTS = List.of("format.js", "palette.js", "plot.js", "rows.js", "svgpen.js");

    private Page() {}

    static String of(List<Report.Section> sections) {
        String style = style() + own("nettest.css");
        // One script cannot import another in the same file, so they become one, without imports and exports.
        String script = Stream.concat(SCRIPTS.stream().map(Page::live), Stream.of(own("nettest.js")))
                .flatMap(String::lines)
                .filter(line -> !line.startsWith("import "))
                .map(line -> line.startsWith("export ") ? line.substring("export ".length()) : line)
                .collect(Collectors.joining("\n"));
        String data = new JsonObject()
                .with("sections", sections.stream().map(Page::json).toList())
                .text();
        return own("nettest.html")
                .replace("{{STYLE_SUM}}", sum(style))
                .replace("{{SCRIPT_SUM}}", sum(script))
                .replace("{{STYLE}}", style)
                .replace("{{SCRIPT}}", script)
                // Last, because it contains foreign texts; in JSON a < can only be part of one.
                .replace("{{DATA}}", data.replace("<", "\\u003c"));
    }

    private static JsonObject json(Report.Section section) {
        return new JsonObject()
                .with("suite", Heading.titled(section.suite()))
                .with(
                        "measurements",
                        section.measurements().stream().map(Page::json).toList())
                .with("charts", section.charts().stream().map(Chart::json).toList())
                .with("nothing", Report.Section.NOTHING);
    }

    private static JsonObject json(Measurement measurement) {
        List<Table> tables = measurement.suite().isOfStreams() && !measurement.published()
                ? ThroughputPlots.tables(measurement.head())
                : List.of();
        return new JsonObject()
                .with("name", measurement.name())
                .with("reference", measurement.reference())
                .with(measurement.heading().json())
                .with("result", measurement.head())
                .with(
                        "tables",
                        tables.stream()
                                .filter(table -> !table.rows().isEmpty())
                                .map(Table::json)
                                .toList());
    }

    /** The style of the live page, which has all colours. */
    static String style() {
        return live("page.css");
    }

    private static String live(String name) {
        return text(Monitor.class, "page/" + name);
    }

    private static String own(String name) {
        return text(Page.class, name);
    }

    private static String text(Class<?> near, String name) {
        try (InputStream in = near.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("this build of fdt lacks " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String sum(String text) {
        try {
            byte[] sum = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return "sha256-" + Base64.getEncoder().encodeToString(sum);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
