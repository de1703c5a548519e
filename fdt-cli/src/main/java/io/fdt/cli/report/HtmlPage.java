package io.fdt.cli.report;

import java.util.List;
import java.util.Locale;

/**
 * A report as one self-contained page: no script, no font, no other file, and a policy that forbids them. Every plot
 * has its numbers as a table below it, for reading and copying.
 */
final class HtmlPage {
    private static final String HEAD = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>fdt network tests</title>
            <style>
            %s</style>
            </head>
            <body>
            <h1>Network tests</h1>
            """;
    private static final String STYLE = """
            :root{color-scheme:light dark;--paper:#fff;--text:#1a1f24;--muted:#56606a;--line:#e1e5e9;--mark:#eef4f9}
            @media (prefers-color-scheme:dark){:root{--paper:#14181d;--text:#e6e9ec;--muted:#a3adb6;--line:#2c333a;--mark:#1c2630}}
            body{margin:0 auto;padding:1.5rem;max-width:60rem;background:var(--paper);color:var(--text);\
            font:16px/1.5 system-ui,"DejaVu Sans",Verdana,sans-serif}
            h1{font-size:1.6rem}h2{font-size:1.3rem;margin-top:2.5rem}h3{font-size:1rem;margin:1.2rem 0 .3rem}
            figure{margin:1.5rem 0}figure svg{width:100%;height:auto;display:block}
            .origin{overflow-wrap:anywhere}.origin p{margin:.1rem 0;color:var(--muted);font-size:.9rem}
            .verdict{padding:.6rem .9rem;border-left:.3rem solid #0072b2;background:var(--mark);font-size:1rem}
            details{font-size:.85rem}summary{cursor:pointer;color:var(--muted)}.scroll{overflow-x:auto}
            table{border-collapse:collapse;font-variant-numeric:tabular-nums}
            th,td{padding:.15rem .7rem;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap}
            th:first-child,td:first-child{text-align:left}
            """;

    private final StringBuilder out = new StringBuilder();

    private HtmlPage() {}

    static String of(List<Report.Section> sections) {
        HtmlPage page = new HtmlPage();
        page.out.append(HEAD.formatted(STYLE + SvgWriter.style()));
        sections.forEach(page::write);
        return page.out.append("</body>\n</html>\n").toString();
    }

    private void write(Report.Section section) {
        String word = section.suite().name();
        out.append("<h2>" + word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1) + "</h2>\n");
        section.measurements().forEach(this::writeOrigin);
        if (section.charts().isEmpty()) {
            out.append("<p>" + Report.Section.NOTHING + "</p>\n");
        }
        for (Chart chart : section.charts()) {
            out.append("<figure>\n" + SvgWriter.element(chart.draw(), chart.title()) + "<figcaption>\n");
            write(chart.table());
            out.append("</figcaption>\n</figure>\n");
        }
    }

    private void writeOrigin(Measurement measurement) {
        String compared = measurement.reference() ? " (to compare with)" : "";
        out.append("<section class=\"origin\">\n<h3>" + Escape.xml(measurement.name()) + compared + "</h3>\n");
        String verdict = Caption.verdict(measurement.head());
        if (!verdict.isEmpty()) {
            out.append("<p class=\"verdict\">" + Escape.xml(verdict) + "</p>\n");
        }
        measurement.caption().forEach(line -> out.append("<p>" + Escape.xml(line) + "</p>\n"));
        out.append("</section>\n");
        if (measurement.suite().isOfStreams() && !measurement.published()) {
            ThroughputPlots.tables(measurement.head()).stream()
                    .filter(table -> !table.rows().isEmpty())
                    .forEach(this::write);
        }
    }

    private void write(Table table) {
        out.append("<details><summary>" + Escape.xml(table.name()) + "</summary>\n<div class=\"scroll\"><table>\n");
        writeRow(table.columns(), "<th scope=\"col\">", "</th>");
        table.rows().forEach(row -> writeRow(row, "<td>", "</td>"));
        out.append("</table></div>\n");
        int shown = table.rows().size();
        if (table.total() > shown) {
            out.append("<p>The first " + shown + " of " + table.total() + " rows; the result file has them all.</p>\n");
        }
        out.append("</details>\n");
    }

    private void writeRow(List<String> cells, String open, String close) {
        out.append("<tr>");
        cells.forEach(cell -> out.append(open).append(Escape.xml(cell)).append(close));
        out.append("</tr>\n");
    }
}
