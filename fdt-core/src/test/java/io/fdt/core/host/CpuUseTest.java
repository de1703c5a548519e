package io.fdt.core.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.stats.CoreTimes;
import io.fdt.core.stats.HostFacts;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CpuUseTest {
    @TempDir
    Path root;

    private void file(String path, String text) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    @Test
    void splitsEachCoresTime() throws IOException {
        file("proc/stat", """
                cpu  100 1 200 3000 40 5 60 7 0 0
                cpu0 50 1 100 1500 20 5 30 7 0 0
                cpu7 50 0 100 1500 20 0 30
                intr 1 2 3
                """);

        List<CoreTimes> cores = new CpuUse(root).cores();

        assertThat(cores)
                .containsExactly(
                        new CoreTimes(0, 510, 1000, 300, 120, 15_200), new CoreTimes(7, 500, 1000, 300, 0, 15_200));
    }

    @Test
    void sharesCoverTimeBetweenReadings() {
        CoreTimes before = new CoreTimes(1, 100, 100, 0, 0, 1000);
        CoreTimes after = new CoreTimes(1, 200, 300, 500, 0, 1200);
        CoreTimes other = new CoreTimes(2, 1, 1, 1, 1, 1);

        List<CoreTimes> spent = CpuUse.between(List.of(before), List.of(after, other));

        assertThat(spent).containsExactly(new CoreTimes(1, 100, 200, 500, 0, 200));
        assertThat(spent.get(0).busy()).isEqualTo(0.8);
        assertThat(spent.get(0).share(spent.get(0).softirqMs())).isEqualTo(0.5);
        assertThat(before.since(after)).as("counters that step back").isEqualTo(new CoreTimes(1, 0, 0, 0, 0, 0));
    }

    @Test
    void readsProcessTimeAfterAnyName() throws IOException {
        file("proc/self/stat", "7 (a) b) S 1 2 3 4 5 6 7 8 9 10 250 50 0 0 20 0\n");
        assertThat(new CpuUse(root).processNanos()).isEqualTo(3_000_000_000L);
    }

    @Test
    void noFiguresWithoutProc() {
        assertThat(new CpuUse(root).cores()).isEmpty();
        assertThat(new CpuUse(root).processNanos()).isZero();
        HostFacts caption = Caption.of(root, InetAddress.getLoopbackAddress(), "fdt 1");
        assertThat(caption.cpu().model()).isEmpty();
        assertThat(caption.cpu().cores()).isZero();
    }

    @Test
    void captionDescribesHost() throws IOException {
        file("proc/stat", "cpu0 1 1 1 1 1 1 1\ncpu1 1 1 1 1 1 1 1\ncpu2 1 1 1 1 1 1 1\n");
        file("proc/cpuinfo", "processor : 0\nmodel name\t: Some CPU @ 3 GHz\n");
        file("proc/self/status", "Name:\tx\nCpus_allowed:\t0,00000005\n");
        file("proc/sys/kernel/hostname", "dtn1\n");
        file("proc/sys/kernel/osrelease", "6.1.0\n");
        file("sys/class/net/lo/speed", "100000\n");

        HostFacts caption = Caption.of(root, InetAddress.getLoopbackAddress(), "fdt 1");

        assertThat(caption)
                .isEqualTo(new HostFacts(
                        "fdt 1",
                        "dtn1",
                        "6.1.0",
                        new HostFacts.Cpu("Some CPU @ 3 GHz", 3, 2),
                        new HostFacts.Nic("lo", 100_000_000_000L, "", 0)));
    }

    @Test
    void hostOfArmIsNamedByThePartOfItsCores() throws IOException {
        file("proc/cpuinfo", "processor : 0\nCPU part\t: 0xd0c\n\nprocessor : 1\nCPU part\t: 0xd0c\n");

        assertThat(Host.read(root).machine().cpu()).isEqualTo("ARM part 0xd0c");
        assertThat(Caption.of(root, null, "fdt 1").cpu().model()).isEqualTo("ARM part 0xd0c");
    }

    @Test
    void thisHostSpendsTime() {
        CpuUse use = new CpuUse(Path.of("/"));
        assertThat(use.cores()).isNotEmpty();
        assertThat(use.processNanos()).isPositive();
    }
}
