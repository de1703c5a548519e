package io.fdt.cli.report;

import io.fdt.core.basic.Figures;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.nettest.Suite;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * What a reader must know of a measurement before its figures mean anything: the verdict in a sentence, when it was
 * measured, what was asked for, and the hardware of both ends.
 *
 * @param title what was measured between which ends
 * @param verdict a sentence; empty for none
 */
record Heading(String title, String verdict, List<Fact> facts) {
    /** A heading is meant to be read; everything else remains in the result file. */
    private static final int MAX_OPTIONS = 40;

    private static final int MAX_LISTED = 6;

    record Fact(String name, String text) {}

    /** @param optionNames returns the name of a setting in the help, by its name in results */
    static Heading ofResult(Suite suite, JsonObject result, UnaryOperator<String> optionNames) {
        JsonObject local = result.part("local");
        JsonObject remote = result.part("remote");
        List<String> asked = new ArrayList<>();
        add(asked, "", suite.name());
        add(asked, "over ", result.text("transport"));
        add(asked, "what: ", result.text("what"));
        JsonObject options = result.part("options");
        options.values().keySet().stream()
                .limit(MAX_OPTIONS)
                .forEach(name -> add(asked, optionNames.apply(name) + " ", value(options, name)));
        List<String> measured = new ArrayList<>();
        add(measured, "", result.text("at").replace('T', ' ').replace("Z", " UTC"));
        add(measured, "for ", seconds(result.amount("seconds")));
        add(measured, "with ", result.text("software"));
        List<Fact> facts = List.of(
                new Fact("Measured", String.join(", ", measured)),
                new Fact("Requested", String.join(", ", asked)),
                new Fact("Local end", hardware(local)),
                new Fact("Remote end", hardware(remote)));
        return new Heading(titled(suite) + between(local, remote), verdict(suite, result), facts);
    }

    static Heading ofFigures(FigureSet figures, Suite suite) {
        return new Heading(
                titled(suite) + ", published figures",
                "",
                List.of(
                        new Fact("Figures", figures.of("title") + ", " + figures.of("year") + "; not measured here"),
                        new Fact("Hardware", figures.of("hardware")),
                        new Fact("Conditions", figures.of("conditions")),
                        new Fact("Source", figures.of("source")),
                        new Fact("Note", figures.of("note"))));
    }

    JsonObject json() {
        return new JsonObject()
                .with("title", title)
                .with("verdict", verdict)
                .with(
                        "facts",
                        facts.stream()
                                .map(fact -> List.of(fact.name(), fact.text()))
                                .toList());
    }

    static String titled(Suite suite) {
        String word = suite.name();
        return Character.toUpperCase(word.charAt(0)) + word.substring(1);
    }

    private static String between(JsonObject local, JsonObject remote) {
        String here = local.text("host");
        String there = remote.text("host");
        return here.isEmpty() || there.isEmpty() ? "" : " between " + here + " and " + there;
    }

    /** That of the suite; for suites without one, the figure that most readers look for. */
    private static String verdict(Suite suite, JsonObject result) {
        String sentence = result.part("verdict").text("sentence");
        if (!sentence.isEmpty() || suite.isOfStreams()) {
            return sentence;
        }
        List<JsonObject> points = result.rows("points");
        Optional<JsonObject> smallest = points.stream()
                .filter(point -> point.has("size_bytes") && point.has("p50_us") && point.has("p99_us"))
                .min(Comparator.comparingDouble(point -> point.amount("size_bytes")));
        Optional<JsonObject> fastest = points.stream()
                .filter(point -> point.has("size_bytes") && point.has("bytes_per_second"))
                .max(Comparator.comparingDouble(point -> point.amount("bytes_per_second")));
        List<String> sentences = new ArrayList<>();
        result.rows("pools").stream()
                .max(Comparator.comparingDouble(pool -> pool.amount("best_per_second")))
                .ifPresent(pool -> sentences.add("With " + pool.text("rx_buffers") + " receive and "
                        + pool.text("tx_buffers") + " send buffers: " + pool.text("sentence") + "."));
        smallest.ifPresent(point -> sentences.add("At " + size(point) + ", the median latency is "
                + Numbers.rounded(point.amount("p50_us"), 3) + " µs and the 99th percentile "
                + Numbers.rounded(point.amount("p99_us"), 3) + " µs."));
        fastest.ifPresent(point -> sentences.add(Figures.text(
                "The highest rate is %s MB/s, at %s.",
                Numbers.rounded(point.amount("bytes_per_second") / 1e6, 3), size(point))));
        return String.join(" ", sentences);
    }

    private static String size(JsonObject point) {
        return Numbers.bytes(point.amount("size_bytes"));
    }

    private static String seconds(double seconds) {
        return Double.isFinite(seconds) ? Numbers.rounded(seconds, 4) + " s" : "";
    }

    private static String hardware(JsonObject side) {
        List<String> parts = new ArrayList<>();
        add(parts, "", side.text("host"));
        add(parts, "", side.text("cpu"));
        String cores = side.text("cores");
        add(parts, "", cores.isEmpty() ? "" : cores + (cores.equals("1") ? " core" : " cores"));
        add(parts, "kernel ", side.text("kernel"));
        add(parts, "NIC ", side.text("nic"));
        return parts.isEmpty() ? "unknown" : String.join(", ", parts);
    }

    /** As an option accepts it; the unit is the end of the field's name. */
    private static String value(JsonObject fields, String name) {
        double number = fields.amount(name);
        if (name.endsWith("_bytes") && Double.isFinite(number)) {
            return Figures.exactBytes((long) number);
        }
        if (name.endsWith("_seconds") && Double.isFinite(number)) {
            return Figures.exactTimeMs(Math.round(number * 1e3));
        }
        List<String> words = name.equals("sizes")
                ? fields.amounts(name).stream()
                        .filter(Double::isFinite)
                        .map(size -> Figures.exactBytes(size.longValue()))
                        .toList()
                : fields.texts(name);
        if (words.isEmpty()) {
            String text = fields.text(name);
            return text.equals("true") ? "on" : text.equals("false") ? "off" : text;
        }
        return words.size() <= MAX_LISTED
                ? String.join(",", words)
                : words.get(0) + " to " + words.get(words.size() - 1) + " (" + words.size() + " values)";
    }

    private static void add(List<String> parts, String before, String text) {
        if (!text.isEmpty()) {
            parts.add(before + text);
        }
    }
}
