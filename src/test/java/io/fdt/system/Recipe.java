package io.fdt.system;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What the README tells people to type, read out of it: the fenced blocks behind comments of the form
 * {@code <!-- recipe NAME: on HOST, stays, interrupted, figures, exit N -->}, where all but the host may be missing.
 * The next block of the language {@code text}, if it comes before another one, is what such a step prints.
 *
 * @param name groups the steps of one recipe
 */
record Recipe(String name, List<Step> steps) {
    private static final String MARK = "<!-- recipe ";
    private static final Pattern MARKER = Pattern.compile(
            "<!-- recipe ([a-z-]+): on ([a-z0-9]+)((?:, (?:stays|interrupted|figures|exit \\d+))*) -->");

    /**
     * One block to type.
     *
     * @param host where
     * @param stays it goes on while later steps run
     * @param interrupted somebody stops it with Ctrl-C in the middle
     * @param figures what it prints are mostly measurements, of which only the first word of a line is the same again
     * @param prints lines that must come, among others
     */
    record Step(
            String host,
            boolean stays,
            boolean interrupted,
            boolean figures,
            int exitCode,
            String script,
            List<String> prints) {}

    /** The README of this checkout. */
    static Path readme() {
        return Prometheus.dashboards().resolveSibling("README.md");
    }

    /** All of a document, in its order. */
    static Map<String, Recipe> of(String document) {
        Map<String, List<Step>> steps = new LinkedHashMap<>();
        List<String> lines = document.lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).startsWith(MARK)) {
                Matcher marker = MARKER.matcher(lines.get(i));
                if (!marker.matches()) {
                    throw new AssertionError("no marker of a recipe: " + lines.get(i));
                }
                steps.computeIfAbsent(marker.group(1), name -> new ArrayList<>())
                        .add(step(marker, lines, i + 1));
            }
        }
        Map<String, Recipe> recipes = new LinkedHashMap<>();
        steps.forEach((name, all) -> recipes.put(name, new Recipe(name, List.copyOf(all))));
        return recipes;
    }

    private static Step step(Matcher marker, List<String> lines, int from) {
        if (!lines.get(from).equals("```sh")) {
            throw new AssertionError("no block to type behind " + marker.group());
        }
        List<String> script = block(lines, from);
        List<String> prints = List.of();
        for (int i = from + script.size() + 2; i < lines.size() && !isAnotherPart(lines.get(i)); i++) {
            if (lines.get(i).equals("```text")) {
                prints = block(lines, i);
                break;
            }
        }
        List<String> words = Stream.of(marker.group(3).split(", ", -1)).toList();
        int exitCode = words.stream()
                .filter(word -> word.startsWith("exit "))
                .mapToInt(word -> Integer.parseInt(word.substring("exit ".length())))
                .findFirst()
                .orElse(0);
        return new Step(
                marker.group(2),
                words.contains("stays"),
                words.contains("interrupted"),
                words.contains("figures"),
                exitCode,
                String.join("\n", script),
                prints);
    }

    private static boolean isAnotherPart(String line) {
        return line.startsWith("#") || line.startsWith(MARK) || line.equals("```") || line.equals("```sh");
    }

    /** The lines of the block that opens in this one. */
    private static List<String> block(List<String> lines, int open) {
        int close = open + 1;
        while (!lines.get(close).equals("```")) {
            close++;
        }
        return lines.subList(open + 1, close);
    }

    /** The lines to type that stand in the second column of a table. */
    static List<String> tableLines(String document) {
        List<String> found = new ArrayList<>();
        for (String line : document.lines().toList()) {
            if (line.matches("\\| [^|]+ \\| `.*` \\|")) {
                String code = line.substring(line.indexOf('`') + 1, line.lastIndexOf('`'));
                found.add(code.replace("\\|", "|"));
            }
        }
        return found;
    }
}
