package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.core.FreePort;
import io.fdt.core.transport.Await;
import io.fdt.system.RecordedKernel.Rates;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Alerts about the network, the disks and the cores of a host, from real servers: each fires, stays silent for what is
 * next to it, and ends. Their times are shortened. The levels at which they fire are as they are.
 */
@Tag("dashboards")
final class HostAlertsTest {
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(300);

    @RegisterExtension
    final Workplace at = new Workplace();

    @BeforeEach
    void needsRoot() {
        assumeTrue(Shell.run("unshare", "--mount", "--net", "true").exitCode() == 0, "namespaces need root");
    }

    private static String quick(String alerts) {
        return alerts.replaceAll("for: [0-9]+[ms]", "for: 5s")
                .replace("[1m]", "[20s]")
                .replace("[5m]", "[20s]")
                .replace("[1h]", "[10s]");
    }

    private Prometheus scrape(String... monitors) {
        return Prometheus.startIn(List.of(), at, List.of(monitors), HostAlertsTest::quick);
    }

    private static void await(Prometheus prometheus, String alert, Set<String> expected, String... labels) {
        Await.until(() -> alert + " of " + expected + ", but these fire: " + prometheus.firing(false, labels), () -> {
            Set<String> firing = prometheus.firing(false, labels);
            firing.removeIf(each -> !each.startsWith(alert));
            if (!firing.equals(expected)) {
                // In another network, each look is a process.
                Await.pass(BETWEEN_LOOKS);
                return false;
            }
            return true;
        });
    }

    /** One server sends through a line that drops what exceeds its rate, and the other one past it. */
    @Test
    void retransmitsOfALineThatDrops() {
        String line = "ip link set lo mtu 1500 up && ip link add line type ifb && ip link set line up"
                + " && tc qdisc add dev line root tbf rate 16mbit burst 10kb limit 15kb && tc qdisc add dev lo ingress"
                + " && tc filter add dev lo parent ffff: protocol ip u32 match ip src 127.0.0.2/32"
                + " action mirred egress redirect dev line";
        FdtProcess namespace = at.startThrough(
                List.of("unshare", "--net", "bash", "-c", line + " && echo up && exec sleep infinity"), nothing());
        namespace.awaitLine(Workplace.LIMIT, "up"::equals);
        List<String> inside = List.of("nsenter", "--target", String.valueOf(namespace.pid()), "--net", "--");
        FdtServer lossy = pulledFrom("127.0.0.2", inside);
        FdtServer good = pulledFrom("127.0.0.3", inside);
        Prometheus prometheus =
                Prometheus.startIn(inside, at, List.of(monitor(lossy), monitor(good)), HostAlertsTest::quick);

        String fires = "FdtRetransmits " + monitor(lossy);
        await(prometheus, "FdtRetransmits", Set.of(fires), "instance");
        Shell.ok("nsenter", "--target", namespace.pid(), "--net", "tc", "qdisc", "del", "dev", "lo", "ingress");
        await(prometheus, "FdtRetransmits", Set.of(), "instance");
    }

    private FdtProcess.Setup nothing() {
        return new FdtProcess.Setup("namespace", List.of(), Map.of("PATH", System.getenv("PATH")), at.directory());
    }

    private FdtServer pulledFrom(String address, List<String> inside) {
        FdtServer server = at.serverThrough(inside, address + ":0", "--monitor", "127.0.0.1:0");
        at.startThrough(
                inside,
                at.setup(
                        "client",
                        "client",
                        "--json",
                        "-P",
                        4,
                        "--rate-limit",
                        "24Mbit",
                        "--duration",
                        "1h",
                        server.url("/dev/zero"),
                        "/dev/null"));
        return server;
    }

    /** One copy is limited by the disk, and another one by its rate limit. */
    @Test
    void aDiskThatIsSlow() {
        Path slow = at.directory("slow");
        Shell.Result mounted = Shell.run("bindfs", "--write-rate=2M", at.directory("below"), slow);
        assumeTrue(mounted.exitCode() == 0, "bindfs cannot be mounted here (needs root and FUSE)");
        at.closing(() -> Shell.ok("umount", "-l", slow));
        FdtServer bad = at.rootlessServer("127.0.0.1:0", slow, "--root", slow, "--monitor", "127.0.0.1:0");
        FdtServer good = at.server("--monitor", "127.0.0.1:0");
        Path source = Trees.file(at.path("f"), 500 << 20, 1);
        FdtProcess copy = at.startCopy("-P", 2, source, bad.url("/f"));
        at.startCopy("-P", 2, "--rate-limit", "8Mbit", source, good.url("/f"));
        Prometheus prometheus = scrape(monitor(bad), monitor(good));

        String fires = "FdtDiskSlow target-disk " + monitor(bad);
        await(prometheus, "FdtDiskSlow", Set.of(fires), "cause", "instance");
        copy.signal("INT");
        await(prometheus, "FdtDiskSlow", Set.of(), "cause", "instance");
    }

    /** A server looks for partials when it starts. Blocks that are reserved count, and take no room in the image. */
    @Test
    void partialsThatGrow() {
        Path image = at.path("disk.img");
        Shell.ok("truncate", "-s", "16G", image);
        Shell.ok("mkfs.ext4", "-q", "-F", "-N", "1024", "-O", "^has_journal", image);
        Path disk = at.directory("remote");
        assumeTrue(Shell.run("mount", "-o", "loop", image, disk).exitCode() == 0, "an image cannot be mounted here");
        at.closing(() -> Shell.ok("umount", "-l", disk));
        String monitor = "127.0.0.1:" + FreePort.next();
        Path source = Trees.file(at.path("f"), 16 << 20, 1);
        FdtServer server = at.server("--monitor", monitor);
        Prometheus prometheus = scrape(monitor);
        Await.until(
                "a root without partials",
                Workplace.LIMIT,
                () -> !prometheus.query("fdt_server_partial_bytes == 0").isEmpty());
        FdtProcess copy = at.startCopy("--rate-limit", "1Mbit", "--chunk-size", "128KiB", source, server.url("/f"));
        copy.awaitAcknowledged(Workplace.LIMIT, 1);
        copy.signal("KILL");
        server.process().killHard();
        String partial = Shell.ok("find", disk, "-name", ".fdt.*.part").strip();
        Shell.ok("fallocate", "--keep-size", "--length", "11GB", partial);
        assertThat(prometheus.firing(true, "root")).noneMatch(each -> each.startsWith("FdtPartialsGrow"));

        FdtServer next = at.server("--monitor", monitor);
        await(prometheus, "FdtPartialsGrow", Set.of("FdtPartialsGrow " + next.root()), "root");
        at.fdt("clean", "--older", "0s", next.root()).expectExit(0);
        next.process().killHard();
        at.server("--monitor", monitor);
        await(prometheus, "FdtPartialsGrow", Set.of(), "root");
    }

    /** A real server on recorded counters: few kernels have bonds, and no load fills a core with soft interrupts. */
    @Test
    void aCoreThatServesTheNetworkAndABondWithOneBusyInterface() throws IOException {
        Map<String, List<String>> bonds = Map.of("bond0", List.of("p0", "p1"), "bond1", List.of("p2", "p3"));
        RecordedKernel kernel = at.closing(new RecordedKernel(
                at,
                bonds,
                new Rates(
                        List.of(0.96, 0.5),
                        Map.of("p0", 400_000_000L, "p1", 10_000_000L, "p2", 200_000_000L, "p3", 180_000_000L))));
        FdtServer server = at.serverThrough(kernel.inside(), "127.0.0.1:0", "--monitor", "127.0.0.1:0");
        Prometheus prometheus = scrape(monitor(server));

        await(prometheus, "FdtBondUneven", Set.of("FdtBondUneven bond0"), "bond");
        await(prometheus, "FdtCoreSaturated", Set.of("FdtCoreSaturatedBySoftirq 0"), "cpu");
        kernel.become(new Rates(
                List.of(0.6, 0.5),
                Map.of("p0", 210_000_000L, "p1", 200_000_000L, "p2", 200_000_000L, "p3", 180_000_000L)));
        await(prometheus, "FdtBondUneven", Set.of(), "bond");
        await(prometheus, "FdtCoreSaturated", Set.of(), "cpu");
    }

    private static String monitor(FdtServer server) {
        return URI.create(MonitorReplayTest.monitorUrl(server.process())).getAuthority();
    }
}
