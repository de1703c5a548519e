package io.fdt.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The search for what unfinished copies have left. */
final class PartialsTest {
    private static final String PART = ".fdt.0123456789abcdef.part";
    private static final int FILES = 5_000;
    /** A name has about a hundred; with a path and the status of each file it is nearly five hundred. */
    private static final long MAX_BYTES_A_FILE = 250;

    private static final long MANY = 1_000_000;

    @TempDir
    Path directory;

    private static void write(Path file, int bytes) throws IOException {
        Files.createDirectories(file.getParent());
        Files.write(file, new byte[bytes]);
    }

    private static Partials below(Path root, long maxEntries) {
        return Partials.below(root, maxEntries, () -> false);
    }

    @Test
    void countsPartialsAtAnyDepthAndNothingElse() throws IOException {
        write(directory.resolve(PART), 5);
        write(directory.resolve("a/b/c/.fdt.fedcba9876543210.part"), 70);
        write(directory.resolve("a/b/.fdt.fedcba9876543210.journal"), 1_000);
        write(directory.resolve("a/x.part"), 1_000);
        write(directory.resolve(".fdt.part"), 1_000);
        write(directory.resolve("a/.fdt.directory.part/file"), 1_000);
        Path elsewhere = Files.createDirectory(directory.resolveSibling(directory.getFileName() + "-elsewhere"));
        write(elsewhere.resolve(PART), 1_000);
        Files.createSymbolicLink(directory.resolve("link"), elsewhere);
        try {
            Partials found = below(directory, MANY);

            assertThat(found.isCut()).isFalse();
            assertThat(found.count()).isEqualTo(2);
        } finally {
            Files.delete(elsewhere.resolve(PART));
            Files.delete(elsewhere);
        }
    }

    /** The size of a partial is that of its file from the first chunk on. */
    @Test
    void countsWhatPartialsOccupyAndNotTheirSize() throws IOException {
        try (RandomAccessFile partial =
                new RandomAccessFile(directory.resolve(PART).toFile(), "rw")) {
            partial.write(new byte[100_000]);
            partial.setLength(1L << 40);
            partial.getFD().sync();
        }

        assertThat(below(directory, MANY).bytes()).isBetween(100_000L, 1L << 20);
    }

    @Test
    void readsMoreDirectoriesThanMayWait() throws IOException {
        int directories = Partials.MAX_WAITING + 20;
        for (int i = 0; i < directories; i++) {
            Files.createDirectory(directory.resolve("d" + i));
        }
        write(directory.resolve("d0/deep/" + PART), 1);
        write(directory.resolve("d" + (directories - 1) + "/deep/" + PART), 1);

        assertThat(below(directory, MANY).count()).isEqualTo(2);
        assertThat(below(directory, directories).isCut()).isTrue();
    }

    @Test
    void endsAtTheLimitAndWhenToldTo() throws IOException {
        write(directory.resolve("a/one"), 1);
        write(directory.resolve("a/two"), 1);

        assertThat(below(directory, 3).isCut()).isFalse();
        assertThat(below(directory, 2).isCut()).isTrue();
        assertThat(Partials.below(directory, MANY, () -> true).isCut()).isTrue();
        assertThat(below(directory.resolve("none"), MANY).count()).isZero();
    }

    /** What it allocates is what it does, whichever machine runs it. */
    @Test
    void asksForNoStatusOfOtherFiles() throws IOException {
        for (int i = 0; i < FILES; i++) {
            Files.createFile(directory.resolve("a file with a name as long as that of a measurement " + i));
        }
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        below(directory, MANY);
        long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
        below(directory, MANY);
        long bytes = threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;

        System.out.printf("allocated: %d bytes a file%n", bytes / FILES);
        assertThat(bytes / FILES).isPositive().isLessThan(MAX_BYTES_A_FILE);
    }
}
