package io.fdt.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The Markdown documents of this checkout, and their literal text: code spans and the lines of fenced blocks. */
final class Documents {
    static final Path CHECKOUT = Path.of("..").toAbsolutePath().normalize();

    private static final Pattern SPAN = Pattern.compile("(`+)(.+?)\\1(?!`)");

    private Documents() {}

    /**
     * Returns all documents by their paths below the checkout, except those made by the build or by a package manager.
     */
    static Map<Path, String> all() {
        TreeSet<Path> files = new TreeSet<>(documents(CHECKOUT, 1));
        files.addAll(documents(CHECKOUT.resolve("docs"), Integer.MAX_VALUE));
        files.addAll(documents(CHECKOUT.resolve("dashboards"), Integer.MAX_VALUE));
        Map<Path, String> documents = new LinkedHashMap<>();
        files.forEach(file -> documents.put(CHECKOUT.relativize(file), text(file)));
        return documents;
    }

    private static List<Path> documents(Path directory, int depth) {
        try (Stream<Path> files = Files.walk(directory, depth)) {
            return files.filter(file -> file.toString().endsWith(".md")).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns the documents that describe the current version. Benchmark reports and decisions use the names of their
     * time.
     */
    static Map<Path, String> current() {
        Map<Path, String> documents = new LinkedHashMap<>(all());
        documents.keySet().removeIf(path -> path.startsWith("docs/benchmarks") || path.startsWith("docs/decisions"));
        return documents;
    }

    static String text(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns code spans and the lines of fenced blocks in order, without comments. Joins lines that end in a
     * backslash.
     */
    static List<String> code(String document) {
        List<String> code = new ArrayList<>();
        boolean fenced = false;
        StringBuilder prose = new StringBuilder();
        String begun = "";
        for (String line : document.lines().toList()) {
            if (line.strip().startsWith("```")) {
                code.addAll(spans(prose.toString()));
                prose.setLength(0);
                fenced = !fenced;
            } else if (fenced && line.endsWith("\\")) {
                begun += line.substring(0, line.length() - 1);
            } else if (fenced) {
                code.add((begun + line).replaceFirst("(^|\\s)#.*", "").strip());
                begun = "";
            } else {
                // A span may continue on the next line, but not in the next paragraph.
                prose.append(line).append(line.isBlank() || line.startsWith("|") ? "\n" : " ");
            }
        }
        code.addAll(spans(prose.toString()));
        return code;
    }

    private static List<String> spans(String prose) {
        List<String> spans = new ArrayList<>();
        for (String paragraph : prose.split("\n", -1)) {
            Matcher span = SPAN.matcher(paragraph);
            while (span.find()) {
                spans.add(span.group(2).strip().replace("\\|", "|"));
            }
        }
        return spans;
    }

    /** Returns a document without its fenced blocks and code spans. */
    static String prose(String document) {
        return SPAN.matcher(document.replaceAll("(?ms)^```.*?^```$", "")).replaceAll("");
    }
}
