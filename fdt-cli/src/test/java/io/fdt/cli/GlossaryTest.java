package io.fdt.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Documents use the terms of the glossary in docs/concepts.md, and none of the words that these replace. */
final class GlossaryTest {
    private static final Path GLOSSARY = Path.of("docs", "concepts.md");
    private static final String REPLACED = "## Words that are not used\n";
    private static final Pattern ROW = Pattern.compile("(?m)^\\| ([^|]+) \\| ([^|]+) \\|$");
    private static final Pattern TERM = Pattern.compile("\\*\\*([^*]+)\\*\\*");

    /** The program generates the first two, and the third describes earlier releases. */
    private static final List<Path> OTHERS =
            List.of(Path.of("docs", "commands.md"), Path.of("docs", "metrics.md"), Path.of("CHANGELOG.md"));

    private static String glossary() {
        return Documents.text(Documents.CHECKOUT.resolve(GLOSSARY));
    }

    private static int replacedAt(String glossary) {
        int start = glossary.indexOf(REPLACED);
        assertThat(start).as(REPLACED).isNotNegative();
        return start;
    }

    /** Returns the replaced words, with the terms to use instead. */
    private static Map<String, String> replacedWords() {
        String glossary = glossary();
        Map<String, String> replaced = new LinkedHashMap<>();
        Matcher row = ROW.matcher(glossary.substring(replacedAt(glossary)));
        while (row.find()) {
            if (!row.group(1).equals("not used") && !row.group(1).startsWith("---")) {
                replaced.put(row.group(1), row.group(2));
            }
        }
        return replaced;
    }

    private static List<String> replacedWordsIn(String text) {
        String prose = Documents.prose(text).replaceAll("\\s+", " ");
        List<String> found = new ArrayList<>();
        replacedWords().forEach((word, instead) -> {
            String pattern = "(?i)\\b" + Pattern.quote(word) + "s?\\b";
            if (Pattern.compile(pattern).matcher(prose).find()) {
                found.add(word + ": say " + instead);
            }
        });
        return found;
    }

    @Test
    void seesAWordThatIsNotUsed() {
        assertThat(replacedWords()).hasSizeGreaterThan(10);
        assertThat(replacedWordsIn("A lane to the remote end, as `far end` in code."))
                .isEmpty();
        assertThat(replacedWordsIn("The Far\nends of a data connection."))
                .hasSize(2)
                .anySatisfy(found -> assertThat(found).contains("say remote end"));
    }

    @Test
    void noDocumentUsesAWordThatTheGlossaryReplaces() {
        List<String> wrong = new ArrayList<>();
        Documents.current().forEach((path, text) -> {
            String own = path.equals(GLOSSARY) ? text.substring(0, replacedAt(text)) : text;
            if (!OTHERS.contains(path)) {
                replacedWordsIn(own).forEach(found -> wrong.add(path + ": " + found));
            }
        });
        assertThat(wrong).as(String.join("\n", wrong)).isEmpty();
    }

    /** A term that is used nowhere except in its definition is out of date. */
    @Test
    void everyTermOfTheGlossaryIsDefinedOnceAndUsedElsewhere() {
        String elsewhere = Documents.current().entrySet().stream()
                .filter(document -> !document.getKey().equals(GLOSSARY))
                .map(document -> document.getValue().replaceAll("\\s+", " "))
                .collect(Collectors.joining("\n"));
        String glossary = glossary();
        List<String> terms = new ArrayList<>();
        Matcher row = ROW.matcher(glossary.substring(0, replacedAt(glossary)));
        while (row.find()) {
            TERM.matcher(row.group(1)).results().forEach(term -> terms.add(term.group(1)));
        }

        assertThat(terms)
                .hasSizeGreaterThan(40)
                .doesNotHaveDuplicates()
                .allSatisfy(term -> assertThat(elsewhere).containsIgnoringCase(term));
    }
}
