package io.fdt.core.storage.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.storage.Resolver;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.TargetFile;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.Paths;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Data that a flush cannot reach or has lost is reported, even where directories cannot be listed or opened. */
class TargetFlushTest extends TargetTest {
    /** Directories that cannot be listed, although files can be created in them. */
    private static final class Unlistable implements Resolver {
        private final Resolver best = Resolver.best();

        @Override
        public int openBeneath(int dirFd, RawPath path, int flags, int mode) {
            return isListing(flags) ? -Errno.EACCES : best.openBeneath(dirFd, path, flags, mode);
        }

        @Override
        public int openWithoutLinks(int dirFd, RawPath path, int flags, int mode) {
            return isListing(flags) ? -Errno.EACCES : best.openWithoutLinks(dirFd, path, flags, mode);
        }

        @Override
        public boolean isKernels() {
            return best.isKernels();
        }

        private static boolean isListing(int flags) {
            return (flags & Paths.O_DIRECTORY) != 0 && (flags & Paths.O_PATH) == 0;
        }
    }

    @Test
    void noticesALossAlsoInADirectoryThatItCannotList() throws IOException {
        directory("out");
        Disk failing = new Disk() {
            @Override
            public int syncFileSystem(int fd) {
                int synced = Disk.super.syncFileSystem(fd);
                return synced == 0 ? -Errno.EIO : synced;
            }
        };
        try (Root root = Root.confined(raw(temporary), new Unlistable());
                TargetTree tree = new TargetTree(
                        failing,
                        root,
                        raw("out"),
                        rules(Existing.SKIP_SAME),
                        DigestKind.XXH3_128,
                        CHUNK_BYTES,
                        false)) {
            TargetFile file = wanted(tree.prepare(fileEntry("f", 3)));
            write(file, bytes("abc"), 0);
            assertThatThrownBy(tree::syncFileSystem).hasMessageContaining("Input/output error");
            file.abandon(false);
            file.close();
        }
    }

    /** A directory that cannot be opened is not flushed, and the copy must report that. */
    @ParameterizedTest
    @ValueSource(ints = {Errno.EMFILE, Errno.EIO})
    void failsIfADirectoryAboveTheTargetCannotBeFlushed(int errno) throws IOException {
        directory("above/out");
        Resolver refusing = new RefusingResolver(Resolver.best(), raw("above"), errno);
        try (Root root = Root.confined(raw(temporary), refusing);
                TargetTree tree = open(root, "above/out", false)) {
            assertThatThrownBy(tree::syncRest)
                    .asInstanceOf(type(TransferException.class))
                    .extracting(failure -> failure.failure().cause())
                    .isEqualTo(errno == Errno.EMFILE ? Cause.HOST_LIMIT : Cause.IO_ERROR);
        }
    }

    /** The next run must also copy again the files that the older mark covers. */
    @Test
    void keepsTheOlderLossMarkIfNoOtherCanBeWritten() throws IOException {
        Path mark = file("out/.fdt.lost", "older");
        Disk full = new Disk() {
            @Override
            public int open(int dirFd, RawPath name, int flags, int mode) {
                return (flags & Paths.O_CREAT) != 0 ? -Errno.ENOSPC : Paths.openat(dirFd, name, flags, mode);
            }

            @Override
            public int syncFileSystem(int fd) {
                return -Errno.EIO;
            }
        };
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = new TargetTree(
                        full, root, raw("out"), rules(Existing.SKIP_SAME), DigestKind.XXH3_128, CHUNK_BYTES, false)) {
            assertThatThrownBy(tree::syncFileSystem).isInstanceOf(TransferException.class);
        }
        assertThat(mark).hasContent("older");
    }

    /** Without the loss mark, files that a failed flush may have lost would be kept. */
    @Test
    void failsIfTheLossMarkCannotBeRead() throws IOException {
        directory("out");
        Disk disk = new Disk() {
            @Override
            public int open(int dirFd, RawPath name, int flags, int mode) {
                return name.equals(raw(".fdt.lost")) ? -Errno.EMFILE : Paths.openat(dirFd, name, flags, mode);
            }
        };
        try (Root root = Root.confined(raw(temporary))) {
            assertThatThrownBy(() -> new TargetTree(
                                    disk,
                                    root,
                                    raw("out"),
                                    rules(Existing.SKIP_SAME),
                                    DigestKind.XXH3_128,
                                    CHUNK_BYTES,
                                    false)
                            .close())
                    .asInstanceOf(type(TransferException.class))
                    .extracting(each -> each.failure().cause())
                    .isEqualTo(Cause.HOST_LIMIT);
        }
    }
}
