package io.fdt.cli.report;

import io.fdt.core.basic.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * A report as one picture without scripts, for documents: of each suite the headings, and then the charts, one below
 * the other. The program has no engine for the scripts of a page, so this is the one other place that draws a
 * {@link Chart}: it has one width and decides nothing but places. Colours are those of the page's style, light or dark
 * as the reader prefers. Texts remain texts, and all of them are escaped.
 */
final class Svg {
    private static final int WIDTH = 900;
    private static final int LEFT = 84;
    private static final int WIDE = WIDTH - LEFT - 28;
    private static final int LINE = 19;
    private static final int MARGIN = 18;
    /** The width of a character, about: fonts differ, and nothing measures them here. */
    private static final int CHARACTER = 7;

    private static final int CHARACTERS = (WIDTH - 2 * MARGIN) / CHARACTER;
    /** The least distance of the labels of two ticks, down. */
    private static final int TICK = 12;

    private static final Pattern COLOUR = Pattern.compile("--([a-z0-9-]+): light-dark\\((#\\w+), (#\\w+)\\)");

    private final StringBuilder out = new StringBuilder();
    private final Set<String> inks = new TreeSet<>(Set.of("panel"));
    private double top;

    private Svg() {}

    static String of(List<Report.Section> sections) {
        Svg svg = new Svg();
        for (Report.Section section : sections) {
            section.measurements().forEach(svg::draw);
            if (section.charts().isEmpty()) {
                svg.lines("ink", section.suite().name() + ": " + Report.Section.NOTHING);
            }
            section.charts().forEach(svg::draw);
        }
        String height = at(svg.top + LINE);
        return """
                <?xml version="1.0" encoding="UTF-8"?>
                <svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 %d %s" width="%d" height="%s" \
                font-family="system-ui, DejaVu Sans, Verdana, sans-serif">
                <title>fdt network tests</title>
                <style>
                %s</style>
                <rect class="f-panel" width="100%%" height="100%%"/>
                %s</svg>
                """.formatted(WIDTH, height, WIDTH, height, svg.style(), svg.out);
    }

    /** The colours that occur, from the style of the page. */
    private String style() {
        StringBuilder light = new StringBuilder();
        StringBuilder dark = new StringBuilder();
        for (MatchResult found : COLOUR.matcher(Page.style()).results().toList()) {
            String ink = found.group(1);
            if (inks.contains(ink)) {
                light.append(rule(ink, found.group(2)));
                dark.append(rule(ink, found.group(3)));
            }
        }
        return light + "@media (prefers-color-scheme: dark) {\n" + dark + "}\n";
    }

    private static String rule(String ink, String colour) {
        return ".f-" + ink + " { fill: " + colour + " } .s-" + ink + " { stroke: " + colour + "; fill: none }\n";
    }

    private void draw(Measurement measurement) {
        Heading heading = measurement.heading();
        lines("ink", measurement.name() + ": " + heading.title() + ". " + heading.verdict());
        heading.facts().forEach(fact -> lines("muted", fact.name() + ": " + fact.text()));
        top += LINE;
    }

    private void lines(String ink, String text) {
        StringBuilder line = new StringBuilder();
        for (String word : text.replaceAll("[^ ]{" + CHARACTERS + "}", "$0 ").split(" ", -1)) {
            if (line.length() > 0 && line.length() + 1 + word.length() > CHARACTERS) {
                text(MARGIN, top += 16, "start", ink, line.toString());
                line.setLength(0);
            }
            line.append(line.length() == 0 ? "" : " ").append(word);
        }
        text(MARGIN, top += 16, "start", ink, line.toString());
    }

    private void draw(Chart chart) {
        top += 10;
        lines("ink", chart.title());
        double begin = top + 28;
        double high = chart.frame().height();
        text(MARGIN, top + 18, "start", "muted", chart.y().axis().label());
        double end = 0;
        for (Scale.Tick tick : chart.x().ticks()) {
            double x = x(chart.across(tick.value()));
            box("faint", x, begin + high, 1, 4, 1);
            double half = tick.label().length() * CHARACTER / 2.0;
            if (!tick.label().isEmpty() && x - half > end) {
                text(x, begin + high + 18, "middle", "muted", tick.label());
                end = x + half;
            }
        }
        double last = Double.NaN;
        for (Scale.Tick tick : chart.y().ticks()) {
            double y = begin + high * chart.down(tick.value());
            if (!chart.y().axis().ofCells()) {
                box("rule", LEFT, y, WIDE, 1, 1);
            }
            if (!tick.label().isEmpty() && !(Math.abs(y - last) < TICK)) {
                text(LEFT - 8, y + 4, "end", "muted", tick.label());
                last = y;
            }
        }
        text(
                LEFT + WIDE / 2.0,
                begin + high + 37,
                "middle",
                "muted",
                chart.x().axis().label());
        chart.boxes().forEach(box -> draw(chart, box, begin));
        for (int i = chart.curves().size() - 1; i >= 0; i--) {
            Curve curve = chart.curves().get(i);
            List<double[]> places = new ArrayList<>();
            for (double[] point : Chart.drawn(curve)) {
                places.add(new double[] {x(chart.across(point[0])), begin + high * chart.down(point[1])});
            }
            draw(i, curve, places);
        }
        top = begin + high + 48;
        for (Chart.Entry entry : chart.legend()) {
            box(entry.ink(), LEFT + 8, top + 4, 14, 12, 1);
            entry(entry.name());
        }
        for (int i = 0; i < chart.curves().size(); i++) {
            Curve curve = chart.curves().get(i);
            double y = top + LINE / 2.0;
            draw(i, curve, List.of(new double[] {LEFT, y}, new double[] {LEFT + 30, y}));
            entry(curve.name());
        }
        top += LINE;
    }

    private void entry(String name) {
        text(LEFT + 40, top + 14, "start", "ink", name);
        top += LINE;
    }

    private void draw(Chart chart, Chart.Box box, double begin) {
        double y = chart.down(box.y());
        double toY = chart.down(box.toY());
        double x = x(chart.across(box.x()));
        double wide = x(chart.across(box.toX())) - x;
        double from = begin + chart.frame().height() * Math.min(y, toY);
        double tall = chart.frame().height() * Math.abs(toY - y);
        if (box.depth() < 1) {
            box("idle", x, from, wide, tall, 1);
        }
        box(box.ink(), x, from, wide, tall, box.depth());
        if (chart.legend().isEmpty()) {
            text(x + 2, from - 5, "start", "ink", box.note());
        }
    }

    private void draw(int index, Curve curve, List<double[]> places) {
        StringBuilder path = new StringBuilder();
        for (double[] place : places) {
            path.append(path.length() == 0 ? 'M' : 'L')
                    .append(at(place[0]))
                    .append(' ')
                    .append(at(place[1]));
        }
        String stroke = uses("s-", Chart.ink(index));
        out.append("<path class=\"" + stroke + "\" stroke-width=\"2\" stroke-dasharray=\""
                + Chart.dash(index).toString().replaceAll("[\\[\\],]", "") + "\" d=\"" + path + "\"/>\n");
        if (curve.points().size() <= Chart.MAX_MARKS) {
            String mark = curve.reference() ? stroke : uses("f-", Chart.ink(index));
            places.forEach(place -> out.append("<circle class=\"" + mark + "\" r=\"3\" cx=\"" + at(place[0])
                    + "\" cy=\"" + at(place[1]) + "\"/>\n"));
        }
    }

    private static double x(double share) {
        return LEFT + WIDE * share;
    }

    private void box(String ink, double x, double y, double wide, double tall, double depth) {
        out.append("<rect class=\"" + uses("f-", ink) + "\" x=\"" + at(x) + "\" y=\"" + at(y) + "\" width=\"" + at(wide)
                + "\" height=\"" + at(tall) + "\" fill-opacity=\"" + at(depth) + "\"/>\n");
    }

    /** A text that is too long for the picture is cut. */
    private void text(double x, double y, String anchor, String ink, String text) {
        double room = switch (anchor) {
            case "start" -> WIDTH - x;
            case "end" -> x;
            default -> 2 * Math.min(x, WIDTH - x);
        };
        int most = Math.max(1, (int) (room / CHARACTER));
        String shown = text.length() <= most ? text : text.substring(0, most - 1) + "…";
        out.append("<text class=\"" + uses("f-", ink) + "\" x=\"" + at(x) + "\" y=\"" + at(y)
                + "\" font-size=\"12\" text-anchor=\"" + anchor + "\">"
                + Escape.xml(shown) + "</text>\n");
    }

    private String uses(String kind, String ink) {
        inks.add(ink);
        return kind + ink;
    }

    /** Two decimal places: finer than any screen. */
    private static String at(double value) {
        return JsonObject.exact(Math.rint(value * 100) / 100);
    }
}
