package io.fdt.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Budgets;
import io.fdt.core.budget.Resource;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.Entries;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.stats.Summary.FailedFile;
import io.fdt.core.stats.TransferFigures;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
    void sameReasonForAllFilesIsTheVerdict() {
        ledger.failed(file("a"), Failure.of(Cause.SOURCE, "permission denied"));
        ledger.failed(file("b"), Failure.of(Cause.SOURCE, "permission denied"));
        assertThat(verdict()).isEqualTo(FailureKind.SOURCE);
    }

    @Test
    void aServersListOfFailuresIsChargedAndBounded() {
        Budget budget = new Budgets(Map.of(Resource.HEAP, 1L << 20), () -> false).open("key");
        Ledger charged = new Ledger(figures, budget);
        String longest = "\u0001".repeat(1_000);
        for (int i = 0; i < 1_000; i++) {
            charged.failed(file(longest), Failure.of(Cause.SOURCE, "x".repeat(4_096)));
        }
        List<FailedFile> listed = charged.failedFiles();
        long chars = listed.stream()
                .mapToLong(each -> each.path().length() + each.failure().chars())
                .sum();
        assertThat(chars).isBetween(1L, 20L << 10);
        assertThat(charged.summary(null, null, Counter.RECEIVED_BYTES, 1, Ledger.CopyOutcome.NONE, 1)
                        .files()
                        .failed())
                .isEqualTo(1_000);
        assertThat(String.valueOf(charged.verdict())).hasSizeLessThan(4_096);
        assertThat(budget.held(Resource.HEAP)).isGreaterThan(2 * chars);
    }

    @Test
    void failuresAreOnlyCountedWhenTheBudgetIsFull() {
        Budget budget = new Budgets(Map.of(Resource.HEAP, 1_000L), () -> false).open("key");
        Ledger charged = new Ledger(figures, budget);
        for (int i = 0; i < 1_000; i++) {
            charged.failed(file("f" + i), Failure.of(Cause.SOURCE, "no"));
        }
        assertThat(charged.failedFiles()).hasSizeBetween(1, 10);
    }

    @Test
    void partialCopyMeansSomeFailed() {
        ledger.done(file("a"), 7, false, new byte[0]);
        ledger.failed(file("b"), Failure.of(Cause.SOURCE, "permission denied"));
        assertThat(verdict()).isEqualTo(FailureKind.SOME_FILES_FAILED);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sub/x | sub/x | cannot open: Permission denied | sub/x: cannot open: Permission denied",
                "y | /data/t/y | cannot write: Is a directory | /data/t/y: cannot write: Is a directory",
                "y | | permission denied | y: permission denied",
                "y | | cannot rename /data/fry: gone | y: cannot rename /data/fry: gone",
            })
    void aReasonNamesItsFileOnce(String path, @Nullable String known, String reason, String text) {
        Failure bare = Failure.of(Cause.SOURCE, reason);
        Failure why = known == null ? bare : bare.at(known);
        assertThat(new FailedFile(path, why).text()).isEqualTo(text);
        ledger.done(file("a"), 7, false, new byte[0]);
        ledger.failed(file(path), why);
        assertThat(ledger.verdict()).hasMessage("1 file failed, the first: " + text);
    }

    @Test
    void aFileWithItsNameCountsWithWhatWasMoved() {
        ledger.resumed(file("a"), 5);
        ledger.acknowledged(10);
        ledger.acknowledged(2);
        // A file of seven bytes, of which five were resumed.
        ledger.named(7, 5);
        assertThat(figures.moved().durable()).isEqualTo(12);
        assertThat(figures.moved().named()).isEqualTo(2);
    }

    /** Opening the session takes longer than the copy. */
    @Test
    void aTinyCopyHasNoBottleneck() {
        Ledger.CopyOutcome outcome = new Ledger.CopyOutcome(true, null, "source-disk", false);
        assertThat(bottleneck(outcome, 1_000_000_000L)).isEqualTo("none");
        assertThat(bottleneck(outcome, 20_000_000_000L)).isEqualTo("source-disk");
        figures.bytesMoved.set(2 << 20);
        assertThat(bottleneck(outcome, 1_000_000_000L)).isEqualTo("source-disk");
    }

    private String bottleneck(Ledger.CopyOutcome outcome, long elapsedNanos) {
        return ledger.summary(null, null, Counter.SENT_BYTES, 1, outcome, elapsedNanos)
                .run()
                .bottleneck();
    }

    /** Files that would be copied count as in place, so that a dry run ends as the copy would. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aDryRunThatWouldCopySomeHasThemInPlace(boolean replaces) {
        figures.dryRun = true;
        ledger.wouldCopy(file("a"), replaces);
        ledger.failed(file("b"), Failure.of(Cause.SOURCE, "permission denied"));
        assertThat(verdict()).isEqualTo(FailureKind.SOME_FILES_FAILED);
        String message = String.valueOf(ledger.verdict().getMessage());
        assertThat(message).isEqualTo("dry run: 1 file would fail, the first: b: permission denied");
        assertThat(ledger.verdict().failure().remedy()).doesNotContain("in place");
    }
}
