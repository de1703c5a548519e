package io.fdt.cli.report;

import java.util.List;
import java.util.Locale;

/**
 * A report as one page that needs nothing else: no script, no font, no other file, and a policy that forbids them. Every plot
 * has its numbers as a table below it, for those who cannot see it and for those who want to copy them.
 */
final class HtmlPage {
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

    static String of(List<Section> sections) {
        HtmlPage page = new HtmlPage();
        page.write(sections);
        return page.out.toString();
    }

    private void write(List<Section> sections) {
        out.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
                .append(
                        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n")
                .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
                .append("<title>fdt network tests</title>\n<style>\n")
                .append(STYLE)
                .append(SvgWriter.style())
                .append("</style>\n</head>\n<body>\n<h1>Network tests</h1>\n");
        for (Section section : sections) {
            write(section);
        }
        out.append("</body>\n</html>\n");
    }

    private void write(Section section) {
        String word = section.suite().word();
        out.append("<h2>")
                .append(word.substring(0, 1).toUpperCase(Locale.ROOT))
                .append(word.substring(1))
                .append("</h2>\n");
        section.measurements().forEach(this::writeOrigin);
        if (section.plots().isEmpty()) {
            out.append("<p>").append(Section.NOTHING).append("</p>\n");
        }
        section.plots().forEach(this::write);
    }

    private void writeOrigin(Measurement measurement) {
        out.append("<section class=\"origin\">\n<h3>")
                .append(Escape.xml(measurement.name()))
                .append(measurement.reference() ? " (to compare with)" : "")
                .append("</h3>\n");
        String verdict = Caption.verdict(measurement.head());
        if (!verdict.isEmpty()) {
            out.append("<p class=\"verdict\">").append(Escape.xml(verdict)).append("</p>\n");
        }
        for (String line : measurement.caption()) {
            out.append("<p>").append(Escape.xml(line)).append("</p>\n");
        }
        out.append("</section>\n");
        writeFigures(measurement);
    }

    /** The single numbers of a throughput test, which stand in no plot. */
    private void writeFigures(Measurement measurement) {
        if (measurement.suite() == Suite.THROUGHPUT && !measurement.published()) {
            ThroughputTables.of(measurement.head()).forEach(this::write);
        }
    }

    private void write(ThroughputTables.Named named) {
        if (!named.table().rows().isEmpty()) {
            write(named.name(), named.table());
        }
    }

    private void write(Plot plot) {
        out.append("<figure>\n")
                .append(SvgWriter.element(plot.draw(), plot.title()))
                .append("<figcaption>\n");
        write("Numbers: " + plot.title(), plot.table());
        out.append("</figcaption>\n</figure>\n");
    }

    private void write(String name, Table table) {
        out.append("<details><summary>").append(Escape.xml(name)).append("</summary>\n<div class=\"scroll\"><table>\n");
        writeRow(table.columns(), "th scope=\"col\"", "th");
        for (List<String> row : table.rows()) {
            writeRow(row, "td", "td");
        }
        out.append("</table></div>\n");
        if (table.total() > table.rows().size()) {
            out.append("<p>The first ")
                    .append(table.rows().size())
                    .append(" of ")
                    .append(table.total())
                    .append(" rows; the result file has them all.</p>\n");
        }
        out.append("</details>\n");
    }

    private void writeRow(List<String> cells, String open, String close) {
        out.append("<tr>");
        for (String cell : cells) {
            out.append('<')
                    .append(open)
                    .append('>')
                    .append(Escape.xml(cell))
                    .append("</")
                    .append(close)
                    .append('>');
        }
        out.append("</tr>\n");
    }
}
