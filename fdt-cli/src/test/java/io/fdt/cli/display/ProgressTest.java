package io.fdt.cli.display;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.stats.Moved;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.Summary;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProgressTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long GIB = 1L << 30;

    private static Progress progress(long total, long done, boolean totalsFinal) {
        return new Progress(
                new Progress.Files(300, 12, 0, 0),
                new Progress.Bytes(total, done, Summary.Bytes.of(done, new Moved(done, done, done, done, done))),
                4,
                totalsFinal,
                10 * SECOND);
    }

    @Test
    void showsAmountRateEtaFilesAndLanesOnOneLine() {
        ProgressView view = ProgressView.of(progress(10 * GIB, 4 * GIB, true), 8.0 * GIB);
        assertThat(ProgressLine.plain(view))
                .isEqualTo(" 40%  4.00 GiB of 10.0 GiB  8.59 Gbit/s (1.00 GiB/s)  ETA 0:06  12/300 files  4 lanes");
    }

    @Test
    void oneFileIsSingular() {
        Progress one = new Progress(
                new Progress.Files(1, 1, 0, 0),
                new Progress.Bytes(GIB, GIB, Summary.Bytes.of(GIB, new Moved(GIB, GIB, GIB, GIB, GIB))),
                4,
                true,
                10 * SECOND);
        assertThat(ProgressLine.plain(ProgressView.of(one, 0))).contains("  1/1 file  ");
    }

    @Test
    void marksGrowingTotalsAndOmitsTheEta() {
        ProgressView view = ProgressView.of(progress(10 * GIB, 4 * GIB, false), 8.0 * GIB);
        assertThat(ProgressLine.plain(view))
                .isEqualTo("4.00 GiB of 10.0 GiB+  8.59 Gbit/s (1.00 GiB/s)  12/300+ files  4 lanes");
    }

    @Test
    void showsStreamsWithoutAKnownEnd() {
        ProgressView view = ProgressView.of(progress(-1, 4 * GIB, true), 0);
        assertThat(ProgressLine.bar(view, 80)).isEqualTo("4.00 GiB  0 bit/s (0 B/s)  12/300 files  4 lanes");
    }

    @Test
    void drawsABarWhereThereIsRoom() {
        ProgressView view = ProgressView.of(progress(10 * GIB, 5 * GIB, true), 8.0 * GIB);
        assertThat(ProgressLine.bar(view, 120))
                .isEqualTo("[###############...............]   50%  5.00 GiB of 10.0 GiB  8.59 Gbit/s (1.00 GiB/s)"
                        + "  ETA 0:05  12/300 files  4 lanes");
        assertThat(ProgressLine.bar(view, 80))
                .doesNotContain("[")
                .contains("ETA")
                .hasSizeLessThan(80);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 10, 20, 40, 79, 80, 81, 100, 119, 200, 1000})
    void fitsEveryTerminal(int columns) {
        for (Progress progress : new Progress[] {
            progress(10 * GIB, 5 * GIB, true),
            progress(-1, Long.MAX_VALUE, true),
            progress(Long.MAX_VALUE, Long.MAX_VALUE / 3, true),
            progress(0, 0, false)
        }) {
            String line = ProgressLine.bar(ProgressView.of(progress, 1e15), columns);
            assertThat(line.length()).isLessThanOrEqualTo(Math.max(1, columns - 1));
        }
    }

    /** A receiver may take seconds to make data durable; what was only sent may still be on the way. */
    @Test
    void showsWhatHasArrived() {
        Progress sent = new Progress(
                new Progress.Files(1, 0, 0, 0),
                new Progress.Bytes(1_000, 300, Summary.Bytes.of(300, new Moved(900, 400, 300, 200, 0))),
                4,
                true,
                SECOND);
        assertThat(ProgressLine.plain(ProgressView.of(sent, 800)))
                .startsWith(" 50%  500 B of 0.98 KiB")
                .contains("ETA 0:05");
    }

    @Test
    void showsFailedFiles() {
        Progress progress = new Progress(
                new Progress.Files(3, 3, 2, 0),
                new Progress.Bytes(1, 1, Summary.Bytes.of(1, new Moved(1, 1, 1, 1, 1))),
                1,
                true,
                SECOND);
        assertThat(ProgressLine.plain(ProgressView.of(progress, 0))).endsWith("3/3 files  1 lane  2 failed");
    }

    @ParameterizedTest
    @CsvSource({
        "1000, 0, 0, -1",
        "1000, 0, 8000, 1",
        "1000, 0, 7999, 2",
        "1000, 1000, 0, 0",
        "1000, 2000, 8, 0",
        "1000, 0, NaN, -1",
        "9223372036854775807, 0, 1, -1",
        "-1, 5, 8000, -1",
    })
    void neverGivesAnEtaThatIsNegativeOrNoNumber(long total, long done, double rate, long eta) {
        assertThat(ProgressView.of(progress(total, done, true), rate).etaSeconds())
                .isEqualTo(eta);
    }

    @Test
    void computesTheRateOfTheLastSeconds() {
        RateWindow rate = new RateWindow(5 * SECOND);
        for (int second = 0; second <= 10; second++) {
            rate.add(second * SECOND, 0);
        }
        for (int second = 11; second <= 20; second++) {
            rate.add(second * SECOND, (second - 10) * 1_000_000L);
        }
        assertThat(rate.bitsPerSecond()).isEqualTo(8_000_000.0);
        for (int second = 21; second <= 26; second++) {
            rate.add(second * SECOND, 10_000_000L);
        }
        assertThat(rate.bitsPerSecond()).isZero();
    }

    @Test
    void hasNoRateBeforeTimeHasPassed() {
        RateWindow rate = new RateWindow(5 * SECOND);
        assertThat(rate.bitsPerSecond()).isZero();
        rate.add(7, 100);
        assertThat(rate.bitsPerSecond()).isZero();
        rate.add(7, 200);
        assertThat(rate.bitsPerSecond()).isZero();
    }

    @Test
    void survivesClocksThatJumpAndCountsThatFall() {
        long seed = Long.getLong("fdt.seed", 1);
        Random random = new Random(seed);
        RateWindow rate = new RateWindow(5 * SECOND);
        for (int i = 0; i < 10_000; i++) {
            long nanos = random.nextInt(4) == 0 ? random.nextLong() : random.nextInt() * SECOND;
            rate.add(nanos, random.nextInt(1_000_000_000));
            assertThat(rate.bitsPerSecond()).as("seed %d", seed).isFinite().isNotNegative();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "AUTO, true, false, false, '', BAR",
        "AUTO, true, false, false, 1, PLAIN",
        "AUTO, false, false, false, '', PLAIN",
        "AUTO, true, true, false, '', NONE",
        "AUTO, true, false, true, '', NONE",
        "BAR, true, false, true, '', BAR",
        "BAR, false, false, false, '', PLAIN",
        "BAR, true, true, false, '', NONE",
        "BAR, true, false, false, 1, PLAIN",
        "PLAIN, true, false, false, '', PLAIN",
        "PLAIN, true, true, false, '', NONE",
        "NONE, true, false, false, '', NONE",
    })
    void drawsABarOnlyOnATerminalThatWantsOne(
            ProgressMode asked, boolean terminal, boolean quiet, boolean json, String noColor, ProgressMode expected) {
        assertThat(asked.resolve(terminal, quiet, json, Map.of("NO_COLOR", noColor)))
                .isEqualTo(expected);
    }

    /** Such as the shell of Emacs, which shows the codes that redraw a line. */
    @Test
    void drawsNoBarOnATerminalThatCannotRedrawALine() {
        assertThat(ProgressMode.AUTO.resolve(true, false, false, Map.of("TERM", "dumb")))
                .isEqualTo(ProgressMode.PLAIN);
        assertThat(ProgressMode.AUTO.resolve(true, false, false, Map.of("TERM", "xterm")))
                .isEqualTo(ProgressMode.BAR);
    }
}
