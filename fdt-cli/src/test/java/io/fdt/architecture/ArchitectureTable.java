package io.fdt.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The table of packages in ARCHITECTURE.md, with what each may use. A name in the last column is below {@code io.fdt},
 * else below the row's own module, else below core. Everyone may use the {@link #BASICS} and what is not fdt's.
 */
record ArchitectureTable(Map<String, Set<String>> uses) {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(io\\.fdt\\.[a-z.]+)` \\|.*\\| ([^|]+) \\|$");
    private static final String BELOW = " and all below it";
    private static final String ALL_OF_CORE = "io.fdt.core.*";

    private static final String FACADE = "io.fdt.core";

    private static final Set<String> BASICS = Set.of("io.fdt.core.basic", "io.fdt.core.failure", "io.fdt.core.run");

    private static final List<String> OF_COMMANDS =
            List.of("command", "option", "console", "display", "help", "run", "value");

    static ArchitectureTable read() {
        Map<String, String> rows = new HashMap<>();
        try {
            Matcher row = ROW.matcher(Files.readString(Path.of("..", "ARCHITECTURE.md")));
            while (row.find()) {
                rows.put(row.group(1), row.group(2));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Map<String, Set<String>> uses = new HashMap<>();
        rows.forEach((name, granted) -> uses.put(name, resolved(name, granted, rows.keySet())));
        return new ArchitectureTable(uses);
    }

    Set<String> names() {
        return uses.keySet();
    }

    boolean grants(String from, String to) {
        if (from.equals(to) || !to.startsWith("io.fdt.") || (BASICS.contains(to) && !BASICS.contains(from))) {
            return true;
        }
        Set<String> granted = uses.getOrDefault(from, Set.of());
        return granted.contains(to)
                || granted.stream()
                        .filter(name -> name.endsWith(".*"))
                        .anyMatch(name -> to.startsWith(name.substring(0, name.length() - 1)));
    }

    private static Set<String> resolved(String from, String granted, Set<String> names) {
        Set<String> resolved = new HashSet<>();
        for (String part : granted.split("[,;] ", -1)) {
            switch (part) {
                case "nothing" -> {}
                case "the facade" -> resolved.addAll(Set.of(FACADE, "io.fdt.core.engine"));
                case "all below it" -> resolved.add(ALL_OF_CORE);
                case "core" -> resolved.addAll(Set.of(FACADE, ALL_OF_CORE));
                case "the packages below" -> resolved.addAll(Set.of(FACADE, ALL_OF_CORE, "io.fdt.cli.*"));
                case "what commands use" -> {
                    resolved.addAll(Set.of(FACADE, ALL_OF_CORE));
                    OF_COMMANDS.forEach(each -> resolved.add("io.fdt.cli." + each));
                }
                default -> {
                    String name = named(from, part.replace(BELOW, ""), names);
                    resolved.add(name);
                    if (part.endsWith(BELOW)) {
                        resolved.add(name + ".*");
                    }
                }
            }
        }
        return resolved;
    }

    private static String named(String from, String name, Set<String> names) {
        String module = from.split("\\.", -1)[2];
        return Stream.of("io.fdt." + name, "io.fdt." + module + "." + name, "io.fdt.core." + name)
                .filter(names::contains)
                .findFirst()
                .orElseThrow(() -> new AssertionError("ARCHITECTURE.md: " + from + " may use " + name + ", no row"));
    }
}
