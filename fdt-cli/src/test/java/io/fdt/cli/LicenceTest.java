package io.fdt.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** {@code REUSE.toml} names the licence of all files, and whatever is published from here names the same one. */
final class LicenceTest {
    private static final Pattern IDENTIFIER = Pattern.compile("(?m)^SPDX-License-Identifier = \"([^\"]+)\"$");

    private static String text(String file) {
        return Documents.text(Documents.CHECKOUT.resolve(file));
    }

    private static List<String> found(String file, Pattern pattern) {
        return pattern.matcher(text(file))
                .results()
                .map((MatchResult match) -> match.group(1))
                .toList();
    }

    @Test
    void allThatIsPublishedNamesTheLicenceOfTheRepository() throws IOException {
        List<String> all = found("REUSE.toml", IDENTIFIER);
        assertThat(all).hasSize(1);
        assertThat(text("REUSE.toml")).contains("path = \"**\"");
        Path licence = Documents.CHECKOUT.resolve("LICENSES/" + all.get(0) + ".txt");
        assertThat(licence.toRealPath())
                .isEqualTo(Documents.CHECKOUT.resolve("LICENSE").toRealPath());
        Map.of(
                        "pom.xml", "<license>\\s*<name>([^<]+)<",
                        "integrations/python/pyproject.toml", "(?m)^license = \"([^\"]+)\"$",
                        "integrations/snakemake/pyproject.toml", "(?m)^license = \"([^\"]+)\"$",
                        "scripts/package-src/rpm/fdt.spec", "(?m)^License: (\\S+)$",
                        "scripts/package-src/deb/copyright", "(?m)^License: (\\S+)$",
                        "scripts/package-src/image", "image\\.licenses\": \"([^\"]+)\"")
                .forEach((file, pattern) -> assertThat(found(file, Pattern.compile(pattern)))
                        .as(file)
                        .isEqualTo(all));
        for (String copy : List.of("python", "snakemake")) {
            assertThat(text("integrations/" + copy + "/LICENSE")).isEqualTo(text("LICENSE"));
        }
    }
}
