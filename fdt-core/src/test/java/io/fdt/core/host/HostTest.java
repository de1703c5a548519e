package io.fdt.core.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.fdt.core.host.Interrupt.Serves;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that read the recorded hosts, which have the names and formats of real ones. */
class HostTest {
    @TempDir
    Path root;

    private Host recorded(String name) {
        return Host.read(RecordedHost.unpack(name, root));
    }

    private static <T> T present(@Nullable T value) {
        assertThat(value).isNotNull();
        return value;
    }

    @Test
    void readsTwoSocketsWithTheirThreadsNodesAndCaches() {
        Host host = recorded("bonded40");

        assertThat(host.name()).isEqualTo("dtn40");
        assertThat(host.machine().cpu()).contains("E5-2643");
        assertThat(host.topology().online()).hasToString("0-23");
        assertThat(host.topology().nodes())
                .extracting(node -> node.cores().toString())
                .containsExactly("0-5,12-17", "6-11,18-23");
        assertThat(host.topology().core(14))
                .isEqualTo(new Core(14, 0, 0, CoreSet.of(2, 14), present(CoreSet.ofList("0-5,12-17")), "powersave"));
        assertThat(host.topology().cores().stream()
                        .filter(core -> core.siblings().first() == core.id()))
                .hasSize(12);
    }

    @Test
    void readsNicsWithTheirQueuesAndInterrupts() {
        Host host = recorded("bonded40");
        Nic eth2 = present(host.network().nic("eth2"));
        Nic eth3 = present(host.network().nic("eth3"));

        assertThat(eth2.device().driver()).isEqualTo("i40e");
        assertThat(eth2.link().bitsPerSecond()).isEqualTo(40_000_000_000L);
        assertThat(eth2.device().node()).isZero();
        assertThat(eth2.queues().received())
                .hasSize(8)
                .allSatisfy(queue -> assertThat(queue.cores()).isEqualTo(new CoreMask("000000\n", CoreSet.NONE)));
        assertThat(eth2.queues().queueInterrupts())
                .extracting(Interrupt::core)
                .containsExactly(2, 2, 3, 4, 5, 9, 12, 13);
        assertThat(eth2.queues().interrupts())
                .filteredOn(one -> one.serves() == Serves.CONTROL)
                .extracting(Interrupt::name)
                .containsExactly("i40e-0000:03:00.0:misc");
        assertThat(eth2.device().settings().rings()).isEqualTo(new NicSettings.Rings(512, 4096, 512, 4096));
        assertThat(eth2.counters()).containsEntry("rx_missed_errors", 4711L);
        assertThat(eth3.queues().queueInterrupts())
                .extracting(Interrupt::queue)
                .containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
        assertThat(eth3.queues().queueInterrupts().get(0).name()).isEqualTo("mlx4-1@pci:0000:82:00.0");
        assertThat(eth3.device().pci().label()).isEqualTo("Gen2 x8");
        assertThat(eth3.device().pci().isReduced()).isTrue();
        assertThat(eth2.device().pci().isReduced()).isFalse();
        HostFiles files = new HostFiles(root);
        assertThat(Caption.slots(files, "bond0"))
                .containsExactly(eth2.device().pci(), eth3.device().pci());
        assertThat(Caption.slots(files, "eth3")).containsExactly(eth3.device().pci());
    }

    @Test
    void readsBondsLanesAndIrqbalance() {
        Host host = recorded("bonded40");

        Bond bond = present(host.network().bond("bond0"));
        assertThat(bond.mode()).isEqualTo("802.3ad");
        assertThat(bond.hashPolicy()).isEqualTo("layer2");
        assertThat(bond.spreadsStreams()).isFalse();
        assertThat(bond.slaves())
                .containsExactly(
                        new Bond.Slave("eth2", true, 0, 9_000_000_000_000L, 8_000_000_000_000L),
                        new Bond.Slave("eth3", true, 3, 100_000_000_000L, 90_000_000_000L));
        assertThat(host.processes().irqbalancePid()).isEqualTo(871);
        assertThat(host.processes().lanes())
                .containsExactly(
                        new LaneThread(4242, "fdt-lane-0", 3, CoreSet.of(3)),
                        new LaneThread(4242, "fdt-lane-1", 14, host.topology().online()));
        assertThat(host.sysctls()).containsEntry("net.ipv4.tcp_rmem", "4096\t131072\t6291456\n");
    }

    @Test
    void readsA100GigabitHostWithRdma() {
        Host host = recorded("single100");
        Nic nic = present(host.network().nic("ens1f0np0"));

        assertThat(nic.queues().queueInterrupts())
                .hasSize(16)
                .allSatisfy(one -> assertThat(one.core()).isEqualTo(one.queue() * 2));
        assertThat(nic.device().pci().label()).isEqualTo("Gen4 x16");
        assertThat(host.topology().core(9).sharesLastCache()).hasToString("8-15");
        RdmaDevice.Port port = host.network().rdma().get(0).ports().get(0);
        assertThat(port.state()).isEqualTo("ACTIVE");
        assertThat(port.rate()).isEqualTo("100 Gb/sec (4X EDR)");
        assertThat(port.mtuBytes()).isEqualTo(4096);
        assertThat(port.counters())
                .as("data in bytes, zeros left out")
                .containsOnly(
                        java.util.Map.entry("port_xmit_data", 1000L),
                        java.util.Map.entry("port_rcv_data", 4000L),
                        java.util.Map.entry("out_of_sequence", 17L));
    }

    @Test
    void findsTheInterruptsOfAVirtioNicOneLevelAboveIt() {
        Host host = recorded("vm");
        Nic nic = present(host.network().nic("ens3"));

        assertThat(host.network().nics()).as("the loopback is no NIC").hasSize(1);
        assertThat(nic.device().driver()).isEqualTo("virtio_net");
        assertThat(nic.device().node()).isEqualTo(-1);
        assertThat(nic.link().bitsPerSecond()).as("-1 is no speed").isZero();
        assertThat(nic.device().pci()).isNull();
        assertThat(nic.device().settings()).isNull();
        assertThat(nic.queues().queueInterrupts()).extracting(Interrupt::serves).containsExactly(Serves.RX, Serves.TX);
        assertThat(nic.queues().sent()).isEmpty();
        assertThat(host.topology().core(0).governor()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"container"})
    void hostThatShowsNothingIsOpaque(String name) {
        assertThat(recorded(name).isOpaque()).isTrue();
        assertThat(Host.read(root.resolve("nothing")).isOpaque()).isTrue();
    }

    /** Whatever a file contains, the reader continues without it. */
    @Test
    void survivesEveryFileBeingGarbage() throws IOException {
        RecordedHost.unpack("bonded40", root);
        for (String path : RecordedHost.contents(root).keySet()) {
            Files.writeString(root.resolve(path), "\u0000-17 , zz\n\t99999999999999999999 x");
        }

        Host host = Host.read(root);

        assertThat(host.network().nics()).extracting(Nic::name).contains("eth2", "eth3");
        assertThat(host.network().nic("eth2").link().bitsPerSecond()).isZero();
        assertThat(host.network().nic("eth2").device().pci()).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "mlx5_comp3@pci:0000:81:00.0,RX_AND_TX,3",
        "mlx5_comp12,RX_AND_TX,12",
        "mlx5_async0@pci:0000:81:00.0,CONTROL,-1",
        "mlx4-1@0000:04:00.0,RX_AND_TX,0",
        "mlx4-async@pci:0000:04:00.0,CONTROL,-1",
        "i40e-eth2-TxRx-0,RX_AND_TX,0",
        "ice-ens1f0-TxRx-31,RX_AND_TX,31",
        "ice-0000:81:00.0:misc,CONTROL,-1",
        "eth0-Tx-Rx-5,RX_AND_TX,5",
        "eth4-rx-2,RX,2",
        "eth4-tx-2,TX,2",
        "virtio0-input.7,RX,7",
        "virtio0-output.7,TX,7",
        "virtio0-config,CONTROL,-1"
    })
    void knowsTheQueueByTheNamesOfTheDrivers(String name, Serves serves, int queue) throws IOException {
        Path proc = Files.createDirectories(root.resolve("proc"));
        Files.writeString(
                proc.resolve("interrupts"),
                "            CPU0       CPU2\n 45:   1   20  PCI-MSI 5-edge   " + name + "\n");

        Interrupt interrupt =
                new InterruptTable(new HostFiles(root)).numbered(List.of(45)).get(0);

        assertThat(interrupt.serves()).isEqualTo(serves);
        assertThat(interrupt.queue()).isEqualTo(queue);
        assertThat(interrupt.core()).as("the offline core has no column").isEqualTo(2);
        assertThat(interrupt.total()).isEqualTo(21);
    }

    @ParameterizedTest
    @CsvSource({
        "2.5,8,20,16,12.3",
        "5,8,40,32,24.6",
        "8,8,64,63.0,54.8",
        "8,16,128,126.0,109.7",
        "16,16,256,252.1,219.3"
    })
    void reckonsWhatAPcieSlotCarries(double rate, int width, double raw, double encoded, double practical) {
        PciLink link = new PciLink("0000:81:00.0", rate, width, rate, width, 0);

        assertThat(link.rawBitsPerSecond()).isEqualTo(raw * 1e9);
        assertThat(link.encodedBitsPerSecond() / 1e9).isEqualTo(encoded, within(0.06));
        assertThat(link.practicalBitsPerSecond() / 1e9).isEqualTo(practical, within(0.06));
    }

    @Test
    void printsHowAPciRateIsComputed() {
        assertThat(new PciLink("", 5, 8, 8, 8, 0).arithmetic())
                .isEqualTo("Gen2 x8: 5 GT/s x 8 = 40 Gb/s raw, 32.0 after 8b/10b, about 24.6 in practice");
        assertThat(new PciLink("", 8, 16, 8, 16, 0).arithmetic())
                .isEqualTo("Gen3 x16: 8 GT/s x 16 = 128 Gb/s raw, 126.0 after 128b/130b, about 109.6 in practice");
    }
}
