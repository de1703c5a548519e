package io.fdt.cli.display;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.stats.Moved;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.Summary;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The line about a failure: what happened, to which object, and one remedy. */
final class SummaryTextTest {
    @Test
    void aFailureHasOneRemedyItsOwnOrThatOfItsCause() {
        Failure silent = Failure.of(Cause.CANNOT_CONNECT, "h did not answer");
        assertThat(SummaryText.failureLine(silent))
                .isEqualTo("fdt: h did not answer; check the address and the port, and that the server is running");
        assertThat(SummaryText.failureLine(silent.advise("wait"))).isEqualTo("fdt: h did not answer; wait");
        assertThat(SummaryText.failureLine(Failure.of(Cause.SOME_FILES_FAILED, "1 file failed, the first: a; b: gone")))
                .endsWith("correct what is listed, then run the same command again");
        assertThat(SummaryText.failureLine(Failure.of(Cause.USAGE, "no such option; see --help")))
                .isEqualTo("fdt: no such option; see --help");
    }

    @Test
    void holesAreNotSent() {
        Summary sparse = new Summary(
                null,
                new Summary.Files(1, 0, 0, 0, List.of()),
                Summary.Bytes.of(200 << 20, new Moved(131_072, 200 << 20, 200 << 20, 200 << 20, 200 << 20)),
                new Summary.Run("s1", 4, 0, 800_000_000L, "none"),
                "xxh3-128:00ff",
                null);
        assertThat(SummaryText.lines(sparse)).contains("     moved 128 KiB, and holes for 200 MiB, over 4 lanes");
    }

    /** The next run resumes this; the rest has arrived, and is not verified or not recorded. */
    @Test
    void aStoppedCopySaysWhatIsKept() {
        long mib = 1 << 20;
        Moved moved = new Moved(80 * mib, 70 * mib, 65 * mib, 60 * mib, 0);
        assertThat(linesOfStopped(new Summary.Bytes(0, moved, mib, 0, 61 * mib, true)))
                .contains("     kept 61.0 of 71.0 MiB");
        assertThat(linesOfStopped(new Summary.Bytes(0, moved, mib, 0, 61 * mib, false)))
                .contains("     kept at least 61.0 of 71.0 MiB");
    }

    /** The process ends while the copy still runs: what is known is its progress. */
    @Test
    void anAbandonedCopySaysWhatIsKeptAtLeast() {
        long mib = 1 << 20;
        Summary.Bytes soFar = new Summary.Bytes(
                3 * mib, new Moved(80 * mib, 70 * mib, 65 * mib, 60 * mib, 2 * mib), mib, 0, 59 * mib, false);
        Progress last = new Progress(
                new Progress.Files(2, 1, 0, 0), new Progress.Bytes(100 * mib, 62 * mib, soFar), 4, true, 800_000_000L);
        Summary abandoned = SummaryText.abandoned(Cause.INTERRUPTED.failure("interrupted"), last);
        assertThat(SummaryText.lines(abandoned))
                .contains("fdt: copied 1 file, 3.00 MiB in 0.80 s", "     kept at least 59.0 of 69.0 MiB");
    }

    private static List<String> linesOfStopped(Summary.Bytes bytes) {
        return SummaryText.lines(new Summary(
                Failure.of(Cause.INTERRUPTED, "interrupted"),
                new Summary.Files(0, 0, 0, 0, List.of()),
                bytes,
                new Summary.Run("s1", 4, 0, 800_000_000L, "none"),
                null,
                null));
    }

    @Test
    void fullHeapIsALimitOfTheHost() {
        TransferException full = TransferException.of(new OutOfMemoryError("Java heap space"));

        assertThat(full.failure().cause()).isEqualTo(Cause.HOST_LIMIT);
        assertThat(SummaryText.failureLine(full.failure()))
                .isEqualTo("fdt: Java is out of memory (Java heap space); give it more (java -Xmx) or use fewer"
                        + " lanes (-P)");
    }

    @Test
    void reasonOfAFileHasNoPath() {
        assertThat(TransferException.reason(new NoSuchFileException("/a"))).isEqualTo("no such file or directory");
        assertThat(TransferException.reason(new AccessDeniedException("/a"))).isEqualTo("permission denied");
        assertThat(TransferException.reason(new FileAlreadyExistsException("/a")))
                .isEqualTo("another file has this name");
        assertThat(TransferException.reason(new FileSystemException("/a", "/b", "Is a directory")))
                .isEqualTo("Is a directory");
    }
}
