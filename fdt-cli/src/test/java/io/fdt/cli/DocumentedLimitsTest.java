package io.fdt.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.control.ServerLimits;
import org.junit.jupiter.api.Test;

/** Numbers of limits in documents are those of the code. */
final class DocumentedLimitsTest {
    @Test
    void theDocumentsNameTheDefaultOfSessions() {
        int sessions = ServerLimits.DEFAULT.sessions();
        assertThat(text("security.md")).contains("| sessions | " + sessions + ";");
        assertThat(text("operators.md"))
                .contains("of the server's " + sessions + " sessions as it leaves free: " + sessions / 2 + ",");
    }

    private static String text(String name) {
        return Documents.text(Documents.CHECKOUT.resolve("docs").resolve(name));
    }
}
