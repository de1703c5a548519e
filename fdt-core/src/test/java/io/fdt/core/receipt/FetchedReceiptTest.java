package io.fdt.core.receipt;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.plan.RawPath;
import io.fdt.core.stats.Summary;
import io.fdt.core.wire.Bounds;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a client receives of a receipt gets its name only when all of it is there. */
class FetchedReceiptTest {
    private static final Summary DONE = Summary.of(null, 1, 2, 3, 4, 5, "s");

    @TempDir
    Path directory;

    private final List<String> warnings = new ArrayList<>();
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
            assertThat(receipt.finish(DONE, warnings::add)).isSameAs(DONE);
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

    /** It lists less than the one before, which the next run needs to know what is in place. */
    @Test
    void theReceiptOfACopyThatWasCutOffReplacesNoOther() throws Exception {
        Summary lost = Summary.of(Cause.CONNECTION_LOST.failure("gone"), 1, 2, 3, 4, 5, "s");
        fetch(lost);
        assertThat(file).hasContent("of another copy");
        assertThat(warnings)
                .singleElement()
                .asString()
                .contains("an earlier run")
                .contains("receipt.json");

        Files.delete(file);
        fetch(lost);
        assertThat(file).hasContent("{}");
        assertThat(warnings).hasSize(1);

        Files.writeString(file, "of another copy");
        fetch(Summary.of(Cause.SOME_FILES_FAILED.failure("one failed"), 1, 2, 3, 4, 5, "s"));
        assertThat(file).hasContent("{}");
        assertThat(warnings).hasSize(1);
    }

    private void fetch(Summary end) {
        try (FetchedReceipt receipt = new FetchedReceipt(RawPath.of(file))) {
            assertThat(receipt.add(new byte[] {'{', '}'}, 0)).isTrue();
            assertThat(receipt.finish(end, warnings::add)).isSameAs(end);
        }
    }

    @Test
    void whatLacksItsEndIsNoReceipt() {
        try (FetchedReceipt receipt = new FetchedReceipt(RawPath.of(file))) {
            assertThat(receipt.add(new byte[] {'{'}, 1)).isTrue();
            Summary end = receipt.finish(DONE, warnings::add);
            assertThat(end.kind()).isEqualTo(FailureKind.TARGET);
            assertThat(end.message()).contains("only a part of it");
        }
        assertThat(file).hasContent("of another copy");
        assertThat(directory).isDirectoryContaining(file::equals);
    }
}
