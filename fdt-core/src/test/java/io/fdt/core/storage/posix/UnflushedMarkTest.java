package io.fdt.core.storage.posix;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.StorageTest;
import io.fdt.core.storage.posix.UnflushedMark.Data;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class UnflushedMarkTest extends StorageTest {
    /** A disk of another start of the machine. */
    private static final Disk LATER = new Disk() {
        @Override
        public UUID bootId() {
            return new UUID(1, 2);
        }
    };

    /** As the kernel treats a user who is not root. */
    private static final Disk STRICT = new Disk() {
        @Override
        public int removeAttribute(int fd, RawPath attribute) {
            FileStatus there = new FileStatus();
            FileMetadata.stat(fd, there);
            return (there.mode() & 0200) == 0 ? -Errno.EACCES : Disk.super.removeAttribute(fd, attribute);
        }
    };

    private int fd = -1;

    private Path open() throws IOException {
        Path path = file("f", "content");
        fd = Paths.openat(Paths.AT_FDCWD, raw(path), Paths.O_PATH, 0);
        return path;
    }

    @AfterEach
    void close() {
        Descriptor.closeFd(fd);
    }

    private Data read(Disk disk) {
        return UnflushedMark.read(disk, fd, RawPath.EMPTY);
    }

    @Test
    void tellsTheStartOfTheMachine() throws IOException {
        open();
        assertThat(read(Disk.KERNEL)).isEqualTo(Data.UNMARKED);
        assertThat(UnflushedMark.set(Disk.KERNEL, fd)).isTrue();
        assertThat(read(Disk.KERNEL)).isEqualTo(Data.UNFLUSHED);
        assertThat(read(LATER)).isEqualTo(Data.DOUBTFUL);
    }

    /** Then the file is flushed instead. */
    @Test
    void tellsIfTheFileSystemTakesNoMark() throws IOException {
        open();
        Disk plain = new Disk() {
            @Override
            public int setAttribute(int file, RawPath attribute, long address, int length) {
                return -Errno.EOPNOTSUPP;
            }
        };
        assertThat(UnflushedMark.set(plain, fd)).isFalse();
        assertThat(UnflushedMark.shown(fd, RawPath.EMPTY)).isEmpty();
        assertThat(UnflushedMark.set(Disk.KERNEL, fd)).isTrue();
        assertThat(UnflushedMark.shown(fd, RawPath.EMPTY))
                .singleElement()
                .satisfies(shown -> assertThat(shown.value()).asString().isEqualTo("unflushed"));
    }

    @Test
    void isRemovedFromAReadOnlyFile() throws IOException {
        Path path = open();
        assertThat(UnflushedMark.set(Disk.KERNEL, fd)).isTrue();
        FileMetadata.setMode(fd, 0444);
        UnflushedMark.remove(STRICT, fd, statusOf(path));
        assertThat(read(Disk.KERNEL)).isEqualTo(Data.UNMARKED);
        assertThat(statusOf(path).mode()).isEqualTo(0444);
    }
}
