package io.fdt.core.host.tune;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.host.CoreSet;
import io.fdt.core.host.Host;
import io.fdt.core.host.Interrupt;
import io.fdt.core.host.Nic;
import io.fdt.core.host.RecordedHost;
import io.fdt.core.host.tune.Finding.Severity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FindingsTest {
    private static final TuneRequest ALL = new TuneRequest(List.of(), 0, 0, 0);

    @TempDir
    Path root;

    private List<Finding> findings(String name, TuneRequest request) {
        return Findings.of(Host.read(RecordedHost.unpack(name, root)), request);
    }

    private static Finding only(List<Finding> findings, String code) {
        List<Finding> found =
                findings.stream().filter(finding -> finding.code().equals(code)).toList();
        assertThat(found).as(code + " in " + findings).hasSize(1);
        return found.get(0);
    }

    @Test
    void namesTwoBusyQueuesOnOneCore() {
        Finding finding = findings("bonded40", ALL).stream()
                .filter(one ->
                        one.code().equals("queues-share-core") && one.subject().equals("core 2"))
                .findFirst()
                .orElseThrow();

        assertThat(finding.severity()).isEqualTo(Severity.WARNING);
        assertThat(finding.text())
                .isEqualTo("eth2 queue 0 and eth2 queue 1 are both busy and interrupt the same core 2");
    }

    @Test
    void namesAQueueOnTheWrongNode() {
        Finding finding = only(findings("bonded40", ALL), "queue-on-far-node");

        assertThat(finding.subject()).isEqualTo("eth2");
        assertThat(finding.text()).isEqualTo("queue 5 interrupts core 9 of node 1, but the NIC is on node 0");
    }

    /** Each of them has less than two percent of the interrupts. */
    @Test
    void aQueueAmongManyIsBusyWithItsPartOfTheInterrupts() {
        Host host = Host.read(RecordedHost.unpack("bonded40", root));
        Nic nic = Objects.requireNonNull(host.network().nic("eth2"));
        CoreSet far = CoreSet.of(6);
        List<Interrupt> interrupts = IntStream.range(0, 63)
                .mapToObj(queue -> new Interrupt(
                        500 + queue,
                        "mlx5_comp" + queue,
                        Interrupt.Serves.RX_AND_TX,
                        queue,
                        new TreeMap<>(Map.of(6, queue == 62 ? 10L : 1_000_000L)),
                        null,
                        far))
                .toList();
        Nic many = new Nic(
                nic.name(), nic.device(), nic.link(), new Nic.Queues(List.of(), List.of(), interrupts), nic.counters());
        Host large = new Host(
                host.name(),
                host.machine(),
                host.topology(),
                new Host.Network(List.of(many), List.of(), List.of()),
                host.sysctls(),
                host.load(),
                host.processes());

        assertThat(Findings.of(large, ALL))
                .filteredOn(finding -> finding.code().equals("queue-on-far-node"))
                .hasSize(62);
    }

    @Test
    void reportsLaneOnInterruptCore() {
        Finding finding = only(findings("bonded40", ALL), "lane-fights-interrupt");

        assertThat(finding.text())
                .isEqualTo(
                        "fdt-lane-0 of process 4242 is pinned to core 3, which takes the interrupts of eth2 queue 2");
    }

    @Test
    void namesANarrowSlotWithItsArithmetic() {
        Finding finding = only(findings("bonded40", ALL), "pcie-narrow");

        assertThat(finding.subject()).isEqualTo("eth3");
        assertThat(finding.text())
                .isEqualTo("the slot is narrower than the NIC's 40 Gb/s:"
                        + " Gen2 x8: 5 GT/s x 8 = 40 Gb/s raw, 32.0 after 8b/10b, about 24.6 in practice");
        assertThat(only(findings("bonded40", ALL), "pcie-reduced").text()).contains("Gen3 x8");
    }

    @Test
    void namesWindowsThatAreTooSmallForThePathOnlyWhereItIsKnown() {
        List<Finding> findings =
                findings("bonded40", new TuneRequest(List.of("bond0"), 40_000_000_000L, 100_000_000, 8));

        // 40e9 / 8 * 0.1 = 500 MB. Twice an eighth of that is 125 MB, which is 119.2 MiB.
        assertThat(findings)
                .filteredOn(one -> one.code().equals("small-window"))
                .hasSize(2)
                .first()
                .satisfies(one -> {
                    assertThat(one.subject()).isEqualTo("net.ipv4.tcp_rmem");
                    assertThat(one.text())
                            .contains("6.0 MiB", "40 Gb/s x 100 ms = 500.0 MB", "62.5 MB", "120 MiB", "about 2.0 Gb/s");
                });
        assertThat(findings("bonded40", ALL)).noneMatch(one -> one.code().equals("small-window"));
    }

    @Test
    void reportsOtherProblems() {
        List<Finding> findings = findings("bonded40", ALL);

        assertThat(only(findings, "bond-one-slave").text()).contains("802.3ad", "layer2");
        assertThat(only(findings, "bond-uneven").text()).contains("eth2 8000.0 GB", "eth3 90.0 GB");
        assertThat(only(findings, "bond-link-failures").text()).contains("eth3 lost its link 3 times");
        assertThat(only(findings, "irqbalance").text()).contains("871");
        assertThat(only(findings, "governor").text()).contains("powersave");
        assertThat(only(findings, "core-in-softirq").text()).contains("86 %");
        assertThat(only(findings, "small-ring").text()).contains("512 of 4096", "4711 packets");
        assertThat(only(findings, "gro-off").subject()).isEqualTo("eth3");
        assertThat(findings).extracting(Finding::severity).as("warnings first").isSorted();
    }

    @Test
    void reportsNothingOnTunedHost() {
        assertThat(findings("single100", new TuneRequest(List.of(), 0, 50_000_000, 16)))
                .isEmpty();
    }

    private List<Finding> findingsOfFastHost(String ethtool, int optmem, int frags) throws IOException {
        RecordedHost.unpack("single100", root);
        Files.writeString(root.resolve("ethtool/ens1f0np0"), ethtool);
        Files.writeString(root.resolve("proc/sys/net/core/optmem_max"), optmem + "\n");
        Files.writeString(root.resolve("proc/sys/net/core/max_skb_frags"), frags + "\n");
        return Findings.of(Host.read(root), ALL);
    }

    @Test
    void namesWhatAHostLacksFor100Gigabits() throws IOException {
        String untuned = """
                rx-ring 1024 8192
                ntuple-filters off
                tso_max_size 524280
                gso_max_size 65536
                gro_max_size 65536
                gso_ipv4_max_size 65536
                gro_ipv4_max_size 65536
                """;
        List<Finding> findings = findingsOfFastHost(untuned, 20_480, 17);

        Finding bigTcp = only(findings, "small-packets");
        assertThat(bigTcp.text()).contains("64 KiB", "BIG TCP", "the NIC sends 511 KiB");
        assertThat(bigTcp.remedy())
                .isEqualTo("ip link set dev ens1f0np0 gso_max_size 185000 gro_max_size 185000 gso_ipv4_max_size 150000"
                        + " gro_ipv4_max_size 150000");
        assertThat(only(findings, "small-optmem").text()).contains("20480 bytes", "without copying");
        assertThat(only(findings, "few-fragments").text()).contains("17");
        assertThat(only(findings, "ntuple-off").remedy()).startsWith("ethtool -K ens1f0np0 ntuple on");
        assertThat(only(findings, "small-ring").text()).contains("1024 of 8192");
        assertThat(findings).hasSize(5).allMatch(finding -> finding.severity() == Severity.NOTE);
    }

    /** A kernel before 6.3 has BIG TCP only for IPv6. */
    @Test
    void namesOnlySizesThatTheKernelHas() throws IOException {
        String old = "tso_max_size 524280\ngso_max_size 185000\ngro_max_size 65536\n";
        assertThat(only(findingsOfFastHost(old, 1 << 20, 45), "small-packets").remedy())
                .isEqualTo("ip link set dev ens1f0np0 gro_max_size 185000");
    }

    @Test
    void reportsNothingWhereTheNicCannotDoMoreOrIsSetUp() throws IOException {
        String set = """
                ntuple-filters on
                tso_max_size 524280
                gso_max_size 185000
                gro_max_size 185000
                gso_ipv4_max_size 150000
                gro_ipv4_max_size 150000
                """;
        assertThat(findingsOfFastHost(set, 1 << 20, 45)).isEmpty();
        String small = "tso_max_size 65536\ngso_max_size 65536\ngro_max_size 65536\n";
        assertThat(findingsOfFastHost(small, 1 << 20, 45)).isEmpty();
    }

    @Test
    void quietQueuesMayShareACore() throws IOException {
        RecordedHost.unpack("bonded40", root);
        Path table = root.resolve("proc/interrupts");
        Files.writeString(table, Files.readString(table).replace("91000001", "      12"));

        assertThat(Findings.of(Host.read(root), ALL))
                .noneMatch(one ->
                        one.code().equals("queues-share-core") && one.subject().equals("core 2"));
    }

    @Test
    void reportsVmWithOneQueue() {
        List<Finding> findings = findings("vm", ALL);

        assertThat(only(findings, "few-queues").text()).isEqualTo("1 receiving queue for 4 cores, and RPS is off");
        assertThat(findings).hasSize(1);
    }
}
