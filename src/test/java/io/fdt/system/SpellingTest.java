package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** All words of manual pages, which the help of a command has as well, and of documents, by aspell. */
final class SpellingTest {
    private static final Path REPOSITORY = Recipe.readme().getParent();

    /** Names and terms that no dictionary has, a line each. */
    private static final Path KNOWN = REPOSITORY.resolve("src/test/resources/io/fdt/system/words");

    private static final Pattern CODE = Pattern.compile("(?ms)^ *```.*?^ *```|`[^`]*`|\\]\\([^)]*\\)");

    private static final Pattern ROFF = Pattern.compile("(?m)^[.]\\\\\".*|^[.][A-Z]+|\\\\f[A-Z]");

    /** Addresses, paths, options, names of files and of variables. */
    private static final Pattern NAMES =
            Pattern.compile("https?://\\S+|[\\w.]*\\w/\\S*|--?[\\w-]+|\\S*[_@=]\\S*|[\\w-]+[.]\\w+");

    private static final Pattern WORD = Pattern.compile("(?<![\\w'-])[A-Za-z]?[a-z]+(?:'t)?(?!\\w)");

    @RegisterExtension
    final Workplace at = new Workplace();

    @Test
    void everyWordIsInADictionary() throws IOException {
        Set<String> words = new TreeSet<>();
        for (String name :
                Shell.ok("git", "-C", REPOSITORY, "ls-files", "*.md").lines().toList()) {
            if (!name.equals("THIRD-PARTY-NOTICES.md")) {
                add(
                        words,
                        CODE.matcher(Files.readString(REPOSITORY.resolve(name))).replaceAll(" "));
            }
        }
        Path pages = at.directory("man");
        at.fdt("help", "--man-to", pages).expectExit(0);
        try (Stream<Path> all = Files.list(pages)) {
            for (Path page : all.toList()) {
                String text = ROFF.matcher(Files.readString(page)).replaceAll("");
                add(words, text.replace("\\-", "-").replace("\\(aq", "'"));
            }
        }
        assertThat(words).hasSizeGreaterThan(2_000);
        Path list = at.path("words");
        Files.write(list, words);
        Set<String> known = Set.copyOf(Files.readAllLines(KNOWN));
        assertThat(Shell.ok("sh", "-c", "aspell list --lang=en_GB <\"$1\"", "sh", list)
                        .lines())
                .as("words that neither aspell nor %s has", KNOWN)
                .allMatch(word -> known.contains(word.toLowerCase(Locale.ROOT)));
    }

    private static void add(Set<String> words, String text) {
        WORD.matcher(NAMES.matcher(text).replaceAll(" ")).results().forEach(word -> words.add(word.group()));
    }
}
