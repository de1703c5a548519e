package io.fdt.core.storage.partial;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LossMarkTest {
    private static final long HOUR_MS = Duration.ofHours(1).toMillis();

    @TempDir
    private Path directory;

    private boolean coversFileMadeAfterMarkOf(long latestMs) throws IOException {
        int fd = Paths.openat(
                Paths.AT_FDCWD, RawPath.ofText(directory.toString()), Paths.O_RDONLY | Paths.O_DIRECTORY, 0);
        try {
            new LossMark(Disk.KERNEL, fd).leave(latestMs);
            FileStatus mark = new FileStatus();
            FileStatus file = new FileStatus();
            assertThat(FileMetadata.statat(fd, LossMark.NAME, Paths.AT_SYMLINK_NOFOLLOW, mark))
                    .isZero();
            RawPath name = RawPath.ofText("file");
            do {
                Files.writeString(directory.resolve("file"), "x");
                assertThat(FileMetadata.statat(fd, name, Paths.AT_SYMLINK_NOFOLLOW, file))
                        .isZero();
            } while (file.changedSeconds == mark.changedSeconds && file.changedNanos == mark.changedNanos);
            return new LossMark(Disk.KERNEL, fd).covers(file, false);
        } finally {
            Descriptor.closeFd(fd);
        }
    }

    @Test
    void whatIsCopiedAgainIsNewerThanTheMark() throws IOException {
        assertThat(coversFileMadeAfterMarkOf(System.currentTimeMillis() - HOUR_MS))
                .isFalse();
    }

    /** The file was written before the clock was set back by an hour, and the flush failed after that. */
    @Test
    void coversWhatWasWrittenBeforeTheClockWasSetBack() throws IOException {
        assertThat(coversFileMadeAfterMarkOf(System.currentTimeMillis() + HOUR_MS))
                .isTrue();
    }
}
