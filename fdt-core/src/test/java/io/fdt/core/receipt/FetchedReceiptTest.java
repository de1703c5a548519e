package io.fdt.core.receipt;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.FailureKind;
import io.fdt.core.plan.RawPath;
import io.fdt.core.stats.Summary;
import io.fdt.core.wire.Bounds;
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
            assertThat(receipt.add(new byte[] {'{'}, 1)).isTrue();
            assertThat(file).hasContent("of another copy");
            assertThat(receipt.add(new byte[] {'}'}, 0)).isTrue();
            assertThat(receipt.finish(DONE)).isSameAs(DONE);
        }
        assertThat(file).hasContent("{}");
    }

    /** The server says once how long it is, so it cannot go on for ever. */
    @Test
    void aPartThatDoesNotFitTheOnesBeforeIsRefused() {
        try (FetchedReceipt receipt = new FetchedReceipt(RawPath.of(file))) {
            assertThat(receipt.add(new byte[0], 7)).isFalse();
            assertThat(receipt.add(new byte[] {'{'}, Bounds.MAX_RECEIPT_BYTES)).isFalse();
            assertThat(receipt.add(new byte[] {'{'}, 7)).isTrue();
            assertThat(receipt.add(new byte[] {'1'}, 7)).isFalse();
            assertThat(receipt.add(new byte[] {'1'}, 5)).isFalse();
            assertThat(receipt.add(new byte[0], 7)).isFalse();
            assertThat(receipt.add(new byte[] {'1'}, 6)).isTrue();
        }
        assertThat(file).hasContent("of another copy");
    }

    @Test
    void whatLacksItsEndIsNoReceipt() {
        try (FetchedReceipt receipt = new FetchedReceipt(RawPath.of(file))) {
            assertThat(receipt.add(new byte[] {'{'}, 1)).isTrue();
            Summary end = receipt.finish(DONE);
            assertThat(end.failure()).isEqualTo(FailureKind.TARGET);
            assertThat(end.message()).contains("only a part of it");
        }
        assertThat(file).hasContent("of another copy");
        assertThat(directory).isDirectoryContaining(file::equals);
    }
}
