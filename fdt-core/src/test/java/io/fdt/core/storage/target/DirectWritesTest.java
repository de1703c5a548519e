package io.fdt.core.storage.target;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.plan.Rules;
import io.fdt.core.plan.TargetRules;
import io.fdt.core.plan.TargetRules.DirectIo;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.storage.StorageTest;
import io.fdt.core.storage.posix.FileStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The tests describe each disk by files in the kernel's layout. */
class DirectWritesTest extends StorageTest {
    private static final long LARGE = 1L << 30;

    private boolean suits(DirectIo wish, Durability durability, long sizeBytes, int major, int minor)
            throws IOException {
        TransferPlan rules =
                Rules.of(Existing.SKIP_SAME, TargetRules.Comparison.TIME, durability, true, PRESERVED, wish);
        FileStatus opened = new FileStatus();
        opened.device = (long) major << 32 | minor;
        return new DirectWrites(rules, directory("block")).suit(sizeBytes, opened);
    }

    private boolean suitsByDefault(int major, int minor) throws IOException {
        return suits(DirectIo.AUTO, Durability.END, LARGE, major, minor);
    }

    private Path disk(String number, String name, String rotational) throws IOException {
        Path disk = directory("devices/" + name);
        file("devices/" + name + "/queue/rotational", rotational + "\n");
        Files.createSymbolicLink(directory("block").resolve(number), disk);
        return disk;
    }

    @Test
    void nonRotationalDiskAndItsPartitionsAreSuitable() throws IOException {
        Path disk = disk("259:0", "nvme0n1", "0");
        Files.createSymbolicLink(directory("block").resolve("259:1"), Files.createDirectory(disk.resolve("nvme0n1p1")));

        assertThat(suitsByDefault(259, 0)).isTrue();
        assertThat(suitsByDefault(259, 1)).isTrue();
    }

    @Test
    void rotationalDiskIsUnsuitable() throws IOException {
        disk("8:0", "sda", "1");

        assertThat(suitsByDefault(8, 0)).isFalse();
        assertThat(suits(DirectIo.ALWAYS, Durability.END, LARGE, 8, 0)).isTrue();
    }

    @Test
    void virtioDiskIsSuitable() throws IOException {
        Path disk = disk("254:0", "vda", "1");
        Files.createSymbolicLink(directory("devices/vda/device").resolve("driver"), directory("drivers/virtio_blk"));

        assertThat(disk).exists();
        assertThat(suitsByDefault(254, 0)).isTrue();
    }

    @Test
    void fileSystemWithoutLocalDiskIsUnsuitable() throws IOException {
        assertThat(suitsByDefault(0, 47)).isFalse();
    }

    @Test
    void smallAndUnflushedFilesUseThePageCache() throws IOException {
        disk("259:0", "nvme0n1", "0");

        assertThat(suits(DirectIo.AUTO, Durability.END, 256 << 20, 259, 0)).isTrue();
        assertThat(suits(DirectIo.AUTO, Durability.END, (256 << 20) - 1, 259, 0))
                .isFalse();
        assertThat(suits(DirectIo.AUTO, Durability.NONE, LARGE, 259, 0)).isFalse();
        assertThat(suits(DirectIo.NEVER, Durability.END, LARGE, 259, 0)).isFalse();
        assertThat(suits(DirectIo.ALWAYS, Durability.NONE, 4096, 0, 47)).isTrue();
        assertThat(suits(DirectIo.ALWAYS, Durability.NONE, 4095, 0, 47)).isFalse();
    }
}
