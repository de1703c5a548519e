package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Programs read the fields of a failure, and people its sentence: no script or package looks into one. */
final class SentencesTest {
    private static final Path REPOSITORY = Recipe.readme().getParent();

    /** A literal of a script that is compared with something. */
    private static final Pattern COMPARED =
            Pattern.compile("(?:grep|=~|==|!=|\\bcase)[^\\n'\"]{0,40}(['\"])([^\\n'\"]+)\\1");

    /**
     * What is no failure of fdt: the line of a server that is ready, and texts of Slurm and of the scripts themselves.
     */
    private static final Set<String> OTHERS = Set.of(
            "scripts/bench-src/targets: not measured",
            "scripts/quickstart: fdt server ready on ",
            "scripts/slurm-cluster: Address already in use",
            "scripts/slurm/copy:  ended with exit code ",
            "scripts/slurm/copy:  exit code 0");

    /** A field for people, as an operand of what compares or searches texts. */
    private static final Pattern SEARCHED = Pattern.compile("""
            (?x)
            (startswith|endswith|partition|split|find|index|re[.]\\w+|strstr|strn?cmp|g_str_has_\\w+|g_strrstr) \\b
                [^\\n]* \\b (message|reason|remedy|stderr) \\b
            | \\b (message|reason|remedy|stderr) ["'\\])]* \\s* (==|!=|[.](startswith|endswith|partition|split|find|index))
            | ["'] \\s+ (not\\s+)? in \\s+ [\\w.\\["']* (message|reason|remedy|stderr)
            | ["'] \\s+ (not\\s+)? in \\s+ str\\(
            """);

    private static List<Path> files(String... directories) throws IOException {
        List<Path> files = new ArrayList<>();
        for (String directory : directories) {
            try (Stream<Path> all = Files.walk(REPOSITORY.resolve(directory))) {
                all.filter(Files::isRegularFile)
                        .filter(file -> !file.toString().matches(".*(/tests/|/target/|__pycache__|[.]so$).*"))
                        .forEach(files::add);
            }
        }
        return files;
    }

    private static List<String> found(List<Path> files, Pattern pattern, int group) throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : files) {
            Matcher matcher = pattern.matcher(Files.readString(file));
            while (matcher.find()) {
                found.add(REPOSITORY.relativize(file) + ": "
                        + matcher.group(group).replaceAll("^\\^|[$]$", ""));
            }
        }
        return found;
    }

    @Test
    void noScriptComparesATextOfFdt() throws IOException {
        StringBuilder code = new StringBuilder();
        for (String module : List.of("fdt-core", "fdt-cli", "fdt-monitor", "fdt-rdma")) {
            for (Path file : files(module + "/src/main/java")) {
                code.append(Files.readString(file));
            }
        }
        String texts = Pattern.compile("\"(?:[^\"\\\\\\n]|\\\\.)*\"")
                .matcher(code)
                .results()
                .map(literal -> literal.group())
                .collect(Collectors.joining("\n"));
        assertThat(found(files("scripts", ".ci"), COMPARED, 2))
                .filteredOn(each -> !OTHERS.contains(each))
                .filteredOn(each -> each.split(": ", 2)[1].strip().contains(" "))
                .filteredOn(each -> texts.contains(each.split(": ", 2)[1].strip()))
                .isEmpty();
    }

    @Test
    void noPackageSearchesATextOfFdt() throws IOException {
        assertThat(found(files("integrations"), SEARCHED, 0)).isEmpty();
        assertThat("if 'No space left' in str(failure):").containsPattern(SEARCHED);
        assertThat("strstr(json_text(last, \"message\"), \"space\")").containsPattern(SEARCHED);
    }
}
