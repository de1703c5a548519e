package io.fdt.core.host.tune;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.host.CoreSet;
import io.fdt.core.host.Host;
import io.fdt.core.host.Interrupt;
import io.fdt.core.host.Nic;
import io.fdt.core.host.RecordedConfig;
import io.fdt.core.host.RecordedHost;
import io.fdt.core.host.tune.TunePlan.LanePlace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TunePlanTest {
    private static final TuneRequest ALL = new TuneRequest(List.of(), 0, 0, 0);

    @TempDir
    Path root;

    private Host recorded(String name) {
        return Host.read(RecordedHost.unpack(name, root));
    }

    private static Map<String, String> values(TunePlan plan) {
        Map<String, String> values = new HashMap<>();
        plan.writes().forEach(write -> values.put(write.path(), write.value().strip()));
        return values;
    }

    /** Returns the core of each interrupt after the plan is applied. */
    private static Map<Interrupt, Integer> coresAfter(Host host, TunePlan plan, String nic) {
        Map<String, String> values = values(plan);
        Map<Interrupt, Integer> cores = new HashMap<>();
        for (Interrupt interrupt : nicOf(host, nic).queues().queueInterrupts()) {
            String planned = values.get("proc/irq/" + interrupt.number() + "/smp_affinity_list");
            cores.put(interrupt, planned == null ? interrupt.core() : Integer.parseInt(planned));
        }
        return cores;
    }

    private static Nic nicOf(Host host, String name) {
        Nic nic = host.network().nic(name);
        assertThat(nic).isNotNull();
        return nic;
    }

    @Test
    void putsEveryQueueOnTheNodeOfItsNicAndLanesBesideThem() {
        Host host = recorded("bonded40");
        TunePlan plan = TunePlan.of(host, ALL);

        CoreSet lanes = CoreSet.of(plan.lanes().stream().mapToInt(LanePlace::core));
        for (String nic : List.of("eth2", "eth3")) {
            CoreSet near = host.topology().near(nicOf(host, nic));
            Map<Interrupt, Integer> cores = coresAfter(host, plan, nic);
            assertThat(cores).hasSize(8);
            assertThat(cores.values()).allSatisfy(core -> {
                assertThat(near.contains(core)).isTrue();
                assertThat(lanes.contains(core))
                        .as("a lane and an interrupt on core " + core)
                        .isFalse();
            });
            assertThat(Set.copyOf(cores.values()))
                    .as("the six places of the node are all used")
                    .hasSize(6);
        }
        assertThat(plan.lanes()).hasSize(16).extracting(LanePlace::node).containsOnly(0, 1);
        assertThat(plan.irqbalancePid()).isEqualTo(871);
        assertThat(plan.notes()).anyMatch(note -> note.contains("ethtool -L eth2 combined 6"));
    }

    @Test
    void xpsMapsEachLaneToTheQueueOfItsCorePair() {
        Host host = recorded("bonded40");
        TunePlan plan = TunePlan.of(host, new TuneRequest(List.of("eth2"), 0, 0, 0));

        // Core pairs of node 0: 0 with 1, 2 with 3, 4 with 5, and their second threads 12 to 17.
        Map<String, String> values = values(plan);
        assertThat(values)
                .containsEntry("sys/class/net/eth2/queues/tx-0/xps_cpus", "3003")
                .containsEntry("sys/class/net/eth2/queues/tx-1/xps_cpus", "c00c")
                .containsEntry("sys/class/net/eth2/queues/tx-2/xps_cpus", "30030")
                .containsEntry("sys/class/net/eth2/queues/tx-3/xps_cpus", "3003")
                .containsEntry("proc/irq/61/smp_affinity_list", "1");
        assertThat(values.keySet()).noneMatch(path -> path.contains("rps_cpus"));
        assertThat(plan.writes()).noneMatch(write -> write.path().contains("eth3"));
    }

    @Test
    void everyQueueOfAHundredGigabitHostGetsACoreOfItsOwn() {
        Host host = recorded("single100");
        TunePlan plan = TunePlan.of(host, new TuneRequest(List.of(), 0, 0, 16));

        Map<Interrupt, Integer> cores = coresAfter(host, plan, "ens1f0np0");
        assertThat(cores.values()).doesNotHaveDuplicates().hasSize(16);
        assertThat(plan.lanes())
                .extracting(LanePlace::core)
                .doesNotHaveDuplicates()
                .doesNotContainAnyElementsOf(cores.values());
        // A queue and its lane share a cache.
        cores.forEach((interrupt, core) -> assertThat(host.topology()
                        .core(core)
                        .sharesLastCache()
                        .contains(plan.lanes().get(interrupt.queue()).core()))
                .isTrue());
        assertThat(values(plan).keySet()).as("large buffers stay").noneMatch(path -> path.startsWith("proc/sys"));
    }

    @Test
    void onlyAHundredGigabitHostGetsMoreMemoryForNotices() throws IOException {
        for (String name : List.of("single100", "bonded40")) {
            Path at = RecordedHost.unpack(name, root.resolve(name));
            Files.writeString(at.resolve("proc/sys/net/core/optmem_max"), "131072\n");
        }

        assertThat(values(TunePlan.of(Host.read(root.resolve("single100")), ALL)))
                .containsEntry("proc/sys/net/core/optmem_max", "1048576");
        assertThat(values(TunePlan.of(Host.read(root.resolve("bonded40")), ALL)))
                .doesNotContainKey("proc/sys/net/core/optmem_max");
    }

    @Test
    void oneQueueOfAVmIsSpreadByRps() {
        TunePlan plan = TunePlan.of(recorded("vm"), ALL);

        assertThat(values(plan))
                .containsEntry("proc/irq/25/smp_affinity_list", "1")
                .containsEntry("proc/irq/26/smp_affinity_list", "1")
                .containsEntry("sys/class/net/ens3/queues/rx-0/rps_cpus", "4")
                .hasSize(3);
        assertThat(plan.notes()).anyMatch(note -> note.contains("--rate"));
        assertThat(plan.lanes().subList(0, 2)).extracting(LanePlace::core).containsExactly(0, 3);
    }

    @Test
    void computesBuffersFromRateRttAndLanesAndLowersNone() {
        Host host = recorded("bonded40");

        Map<String, String> values =
                values(TunePlan.of(host, new TuneRequest(List.of(), 40_000_000_000L, 100_000_000, 8)));

        assertThat(values)
                .containsEntry("proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t" + (120L << 20))
                .containsEntry("proc/sys/net/ipv4/tcp_wmem", "4096\t16384\t" + (120L << 20))
                .containsEntry("proc/sys/net/core/rmem_max", String.valueOf(120L << 20))
                .containsEntry("proc/sys/net/core/netdev_max_backlog", "250000")
                .containsEntry("proc/sys/net/ipv4/tcp_mtu_probing", "1");
        assertThat(values(TunePlan.of(host, new TuneRequest(List.of(), 1_000_000_000L, 1_000_000, 8))))
                .doesNotContainKeys("proc/sys/net/ipv4/tcp_rmem", "proc/sys/net/core/netdev_max_backlog");
    }

    @Test
    void everyWriteHasTheOldValueAndAReason() throws IOException {
        Host host = recorded("bonded40");
        for (Write write : TunePlan.of(host, ALL).writes()) {
            assertThat(write.before()).isEqualTo(Files.readString(root.resolve(write.path())));
            assertThat(write.reason()).isNotEmpty();
            assertThat(write.format().same(write.before(), write.value())).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"bonded40", "single100", "vm"})
    void hostThatIsAsPlannedHasNothingLeftToDo(String name) throws IOException {
        Host host = recorded(name);
        for (Write write : TunePlan.of(host, ALL).writes()) {
            Files.writeString(root.resolve(write.path()), write.value());
        }
        Files.deleteIfExists(root.resolve("proc/871/comm"));

        TunePlan again = TunePlan.of(Host.read(root), ALL);

        assertThat(again.isEmpty()).as(again.writes().toString()).isTrue();
    }

    @Test
    void planIsEmptyOnAHostWithoutNics() {
        TunePlan plan = TunePlan.of(recorded("container"), ALL);

        assertThat(plan.isEmpty()).isTrue();
        assertThat(plan.lanes()).isEmpty();
        assertThat(plan.notes()).anyMatch(note -> note.contains("no NIC"));
    }

    @Test
    void raisesReadRequestOfAFastNic() {
        RecordedHost.unpack("single100", root);
        RecordedConfig.place(root, "0000:81:00.0");
        Host host = Host.read(root);

        assertThat(nicOf(host, "ens1f0np0").device().pci()).isNotNull();
        TunePlan plan = TunePlan.of(host, new TuneRequest(List.of(), 0, 0, 16));

        String path = "sys/bus/pci/devices/0000:81:00.0/config";
        assertThat(plan.writes().stream().filter(write -> write.path().equals(path)))
                .singleElement()
                .satisfies(write -> assertThat(write.before()).isEqualTo("512\n"))
                .satisfies(write -> assertThat(write.value()).isEqualTo("4096\n"))
                .satisfies(write -> assertThat(write.reason())
                        .isEqualTo("PCIe MaxReadReq of ens1f0np0: the bytes it requests from memory at once"));
        assertThat(Findings.of(host, new TuneRequest(List.of(), 0, 0, 16)))
                .anySatisfy(finding -> assertThat(finding.text())
                        .isEqualTo("asks memory for at most 512 bytes at once (PCIe MaxReadReq), of 4096 possible"));
    }

    @Test
    void writesNoReadRequestIfPciConfigIsUnreadable() {
        TunePlan plan = TunePlan.of(recorded("single100"), new TuneRequest(List.of(), 0, 0, 16));

        assertThat(plan.writes()).noneMatch(write -> write.path().endsWith("/config"));
    }
}
