package io.fdt.core.receipt;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.FailureKind;
import io.fdt.core.plan.RawPath;
import io.fdt.core.stats.Summary;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a client receives of a receipt gets its name only when all of it is there. */
class FetchedReceiptTest {
    private static final Summary DONE = Summary.of(null, 1, 2, 3, 4, 5, "s");

    @TempDir
    Path directory;

    private Path file;

    @BeforeEach
    void writeAnother() throws Exception {
        file = Files.writeString(directory.resolve("receipt.json"), "of another copy");
    }

    @Test
    void getsItsNameWithItsLastPart() {
        try (FetchedReceipt receipt = new FetchedReceipt(RawPath.of(file))) {
            receipt.add(new byte[] {'{'}, 1);
            assertThat(file).hasContent("of another copy");
            receipt.add(new byte[] {'}'}, 0);
            assertThat(receipt.finish(DONE)).isSameAs(DONE);
        }
        assertThat(file).hasContent("{}");
    }

    @Test
    void whatLacksItsEndIsNoReceipt() {
        try (FetchedReceipt receipt = new FetchedReceipt(RawPath.of(file))) {
            receipt.add(new byte[] {'{'}, 1);
            Summary end = receipt.finish(DONE);
            assertThat(end.failure()).isEqualTo(FailureKind.TARGET);
            assertThat(end.message()).contains("only a part of it");
        }
        assertThat(file).hasContent("of another copy");
        assertThat(directory).isDirectoryContaining(file::equals);
    }
}
