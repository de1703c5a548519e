package io.fdt.core.storage.partial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LossMarkTest {
    private static final long HOUR_MS = Duration.ofHours(1).toMillis();

    @TempDir
    private Path directory;

    private int fd = -1;

    @BeforeEach
    void open() {
        fd = Paths.openat(Paths.AT_FDCWD, RawPath.ofText(directory.toString()), Paths.O_RDONLY | Paths.O_DIRECTORY, 0);
    }

    @AfterEach
    void close() {
        Descriptor.closeFd(fd);
    }

    private boolean coversFileMadeAfterMarkOf(long latestMs) throws IOException {
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

    private static FileStatus changed(long seconds, int nanos) {
        FileStatus status = new FileStatus();
        status.changedSeconds = seconds;
        status.changedNanos = nanos;
        return status;
    }

    @Test
    void coversWhatIsAsOldAsTheMark() throws IOException {
        new LossMark(Disk.KERNEL, fd).leave(0);
        LossMark mark = new LossMark(Disk.KERNEL, fd);
        FileStatus left = new FileStatus();
        FileMetadata.statat(fd, LossMark.NAME, Paths.AT_SYMLINK_NOFOLLOW, left);
        long seconds = left.changedSeconds;
        int nanos = left.changedNanos;
        assertThat(mark.isFound()).isTrue();
        assertThat(mark.covers(changed(seconds, nanos), false)).isTrue();
        assertThat(mark.covers(changed(seconds, nanos + 1), false)).isFalse();
        assertThat(mark.covers(changed(seconds - 1, 999_999_999), false)).isTrue();
        assertThat(mark.covers(changed(seconds + 1, 0), false)).isFalse();
    }

    @Test
    void coversWhatIsAsOldAsTheLatestLostFile() throws IOException {
        long latestMs = System.currentTimeMillis() + HOUR_MS;
        new LossMark(Disk.KERNEL, fd).leave(latestMs);
        LossMark mark = new LossMark(Disk.KERNEL, fd);
        long seconds = latestMs / 1000;
        int nanos = (int) (latestMs % 1000) * 1_000_000;
        assertThat(mark.covers(changed(seconds, nanos + 999_999), false)).isTrue();
        assertThat(mark.covers(changed(seconds, nanos + 1_000_000), false)).isFalse();
    }

    /** Until a reboot the kernel may return the lost data from its memory; then it returns what the device has. */
    @Test
    void aRebootMakesWhatIsReadCertain() throws IOException {
        new LossMark(Disk.KERNEL, fd).leave(System.currentTimeMillis());
        Disk later = new Disk() {
            @Override
            public UUID bootId() {
                return new UUID(1, 2);
            }
        };
        FileStatus old = changed(1, 0);
        assertThat(new LossMark(Disk.KERNEL, fd).covers(old, true)).isTrue();
        assertThat(new LossMark(later, fd).covers(old, true)).isFalse();
        assertThat(new LossMark(later, fd).covers(old, false)).isTrue();
    }

    /** A power failure may leave a mark without its content. */
    @Test
    void aTornMarkCounts() throws IOException {
        Path torn = Files.write(directory.resolve(LossMark.NAME.text()), new byte[5]);
        Files.setPosixFilePermissions(torn, PosixFilePermissions.fromString("rw-------"));
        LossMark mark = new LossMark(Disk.KERNEL, fd);
        assertThat(mark.isFound()).isTrue();
        assertThat(mark.covers(changed(1, 0), true)).isTrue();
        assertThat(mark.covers(changed(Long.MAX_VALUE / 2000, 0), true)).isFalse();
    }

    /** Anybody who can write to the directory can put something there. */
    @Test
    void whatIsNoMarkIsNone() throws IOException {
        Path name = directory.resolve(LossMark.NAME.text());
        assertThat(new LossMark(Disk.KERNEL, fd).isFound()).isFalse();
        Files.createSymbolicLink(name, Files.write(directory.resolve("elsewhere"), new byte[24]));
        assertThat(new LossMark(Disk.KERNEL, fd).isFound()).isFalse();
        Files.delete(name);
        Files.createDirectory(name);
        assertThat(new LossMark(Disk.KERNEL, fd).isFound()).isFalse();
        Disk broken = new Disk() {
            @Override
            public int open(int dirFd, RawPath path, int flags, int mode) {
                return -Errno.EIO;
            }
        };
        assertThatThrownBy(() -> new LossMark(broken, fd)).hasMessageContaining("cannot read the loss mark");
    }

    /** The disk that loses data may refuse the mark, too. */
    @Test
    void aMarkThatCannotBeLeftLeavesNothing() throws IOException {
        Disk failing = new Disk() {
            @Override
            public int rename(int dirFd, RawPath from, RawPath to, int flags) {
                return -Errno.EIO;
            }
        };
        new LossMark(failing, fd).leave(0);
        assertThat(new LossMark(Disk.KERNEL, fd).isFound()).isFalse();
        assertThat(directory).isEmptyDirectory();
    }
}
