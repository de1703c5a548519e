package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The packaged jar starts and prints its version. */
final class VersionTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    @Test
    void printsNameAndVersion() {
        Outcome outcome = at.fdt("--version").expectExit(0);
        assertThat(outcome.out()).singleElement().asString().matches("fdt \\d+\\.\\d+\\.\\d+\\S*");
    }
}
