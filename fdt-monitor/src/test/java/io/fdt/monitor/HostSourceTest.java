package io.fdt.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.fdt.core.basic.HostView;
import io.fdt.core.host.Host;
import io.fdt.core.host.Interrupt;
import io.fdt.core.host.RecordedHost;
import io.fdt.core.stats.CoreTimes;
import io.fdt.core.transport.Await;
import io.fdt.monitor.HostFigures.CoreTicks;
import io.fdt.monitor.HostFigures.Mode;
import io.fdt.monitor.HostFigures.QueueFigures;
import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Meter;
import io.fdt.monitor.figure.Sample;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
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
            assertThat(figures.exported()).isEmpty();
            assertThat(figures.sources())
                    .containsEntry("stat", false)
                    .containsEntry("softnet", false)
                    .containsEntry("tcp", false);
            FigureList list = new FigureList();
            list.addHost(figures);
            assertThat(list.figures())
                    .isNotEmpty()
                    .allSatisfy(figure -> assertThat(figure.meter()).isEqualTo(Meter.MONITOR_SOURCE_UP));
        }
    }

    @Test
    void hexColumnsOfSoftnetNameTheirCore() throws IOException {
        Path net = Files.createDirectories(directory.resolve("proc/net"));
        Files.writeString(
                net.resolve("softnet_stat"),
                "000000ff 00000002 0000000a 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000"
                        + " 00000000 00000005\n");
        try (HostSource source = new HostSource(directory)) {
            HostFigures figures = source.read();
            assertThat(figures.exported())
                    .containsExactly(
                            new Figure(Meter.HOST_SOFTNET_PROCESSED, List.of("5"), 255),
                            new Figure(Meter.HOST_SOFTNET_DROPPED, List.of("5"), 2),
                            new Figure(Meter.HOST_SOFTNET_SQUEEZED, List.of("5"), 10));
            assertThat(figures.sources()).containsEntry("softnet", true);
        }
    }

    @Test
    void tcpFiguresAreFoundByTheirNames() throws IOException {
        Path net = Files.createDirectories(directory.resolve("proc/net"));
        Files.writeString(net.resolve("netstat"), """
            TcpExt: TW ListenOverflowsOfOthers ListenOverflows ListenDrops TCPLoss
            TcpExt: 7 8 9 10 11
            IpExt: InNoRoutes ListenDrops
            IpExt: 1 2
            """);
        Files.writeString(
                net.resolve("sockstat"),
                "sockets: used 25\nTCP: inuse 1 orphan 0 tw 99 alloc 3 mem 55\nUDP: inuse 0 mem 9\n");
        Files.writeString(
                Files.createDirectories(directory.resolve("proc/sys/net/ipv4")).resolve("tcp_mem"),
                "287898\t383867\t575796\n");
        try (HostSource source = new HostSource(directory)) {
            HostFigures figures = source.read();
            assertThat(figures.exported())
                    .containsExactlyInAnyOrder(
                            new Figure(Meter.HOST_LISTEN_OVERFLOWS, List.of(), 9),
                            new Figure(Meter.HOST_LISTEN_DROPS, List.of(), 10),
                            new Figure(Meter.HOST_TCP_MEMORY, List.of(), 55 * 4096),
                            new Figure(Meter.HOST_TCP_MEMORY_LIMIT, List.of(), 575_796 * 4096.0));
            assertThat(figures.sources()).containsEntry("tcp", true);
        }
    }

    /** Kernels of aarch64 may have pages of 64 KiB. */
    @Test
    void memoryIsCountedInPagesOfTheKernel() throws IOException {
        Path self = Files.createDirectories(directory.resolve("proc/self"));
        ByteBuffer vector = ByteBuffer.allocate(64).order(ByteOrder.nativeOrder());
        vector.putLong(16).putLong(255).putLong(6).putLong(65_536).putLong(17).putLong(100);
        Files.write(self.resolve("auxv"), vector.array());
        Files.writeString(
                Files.createDirectories(directory.resolve("proc/net")).resolve("sockstat"),
                "sockets: used 25\nTCP: inuse 1 orphan 0 tw 99 alloc 3 mem 55\n");
        try (HostSource source = new HostSource(directory)) {
            assertThat(value(source.read(), Meter.HOST_TCP_MEMORY)).isEqualTo(55 * 65_536);
        }
        Files.writeString(self.resolve("statm"), "900 17 5 1 0 99 0\n");
        assertThat(ProcessFigures.residentBytes(directory, HostSource.pageBytes(directory)))
                .isEqualTo(17 * 65_536);
    }

    @Test
    void inAnIdleProcessSomeFiguresAreReadLessOften() throws IOException {
        Path net = Files.createDirectories(directory.resolve("proc/net"));
        Path netstat = Files.writeString(net.resolve("netstat"), "TcpExt: ListenDrops\nTcpExt: 1\n");
        try (HostSource source = new HostSource(directory)) {
            assertThat(value(source.read(true), Meter.HOST_LISTEN_DROPS)).isEqualTo(1);
            Files.writeString(netstat, "TcpExt: ListenDrops\nTcpExt: 2\n");
            assertThat(value(source.read(true), Meter.HOST_LISTEN_DROPS)).isEqualTo(1);
            assertThat(value(source.read(false), Meter.HOST_LISTEN_DROPS)).isEqualTo(2);
            Files.writeString(netstat, "TcpExt: ListenDrops\nTcpExt: 3\n");
            double last = 0;
            for (int reading = 0; reading < HostSource.IDLE_FACTOR; reading++) {
                last = value(source.read(true), Meter.HOST_LISTEN_DROPS);
            }
            assertThat(last).isEqualTo(3);
        }
    }

    /** The queue of a listening socket is filled until the kernel drops a connection. */
    @Test
    void theKernelCountsAConnectionThatAFullQueueDropped() throws IOException {
        List<SocketChannel> clients = new ArrayList<>();
        try (HostSource source = new HostSource(Path.of("/"));
                ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            double before = value(source.read(), Meter.HOST_LISTEN_OVERFLOWS);
            assertThat(before).isNotNegative();
            Await.until("a dropped connection", () -> {
                try {
                    SocketChannel client = SocketChannel.open();
                    clients.add(client);
                    client.configureBlocking(false);
                    client.connect(listening.getLocalSocketAddress());
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                return value(source.read(), Meter.HOST_LISTEN_OVERFLOWS) > before;
            });
            HostFigures after = source.read();
            assertThat(value(after, Meter.HOST_LISTEN_DROPS)).isPositive();
            assertThat(value(after, Meter.HOST_TCP_MEMORY_LIMIT)).isPositive();
        } finally {
            for (SocketChannel client : clients) {
                client.close();
            }
        }
    }

    private static double value(HostFigures figures, Meter meter) {
        return figures.exported().stream()
                .filter(figure -> figure.meter() == meter)
                .mapToDouble(Figure::value)
                .findFirst()
                .orElse(-1);
    }

    @Test
    void disksAreReadForExportedRootsOnly() throws IOException {
        Path proc = Files.createDirectories(directory.resolve("proc"));
        String other = "   8       0 sda 1 2 3 4 5 6 7 8 9 10 11\n";
        Files.writeString(
                proc.resolve("diskstats"), other + " 254       0 vda 100 5 2000 400 50 6 1000 900 0 700 1300\n");
        ExportedRoot data = new ExportedRoot("/data", "vda", 7, 9);
        ExportedRoot tmp = new ExportedRoot("/tmp", "", -1, -1);
        try (HostSource source = new HostSource(directory)) {
            assertThat(source.read().roots()).isEmpty();
            source.watch(List.of(data, tmp));
            HostFigures first = source.read();
            HostFigures.DiskFigures disk = new HostFigures.DiskFigures(
                    new HostFigures.Requests(100, 2000 * 512, 400), new HostFigures.Requests(50, 1000 * 512, 900), 700);
            assertThat(first.roots())
                    .containsExactly(new HostFigures.RootFigures(data, disk), new HostFigures.RootFigures(tmp, null));

            Files.writeString(
                    proc.resolve("diskstats"), other + " 254       0 vda 104 5 4000 410 50 6 1000 900 0 710 1310\n");
            HostFigures second = source.read();
            assertThat(HostRates.roots(first, second, 2))
                    .containsExactly(
                            new Sample.RootState(
                                    "/data",
                                    "vda",
                                    new Sample.Room(7, 9),
                                    new Sample.DiskRate(2000 * 512 / 2, 2500),
                                    new Sample.DiskRate(0, -1)),
                            new Sample.RootState(
                                    "/tmp",
                                    "",
                                    new Sample.Room(-1, -1),
                                    Sample.DiskRate.UNKNOWN,
                                    Sample.DiskRate.UNKNOWN));
            FigureList list = new FigureList();
            list.addHost(second);
            assertThat(list.figures())
                    .contains(
                            new Figure(Meter.SERVER_ROOT_INFO, List.of("/data", "vda"), 1),
                            new Figure(Meter.SERVER_ROOT_INFO, List.of("/tmp", ""), 1),
                            new Figure(Meter.SERVER_ROOT_FREE, List.of("/data"), 7),
                            new Figure(Meter.DISK_READ_SECONDS, List.of("vda"), 0.41))
                    .noneMatch(figure -> figure.labels().contains("sda"));
        }
    }

    @Test
    void theRoomOfARootIsThatOfItsFileSystem() throws IOException {
        ExportedRoot root = ExportedRoot.read(directory);
        assertThat(root.path()).isEqualTo(directory.toString());
        assertThat(root.sizeBytes())
                .isEqualTo(Files.getFileStore(directory).getTotalSpace())
                .isGreaterThanOrEqualTo(root.freeBytes());
        assertThat(root.freeBytes()).isPositive();
        if (!root.device().isEmpty()) {
            assertThat(Path.of("/sys/class/block", root.device())).exists();
        }
        assertThat(ExportedRoot.read(directory.resolve("gone")))
                .isEqualTo(new ExportedRoot(directory.resolve("gone").toString(), "", -1, -1));
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
