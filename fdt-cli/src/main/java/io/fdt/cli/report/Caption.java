package io.fdt.cli.report;

import io.fdt.core.basic.JsonObject;
import java.util.ArrayList;
import java.util.List;

/** The origin of a measurement and its hardware, without which figures have little meaning. */
final class Caption {
    /** A caption is meant to be read; everything else remains in the result file. */
    private static final int MAX_PAIRS = 40;

    private Caption() {}

    static List<String> ofResult(String name, JsonObject result) {
        List<String> lines = new ArrayList<>();
        List<String> head = new ArrayList<>();
        add(head, "", result.text("suite"));
        add(head, "over ", result.text("transport"));
        add(head, "streams: ", result.text("streams"));
        add(head, "receive: ", result.text("receive"));
        add(head, "what: ", result.text("what"));
        add(head, "seconds: ", Numbers.rounded(result.amount("seconds"), 4));
        add(head, "at ", result.text("at"));
        add(head, "", result.text("software"));
        lines.add(name + ": " + String.join(", ", head));
        lines.add("local: " + hardware(result.part("local")));
        lines.add("remote: " + hardware(result.part("remote")));
        String options = pairs(result.part("options"));
        if (!options.isEmpty()) {
            lines.add("options: " + options);
        }
        return lines;
    }

    static List<String> ofFigures(FigureSet figures) {
        return List.of(
                figures.name() + ": published figures, not measured here. " + figures.of("title") + ", "
                        + figures.of("year"),
                "hardware: " + figures.of("hardware"),
                "conditions: " + figures.of("conditions"),
                "source: " + figures.of("source") + ". Note: " + figures.of("note"));
    }

    /** The verdict of a result; empty for none. */
    static String verdict(JsonObject result) {
        return result.part("verdict").text("sentence");
    }

    private static String hardware(JsonObject side) {
        List<String> parts = new ArrayList<>();
        add(parts, "", side.text("host"));
        add(parts, "", side.text("cpu"));
        String cores = side.text("cores");
        add(parts, "", cores.isEmpty() ? "" : cores + (cores.equals("1") ? " core" : " cores"));
        add(parts, "kernel ", side.text("kernel"));
        String nic = side.text("nic");
        if (nic.isEmpty()) {
            nic = pairs(side.part("nic"));
        }
        add(parts, "NIC ", nic);
        return parts.isEmpty() ? "unknown" : String.join(", ", parts);
    }

    private static String pairs(JsonObject fields) {
        List<String> pairs = new ArrayList<>();
        List<String> names = List.copyOf(fields.values().keySet());
        for (String name : names.subList(0, Math.min(names.size(), MAX_PAIRS))) {
            String value = fields.text(name);
            if (value.isEmpty()) {
                value = String.join("/", fields.texts(name));
            }
            add(pairs, name + "=", value);
        }
        return String.join(", ", pairs);
    }

    private static void add(List<String> parts, String before, String text) {
        if (!text.isEmpty()) {
            parts.add(before + text);
        }
    }
}
