package io.fdt.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.fdt.core.HostView;
import io.fdt.core.host.Host;
import io.fdt.core.host.Interrupt;
import io.fdt.core.host.RecordedHost;
import io.fdt.core.stats.CoreTimes;
import io.fdt.monitor.HostFigures.CoreTicks;
import io.fdt.monitor.HostFigures.Mode;
import io.fdt.monitor.HostFigures.QueueFigures;
import io.fdt.monitor.figure.Meter;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The fast reader, which runs every second, reads the same values from a recorded host as the slow and careful reader.
 */
final class HostSourceTest {
    @TempDir
    Path directory;

    @Test
    void readsTheSameTicksAsTheCarefulReader() {
        Path root = RecordedHost.unpack("bonded40", directory);
        try (HostSource source = new HostSource(root)) {
            List<CoreTicks> cores = source.read().cores();
            List<CoreTimes> careful = Host.read(root).load();
            assertThat(cores).hasSize(24).hasSameSizeAs(careful);
            for (int i = 0; i < cores.size(); i++) {
                assertThat(cores.get(i).core()).isEqualTo(careful.get(i).core());
                assertThat(10 * cores.get(i).get(Mode.SOFTIRQ))
                        .isEqualTo(careful.get(i).softirqMs());
                assertThat(10 * cores.get(i).get(Mode.SYSTEM))
                        .isEqualTo(careful.get(i).systemMs());
                assertThat(10 * cores.get(i).total()).isEqualTo(careful.get(i).totalMs());
            }
            assertThat(cores.get(7).node()).isEqualTo(1);
        }
    }

    @Test
    void countsTheInterruptsOfEveryQueueByCore() {
        Path root = RecordedHost.unpack("bonded40", directory);
        try (HostSource source = new HostSource(root)) {
            List<QueueFigures> queues = source.read().queues();
            List<Interrupt> careful = Host.read(root).network().nics().stream()
                    .map(nic -> nic.queues().queueInterrupts())
                    .flatMap(List::stream)
                    .toList();
            assertThat(queues).isNotEmpty().hasSameSizeAs(careful);
            for (QueueFigures queue : queues) {
                Interrupt same = careful.stream()
                        .filter(each -> each.number() == queue.irq())
                        .findFirst()
                        .orElseThrow();
                assertThat(queue.total()).isEqualTo(same.total());
                for (int i = 0; i < queue.cores().length; i++) {
                    assertThat(queue.counts()[i]).isEqualTo(same.counts().getOrDefault(queue.cores()[i], 0L));
                }
            }
        }
    }

    @Test
    void sharesAreOfWhatHappenedBetweenTwoLooks() throws IOException {
        Path proc = Files.createDirectories(directory.resolve("proc"));
        Files.writeString(proc.resolve("stat"), "cpu  0\ncpu0 100 0 100 700 0 0 100 0 0 0\ncpu2 5 0 0 5 0 0 0 0 0 0\n");
        try (HostSource source = new HostSource(directory)) {
            HostFigures first = source.read();
            Files.writeString(
                    proc.resolve("stat"), "cpu  0\ncpu0 125 0 100 725 0 0 150 0 0 0\ncpu3 9 0 0 9 0 0 0 0 0 0\n");
            List<HostView.Core> shares = HostRates.cores(first, source.read());
            assertThat(shares).hasSize(1);
            assertThat(shares.get(0).core()).isZero();
            assertThat(shares.get(0).shares().softirq()).isCloseTo(0.5, within(1e-9));
            assertThat(shares.get(0).shares().user()).isCloseTo(0.25, within(1e-9));
            assertThat(shares.get(0).shares().idle()).isCloseTo(0.25, within(1e-9));
            assertThat(shares.get(0).shares().system()).isZero();
        }
    }

    @Test
    void whatTheHostDoesNotShowIsAbsentAndSaidSo() {
        try (HostSource source = new HostSource(directory)) {
            HostFigures figures = source.read();
            assertThat(figures.cores()).isEmpty();
            assertThat(figures.nics()).isEmpty();
            assertThat(figures.pressureUs()).isEmpty();
            assertThat(figures.sources()).containsEntry("stat", false).containsEntry("softnet", false);
            FigureList list = new FigureList();
            list.addHost(figures);
            assertThat(list.figures())
                    .allSatisfy(figure -> assertThat(figure.meter()).isEqualTo(Meter.MONITOR_SOURCE_UP));
        }
    }

    @Test
    void hexColumnsOfSoftnetNameTheirCore() throws IOException {
        Path net = Files.createDirectories(directory.resolve("proc/net"));
        Files.writeString(
                net.resolve("softnet_stat"),
                "000000ff 00000002 0000000a 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000005\n");
        try (HostSource source = new HostSource(directory)) {
            assertThat(source.read().softNet()).containsExactly(new HostFigures.SoftNet(5, 255, 2, 10));
        }
    }

    @Test
    void filesOfANicThatHasGoneDoNotStayOpen() throws IOException {
        Path nic = Files.createDirectories(directory.resolve("sys/class/net/veth1"));
        Path statistics = Files.createDirectories(nic.resolve("statistics"));
        Files.writeString(nic.resolve("mtu"), "1500\n");
        Path bytes = Files.writeString(statistics.resolve("rx_bytes"), "7\n");
        try (HostSource source = new HostSource(directory)) {
            assertThat(source.read().nics().get(0).received().bytes()).isEqualTo(7);
            assertThat(openFiles(nic)).isNotEmpty();
            Files.delete(bytes);
            Files.delete(statistics);
            Files.delete(nic.resolve("mtu"));
            Files.delete(nic);
            for (int reading = 0; reading < HostSource.FACTS_EVERY; reading++) {
                source.read();
            }
            assertThat(openFiles(nic)).isEmpty();
        }
    }

    private static List<String> openFiles(Path below) throws IOException {
        List<String> files = new ArrayList<>();
        try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path descriptor : open) {
                try {
                    String file = Files.readSymbolicLink(descriptor).toString();
                    if (file.startsWith(below + "/")) {
                        files.add(file);
                    }
                } catch (NoSuchFileException closed) {
                    // The directory itself was among them.
                }
            }
        }
        return files;
    }
}
