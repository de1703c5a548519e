package io.fdt.core.nettest.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The words of verdicts in docs/nettest.md are those of {@link Limit}. */
final class LimitTest {
    private static final Path PAGE = Path.of("..", "docs", "nettest.md");
    private static final String HEAD = "| limit | condition |\n| --- | --- |\n";

    @Test
    void theTableOfThePageIsTheList() throws IOException {
        Map<String, List<Limit>> rows = Stream.of(Limit.values())
                .collect(Collectors.groupingBy(Limit::condition, LinkedHashMap::new, Collectors.toList()));
        StringBuilder table = new StringBuilder();
        rows.forEach((condition, limits) -> table.append(limits.stream()
                .map(limit -> "`" + limit.word() + "`")
                .collect(Collectors.joining(", ", "| ", " | " + condition + " |\n"))));
        String page = Files.readString(PAGE);
        int start = page.indexOf(HEAD) + HEAD.length();
        int end = page.indexOf("\n\n", start) + 1;
        if (Boolean.getBoolean("fdt.write")) {
            Files.writeString(PAGE, page.substring(0, start) + table + page.substring(end));
            return;
        }
        assertThat(page.substring(start, end))
                .as("write the table anew with -Dfdt.write=true")
                .isEqualTo(table.toString());
    }
}
