package io.fdt.core.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileData;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The kernel's resolver and the walking resolver must return the same results. */
class ResolverTest extends StorageTest {
    private static final List<Resolver> BOTH = List.of(new KernelResolver(), new WalkingResolver());

    @BeforeEach
    void makeTree() throws IOException {
        file("root/a/b/file", "found");
        file("outside/file", "canary");
        link("root/to-a", "a");
        link("root/a/up", "../a/b");
        link("root/a/b/self", ".");
        link("root/out", "../outside");
        link("root/a/out", "../../outside/file");
        link("root/absolute", temporary.resolve("root/a").toString());
        link("root/loop", "loop");
        link("root/dangling", "none");
        link("root/to-file", "a/b/file");
        link("root/chain", "to-file");
        link("root/slashed", "a/b/");
        link("root/zigzag", "a/../a/./b//file");
    }

    private void link(String name, String leadsTo) throws IOException {
        Files.createSymbolicLink(temporary.resolve(name), Path.of(leadsTo));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a/b/file           | found  | found",
                "a//b/./file        | found  | found",
                "a/b/../b/file      | found  | found",
                "to-a/b/file        | found  | ELOOP",
                "a/up/file          | found  | ELOOP",
                "a/b/self/self/file | found  | ELOOP",
                "to-file            | found  | ELOOP",
                "chain              | found  | ELOOP",
                "zigzag             | found  | ELOOP",
                "slashed/file       | found  | ELOOP",
                "out/file           | EXDEV  | ELOOP",
                "a/out              | EXDEV  | ELOOP",
                "absolute/b/file    | EXDEV  | ELOOP",
                "../outside/file    | EXDEV  | EXDEV",
                "a/../../outside/file | EXDEV | EXDEV",
                "..                 | EXDEV  | EXDEV",
                "/etc/passwd        | EXDEV  | EXDEV",
                "loop               | ELOOP  | ELOOP",
                "loop/x             | ELOOP  | ELOOP",
                "dangling           | ENOENT | ELOOP",
                "none/x             | ENOENT | ENOENT",
                "a/b/file/x         | ENOTDIR | ENOTDIR",
                "to-a/../a/b/file   | found  | ELOOP",
            })
    void resolvesAlike(String path, String following, String notFollowing) {
        try (Root root = Root.confined(raw(temporary.resolve("root")))) {
            int fd = root.duplicate();
            for (Resolver resolver : BOTH) {
                String name = resolver.getClass().getSimpleName();
                assertThat(outcome(resolver.openBeneath(fd, raw(path), Paths.O_RDONLY, 0)))
                        .as(name)
                        .isEqualTo(following);
                assertThat(outcome(resolver.openWithoutLinks(fd, raw(path), Paths.O_RDONLY, 0)))
                        .as(name)
                        .isEqualTo(notFollowing);
            }
            Descriptor.closeFd(fd);
        }
    }

    private static String outcome(int fd) {
        if (fd < 0) {
            return switch (-fd) {
                case Errno.EXDEV -> "EXDEV";
                case Errno.ELOOP -> "ELOOP";
                case Errno.ENOENT -> "ENOENT";
                case Errno.ENOTDIR -> "ENOTDIR";
                default -> "errno " + -fd;
            };
        }
        Memory memory = Memory.of(16);
        int count = FileData.preadAt(fd, memory.address(), 16, 0);
        Descriptor.closeFd(fd);
        return new String(memory.bytes(count), java.nio.charset.StandardCharsets.UTF_8);
    }

    @Test
    void opensDirectoriesAndFollowsLinksUnlessForbidden() {
        FileStatus status = new FileStatus();
        try (Root root = Root.confined(raw(temporary.resolve("root")))) {
            int fd = root.duplicate();
            for (Resolver resolver : BOTH) {
                for (String directory :
                        List.of("", ".", "a", "a/", "to-a", "to-a/", "a/b/..", "slashed", "a/up/self")) {
                    int opened = resolver.openBeneath(fd, raw(directory), Paths.O_PATH | Paths.O_DIRECTORY, 0);
                    assertThat(opened).as(directory).isPositive();
                    Descriptor.closeFd(opened);
                }
                int link = resolver.openBeneath(fd, raw("out"), Paths.O_PATH | Paths.O_NOFOLLOW, 0);
                assertThat(FileMetadata.stat(link, status)).isZero();
                assertThat(status.isLink()).isTrue();
                Descriptor.closeFd(link);
                int followed = resolver.openBeneath(fd, raw("to-file"), Paths.O_PATH, 0);
                assertThat(FileMetadata.stat(followed, status)).isZero();
                assertThat(status.isRegular()).isTrue();
                Descriptor.closeFd(followed);
            }
            Descriptor.closeFd(fd);
        }
    }

    /** Otherwise a server that once starts without a free descriptor would walk every path, which is slower. */
    @Test
    void findsTheKernelsResolverWithoutAFreeDescriptor() throws IOException {
        boolean[] found = new boolean[1];
        withDescriptors(0, () -> found[0] = KernelResolver.probe());
        assertThat(found[0]).isEqualTo(KernelResolver.probe());
    }

    @Test
    void aRootDoesNotTakeAMissingDescriptorForAMissingFile() throws IOException {
        try (Root root = Root.confined(raw(temporary.resolve("root")))) {
            List<Throwable> failures = new ArrayList<>();
            withDescriptors(0, () -> {
                failures.add(catchThrowable(() -> root.has(raw("to-file"))));
                failures.add(catchThrowable(() -> root.hasDirectory(raw("a"))));
            });
            assertThat(failures)
                    .allSatisfy(failure -> assertThat(failure)
                            .isInstanceOfSatisfying(
                                    TransferException.class,
                                    limit -> assertThat(limit.failure().cause()).isEqualTo(Cause.HOST_LIMIT)));
        }
    }
}
