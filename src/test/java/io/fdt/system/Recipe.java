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
 * A sequence of commands from the README or a page of docs: the fenced blocks after comments of the form
 * {@code <!-- recipe NAME: on HOST, stays, interrupted, figures, exit N -->}, in which everything but the host is
 * optional. If the next block has the language {@code text}, it shows the output of the step.
 *
 * @param name groups the steps of one recipe
 */
record Recipe(String name, List<Step> steps) {
    private static final String MARK = "<!-- recipe ";
    private static final Pattern MARKER = Pattern.compile(
            "<!-- recipe ([a-z-]+): on ([a-z0-9]+)((?:, (?:stays|interrupted|figures|exit \\d+))*) -->");

    /**
     * One block of commands.
     *
     * @param host the host to run it on
     * @param stays the process keeps running during later steps
     * @param interrupted the process is stopped with Ctrl-C in the middle
     * @param figures the output is mostly measurements, so only the first word of each line is reproducible
     * @param prints lines that the output must contain, among others
     */
    record Step(
            String host,
            boolean stays,
            boolean interrupted,
            boolean figures,
            int exitCode,
            String script,
            List<String> prints) {}

    static Path readme() {
        return Prometheus.dashboards().resolveSibling("README.md");
    }

    static Path page(String name) {
        return readme().resolveSibling("docs").resolve(name);
    }

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

    /** Returns the lines of the block that starts at the given line. */
    private static List<String> block(List<String> lines, int open) {
        int close = open + 1;
        while (!lines.get(close).equals("```")) {
            close++;
        }
        return lines.subList(open + 1, close);
    }

    /** Returns the commands in the second column of tables. */
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
