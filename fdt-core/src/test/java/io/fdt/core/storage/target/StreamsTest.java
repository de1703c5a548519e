package io.fdt.core.storage.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.storage.StorageTest;
import io.fdt.core.storage.TargetFile;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Paths;
import io.fdt.core.storage.source.PipeSource;
import io.fdt.core.storage.source.SourceTreeTest;
import io.fdt.core.storage.source.ZeroSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class StreamsTest extends StorageTest {
    @Test
    void readsAPipeInOrderToItsEnd() throws Exception {
        Path fifo = temporary.resolve("fifo");
        SourceTreeTest.run("mkfifo", fifo.toString());
        Process writer = new ProcessBuilder("sh", "-c", "(printf abc; printf defgh) > '" + fifo + "'").start();
        int fd = Paths.openat(Paths.AT_FDCWD, raw(fifo), Paths.O_RDONLY, 0);
        try (PipeSource pipe = new PipeSource(fd, raw("standard input"))) {
            Memory memory = Memory.of(10);
            assertThat(pipe.read(memory.address(), 5, 0)).isEqualTo(5);
            assertThat(memory.bytes(5)).isEqualTo(bytes("abcde"));
            assertThatThrownBy(() -> pipe.read(memory.address(), 5, 0)).isInstanceOf(TransferException.class);
            assertThat(pipe.read(memory.address(), 5, 5)).isEqualTo(3);
            assertThat(pipe.read(memory.address(), 5, 8)).isZero();
        }
        Descriptor.closeFd(fd);
        assertThat(writer.waitFor()).isZero();
    }

    @Test
    void writesAPipeInOrder() throws IOException {
        Path out = temporary.resolve("out");
        int fd = Paths.openat(Paths.AT_FDCWD, raw(out), Paths.O_WRONLY | Paths.O_CREAT, 0644);
        try (PipeTarget pipe = new PipeTarget(fd, raw("standard output"));
                TargetFile file = wanted(pipe.prepare(fileEntry("x", 10)))) {
            write(file, bytes("abc"), 0);
            file.zero(3, 200_000);
            write(file, bytes("d"), 200_003);
            assertThatThrownBy(() -> write(file, bytes("x"), 0))
                    .isInstanceOfSatisfying(
                            TransferException.class,
                            failure -> assertThat(failure.kind()).isEqualTo(FailureKind.CONNECTION_LOST))
                    .hasMessage("standard output: a lane was lost after byte 0 had been written out, which cannot be"
                            + " taken back");
            file.onDamaged();
            assertThatThrownBy(() -> write(file, bytes("x"), 0))
                    .isInstanceOfSatisfying(
                            TransferException.class,
                            failure -> assertThat(failure.kind()).isEqualTo(FailureKind.INTEGRITY))
                    .hasMessage("standard output: byte 0 was already written out and did not verify");
            assertThatThrownBy(() -> write(file, bytes("x"), 900_000)).isInstanceOf(TransferException.class);
            assertThat(failure(() -> pipe.prepare(fileEntry("y", 1))).kind()).isEqualTo(FailureKind.USAGE);
        }
        Descriptor.closeFd(fd);
        assertThat(Files.size(out)).isEqualTo(200_004);
    }

    @Test
    void readsZerosUpToTheirSize() {
        try (ZeroSource zeros = new ZeroSource(10);
                ZeroSource endless = new ZeroSource(-1)) {
            byte[] ones = new byte[8];
            Arrays.fill(ones, (byte) 1);
            Memory memory = Memory.of(ones);
            assertThat(zeros.read(memory.address(), 8, 0)).isEqualTo(8);
            assertThat(memory.bytes(8)).containsOnly(0);
            assertThat(zeros.read(memory.address(), 8, 8)).isEqualTo(2);
            assertThat(zeros.read(memory.address(), 8, 16)).isZero();
            assertThat(zeros.presentLeaves(0, 64, LEAF_BYTES)).isEqualTo(-1L);
            assertThat(endless.read(memory.address(), 8, 1L << 60)).isEqualTo(8);
        }
    }
}
