package io.fdt.cli.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.display.Display;
import io.fdt.cli.display.SummaryText;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.plan.RawPath;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferObserver.FileOutcome;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What {@code --watch} reports while it runs, and at its end. */
final class WatchTotalsTest {
    private static final RawPath FILE = RawPath.ofText("f");
    private static final Summary.FailedFile WHY = new Summary.FailedFile("f", Failure.of(Cause.TARGET, "no room"));

    private final WatchTotals totals = new WatchTotals(() -> 0);

    private WatchRound round() {
        return new WatchRound(List.of(FILE), RawPath.EMPTY, totals, new Display() {});
    }

    private static Summary copied(int files) {
        return Summary.of(null, files, 7, 7, 1, 1, "s");
    }

    private Summary end(int left, Cause signal) {
        return totals.summary(Set.of(), Map.of(), left, signal);
    }

    @Test
    void aFailureIsReportedAgainAfterTheFileWasInPlaceOrGone() {
        assertThat(totals.isNewFailure(FILE, WHY)).isTrue();
        totals.keep(Set.of(FILE));
        assertThat(totals.isNewFailure(FILE, WHY)).isFalse();
        totals.keep(Set.of());
        assertThat(totals.isNewFailure(FILE, WHY)).isTrue();
        WatchRound round = round();
        round.onFileInPlace("f", FileOutcome.COPIED, 7, Map.of());
        totals.add(copied(1), round);
        assertThat(totals.isNewFailure(FILE, WHY)).isTrue();
    }

    @Test
    void theEndNamesFilesThatFailedAndDirectoriesThatCannotBeRead() {
        RawPath directory = RawPath.ofText("closed");
        totals.isNewFailure(
                RawPath.ofText("gone"), new Summary.FailedFile("gone", Failure.of(Cause.TARGET, "no room")));
        totals.isNewFailure(FILE, WHY);
        Summary end = totals.summary(
                Set.of(FILE), Map.of(directory, Cause.SOURCE.at("closed").failure("cannot read")), 0, null);
        assertThat(end.kind()).isEqualTo(FailureKind.SOME_FILES_FAILED);
        assertThat(end.files().failed()).isEqualTo(2);
        assertThat(end.files().firstFailed())
                .extracting(Summary.FailedFile::text)
                .containsExactly("f: no room", "closed: cannot read");
    }

    @Test
    void aSignalBeforeAllCompleteFilesAreCopiedIsTheFailure() {
        assertThat(end(1, Cause.TERMINATED).exitCode()).isEqualTo(143);
        assertThat(end(1, Cause.TERMINATED).message()).isEqualTo("1 complete file not copied yet");
        assertThat(end(0, Cause.TERMINATED).exitCode()).isZero();
    }

    @Test
    void aLostRoundIsTheFailureUntilTheNextAndItsFilesCount() {
        totals.add(copied(2), round());
        totals.onLost(SummaryText.withoutSession(Cause.CONNECTION_LOST.failure("lost")));
        assertThat(end(0, Cause.INTERRUPTED).kind()).isEqualTo(FailureKind.CONNECTION_LOST);
        totals.add(copied(1), round());
        assertThat(end(0, Cause.INTERRUPTED).failure()).isNull();
        assertThat(end(0, Cause.INTERRUPTED).files().inPlace()).isEqualTo(3);
    }

    @Test
    void onlyARoundThatHasBegunMayHaveLeftFilesInPlace() {
        WatchRound round = round();
        assertThat(round.unfinished(false)).isEmpty();
        round.onStart("s", 1, "tcp", "h");
        assertThat(round.unfinished(false)).containsExactly(FILE);
        assertThat(round.unfinished(true)).isEmpty();
        round.onFileInPlace("f", FileOutcome.SKIPPED, 7, Map.of());
        assertThat(round.unfinished(false)).isEmpty();
        assertThat(round.inPlace()).containsExactly(FILE);
    }
}
