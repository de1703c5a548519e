package io.fdt.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.plan.Entries;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.stats.TransferFigures;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The result of a session according to its failed files. */
final class LedgerTest {
    private final TransferFigures figures = new TransferFigures();
    private final Ledger ledger = new Ledger(figures, TransferObserver.NONE);

    private static FileEntry file(String path) {
        return Entries.file(path, 7, Entries.metadata(0644, 1, 0));
    }

    private FailureKind verdict() {
        TransferException verdict = ledger.verdict();
        assertThat(verdict).isNotNull();
        return verdict.kind();
    }

    @Test
    void failureWithOneReasonIsThatReason() {
        ledger.failed(file("a"), FailureKind.SOURCE, "permission denied");
        ledger.failed(file("b"), FailureKind.SOURCE, "permission denied");
        assertThat(verdict()).isEqualTo(FailureKind.SOURCE);
    }

    @Test
    void partialCopyMeansSomeFailed() {
        ledger.done(file("a"), 7, false, new byte[0]);
        ledger.failed(file("b"), FailureKind.SOURCE, "permission denied");
        assertThat(verdict()).isEqualTo(FailureKind.SOME_FILES_FAILED);
    }

    /** Files that would be copied count as in place, so that a dry run ends as the copy would. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aDryRunThatWouldCopySomeHasThemInPlace(boolean replaces) {
        figures.dryRun = true;
        ledger.wouldCopy(file("a"), replaces);
        ledger.failed(file("b"), FailureKind.SOURCE, "permission denied");
        assertThat(verdict()).isEqualTo(FailureKind.SOME_FILES_FAILED);
        String message = String.valueOf(ledger.verdict().getMessage());
        assertThat(message).isEqualTo("dry run: 1 file would fail, the first: b: permission denied");
        assertThat(FailureKind.SOME_FILES_FAILED.remedy(message)).doesNotContain("in place");
    }
}
