package io.fdt.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.command.Command;
import io.fdt.cli.help.HelpWords;
import io.fdt.cli.option.Option;
import io.fdt.core.failure.FailureKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The names in documents exist: options, exit codes, variables, files, link targets, classes and their methods. */
final class DocumentedNamesTest {
    private static final Pattern OPTION = Pattern.compile("(?<![\\w-])(--[a-z](?:[a-z0-9-]*[a-z0-9])?)(?![a-z0-9-])");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern EXIT_CODE = Pattern.compile("\\bexit codes? (\\d+)|\\bexit (\\d+)\\b");
    private static final Pattern VARIABLE = Pattern.compile("\\bFDT_[A-Z][A-Z_]*\\b");
    private static final Pattern FILE =
            Pattern.compile("(?:docs|scripts|dashboards|src/test|fdt-(?:core|cli|monitor|rdma))/[\\w./-]*[\\w/]");
    private static final Pattern CLASS =
            Pattern.compile("(?:[a-z]+\\.)*([A-Z][a-z0-9]+[A-Za-z0-9]*)(?:\\.(…?[a-zA-Z]\\w*…?))?");

    /** Words in code that look like classes of fdt but are not. */
    private static final Set<String> OTHER_NAMES = Set.of("MaxReadReq", "System", "IllegalStateException");

    private final List<String> wrong = new ArrayList<>();

    private void inEachCode(BiConsumer<Path, String> check) {
        Documents.current().forEach((path, text) -> Documents.code(text).forEach(code -> check.accept(path, code)));
    }

    private void assertNothingWrong() {
        assertThat(wrong).as(String.join("\n", wrong)).isEmpty();
    }

    private static final Set<String> OPTIONS_OF_HELP = Set.of(HelpWords.MAN, HelpWords.MAN_TO);

    private static Set<String> optionsOf(Command command) {
        Set<String> names = new TreeSet<>();
        for (Option option : command.options()) {
            names.add(option.name());
            if (option.isSwitch()) {
                names.add(option.negated());
            }
        }
        return names;
    }

    private static Set<String> optionsOfAll() {
        Set<String> names = CommandReferenceTest.COMMANDS.stream()
                .flatMap(command -> optionsOf(command).stream())
                .collect(Collectors.toCollection(TreeSet::new));
        names.add("--version");
        names.add("--help");
        names.addAll(OPTIONS_OF_HELP);
        return names;
    }

    @Test
    void everyOptionExists() {
        inEachCode(this::checkOptions);
        assertNothingWrong();
    }

    /**
     * Checks each command of a line separately. Ignores text in quotation marks, which may belong to another command.
     */
    private void checkOptions(Path path, String code) {
        for (String part : code.replaceAll("'[^']*'", "''").split("\\||&&|;", -1)) {
            Set<String> known = knownOptions(part.strip());
            Matcher option = OPTION.matcher(part);
            while (known != null && option.find()) {
                if (!known.contains(option.group(1))) {
                    wrong.add(path + ": " + option.group(1) + " is no option there: " + code);
                }
            }
        }
    }

    /** Returns the options of the program that the line calls, or null if the program is not part of fdt. */
    private static Set<String> knownOptions(String line) {
        String called = line.replaceFirst("^(?:sudo |ssh \\w+ |\\w+=\\S* |FDT_\\w+=\\S* )+", "")
                .replaceFirst("^(?:java -jar (?:\\S*/)?fdt\\.jar|\\./fdt|fdt)(?= )", "fdt");
        String[] words = called.split("\\s+", 4);
        if (words[0].startsWith("-")) {
            return optionsOfAllAndScripts();
        }
        if (words[0].startsWith("scripts/")) {
            return optionsOfScript(Documents.CHECKOUT.resolve(words[0]));
        }
        int first = words[0].equals("fdt") ? 1 : 0;
        if (words.length > first + 1) {
            for (Command command : CommandReferenceTest.COMMANDS) {
                if (command.name().equals(words[first] + " " + words[first + 1])) {
                    return optionsOf(command);
                }
            }
        }
        if (words.length > first && words[first].equals(HelpWords.WORD)) {
            return OPTIONS_OF_HELP;
        }
        Command command = words.length > first ? Commands.named(words[first]) : null;
        if (command != null) {
            return optionsOf(command);
        }
        return first == 1 ? optionsOfAll() : null;
    }

    /**
     * {@code --existing skip}, {@code --existing=skip}: a word of an option that takes only some words is one of them.
     */
    @Test
    void everyWordOfAnOptionExists() {
        Map<String, Set<String>> words = new HashMap<>();
        for (Command command : CommandReferenceTest.COMMANDS) {
            for (Option option : command.options()) {
                words.computeIfAbsent(option.name(), name -> new TreeSet<>())
                        .addAll(option.value().words());
            }
        }
        for (Command command : CommandReferenceTest.COMMANDS) {
            for (Option option : command.options()) {
                if (option.value().words().isEmpty()) {
                    words.remove(option.name());
                }
            }
        }
        assertThat(words).hasSizeGreaterThan(10);
        Pattern given = Pattern.compile("(?:fdt [^|;&]*|^)(--[a-z-]+)[ =]([a-z0-9][a-z0-9,-]*)(?![\\w:=.|/*…\\[])");
        inEachCode((path, code) -> {
            Matcher option = given.matcher(code);
            while (option.find()) {
                Set<String> known = words.get(option.group(1));
                for (String word : option.group(2).split(",", -1)) {
                    if (known != null && !known.contains(word)) {
                        wrong.add(path + ": " + option.group(1) + " knows no " + word + ": " + code);
                    }
                }
            }
        });
        assertNothingWrong();
    }

    private static Set<String> optionsOfAllAndScripts() {
        Set<String> names = optionsOfAll();
        for (String script : List.of("test", "lab", "fuzz", "dashboards", "slurm/copy")) {
            names.addAll(optionsOfScript(Documents.CHECKOUT.resolve("scripts").resolve(script)));
        }
        return names;
    }

    private static Set<String> optionsOfScript(Path script) {
        if (!Files.isRegularFile(script)) {
            return Set.of();
        }
        return OPTION.matcher(Documents.text(script))
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toSet());
    }

    @Test
    void everyExitCodeExists() {
        Set<Integer> codes = Arrays.stream(FailureKind.values())
                .map(FailureKind::exitCode)
                .collect(Collectors.toCollection(TreeSet::new));
        codes.add(0);
        Documents.current().forEach((path, text) -> {
            Matcher code = EXIT_CODE.matcher(text);
            while (code.find()) {
                int number = Integer.parseInt(code.group(1) == null ? code.group(2) : code.group(1));
                if (!codes.contains(number)) {
                    wrong.add(path + ": there is no " + code.group());
                }
            }
        });
        assertNothingWrong();
    }

    @Test
    void everyVariableIsRead() {
        Set<String> known = new TreeSet<>();
        for (Command command : CommandReferenceTest.COMMANDS) {
            for (Option option : command.options()) {
                if (option.setting()) {
                    known.add(option.variable());
                    known.add(option.variable(command.name()));
                }
            }
        }
        for (Path source : Sources.main()) {
            VARIABLE.matcher(Documents.text(source)).results().forEach(match -> known.add(match.group()));
        }
        for (String script : List.of("scripts", "dashboards", ".ci")) {
            for (Path file : filesBelow(Documents.CHECKOUT.resolve(script))) {
                if (!file.toString().endsWith(".md")) {
                    VARIABLE.matcher(Documents.text(file)).results().forEach(match -> known.add(match.group()));
                }
            }
        }
        Documents.current()
                .forEach((path, text) -> VARIABLE.matcher(text).results().forEach(match -> {
                    if (!known.contains(match.group())) {
                        wrong.add(path + ": nobody reads " + match.group());
                    }
                }));
        assertNothingWrong();
    }

    private static List<Path> filesBelow(Path directory) {
        try (java.util.stream.Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile).toList();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void everyFindingIsDocumented() {
        Pattern finding = Pattern.compile("\\b(?:warn|note)\\(\\s*\"([a-z-]+)\"");
        Set<String> findings = Sources.main().stream()
                .flatMap(source -> finding.matcher(Documents.text(source)).results())
                .map(match -> match.group(1))
                .collect(Collectors.toSet());
        String tuning = Documents.text(Documents.CHECKOUT.resolve("docs/tuning.md"));
        assertThat(findings)
                .hasSizeGreaterThan(10)
                .allSatisfy(code -> assertThat(tuning).contains("`" + code + "`"));
    }

    @Test
    void everyLinkLeadsToAHeading() {
        Documents.all().forEach((path, text) -> {
            Matcher link = LINK.matcher(Documents.prose(text));
            while (link.find()) {
                if (!link.group(1).matches("[a-z]+:.*")) {
                    checkLink(path, text, link.group(1));
                }
            }
        });
        assertNothingWrong();
    }

    private void checkLink(Path path, String text, String link) {
        String[] parts = link.split("#", 2);
        Path from = Documents.CHECKOUT.resolve(path);
        Path to = parts[0].isEmpty() ? from : from.resolveSibling(parts[0]).normalize();
        if (!Files.exists(to)) {
            wrong.add(path + ": there is no " + link);
        } else if (parts.length > 1
                && !anchors(parts[0].isEmpty() ? text : Documents.text(to)).contains(parts[1])) {
            wrong.add(path + ": no heading for " + link);
        }
    }

    /** Returns the anchors that GitHub derives from headings. */
    private static Set<String> anchors(String text) {
        return text.lines()
                .filter(line -> line.matches("#+ .*"))
                .map(line -> line.replaceFirst("#+ ", "")
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-'))
                .collect(Collectors.toSet());
    }

    @Test
    void everyFileExists() {
        inEachCode((path, code) -> {
            Matcher file = FILE.matcher(code);
            while (file.find()) {
                boolean path0 = file.start() > 0 && "/.-~$\"".indexOf(code.charAt(file.start() - 1)) >= 0;
                boolean made = file.group().contains("/target");
                boolean there = Files.exists(Documents.CHECKOUT.resolve(file.group()));
                if (!path0 && !made && !there && !file.group().matches(".*(TARGET|DATE|NAME|NNN).*")) {
                    wrong.add(path + ": there is no " + file.group());
                }
            }
        });
        assertNothingWrong();
    }

    @Test
    void everyClassAndMethodExists() {
        Map<String, String> sources = new HashMap<>();
        Pattern declared = Pattern.compile("\\b(?:class|interface|record|enum) ([A-Z]\\w*)");
        for (Path source : Sources.all()) {
            String text = Documents.text(source);
            declared.matcher(text).results().forEach(match -> sources.merge(match.group(1), text, String::concat));
        }
        for (String document : List.of(
                "ARCHITECTURE.md",
                "docs/evidence.md",
                "docs/reliability.md",
                "docs/security.md",
                "docs/testing.md",
                "docs/formats.md",
                "CONTRIBUTING.md")) {
            String text = Documents.text(Documents.CHECKOUT.resolve(document));
            for (String code : Documents.code(text)) {
                Matcher name = CLASS.matcher(code);
                if (name.matches() && !OTHER_NAMES.contains(name.group(1))) {
                    checkClass(document, code, sources.get(name.group(1)), name.group(2));
                }
            }
        }
        assertNothingWrong();
    }

    private void checkClass(String document, String code, String source, String member) {
        if (source == null) {
            wrong.add(document + ": there is no class " + code);
        } else if (member != null) {
            String pattern = member.startsWith("…")
                    ? "\\w" + Pattern.quote(member.substring(1)) + "\\b"
                    : "\\b" + Pattern.quote(member.replace("…", "")) + (member.endsWith("…") ? "" : "\\b");
            if (!Pattern.compile(pattern).matcher(source).find()) {
                wrong.add(document + ": there is no " + code);
            }
        }
    }
}
