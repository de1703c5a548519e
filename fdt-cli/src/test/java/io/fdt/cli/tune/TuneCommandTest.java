package io.fdt.cli.tune;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.CommandRun;
import io.fdt.core.host.RecordedHost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The tune command on recorded hosts, which needs no root privileges. */
class TuneCommandTest {
    @TempDir
    Path directory;

    private final CommandRun run = new CommandRun();

    private int tune(String action, String host, String... options) throws IOException {
        Path root = directory.resolve(host);
        if (!Files.exists(root)) {
            RecordedHost.unpack(host, Files.createDirectory(root));
        }
        List<String> words = new ArrayList<>(List.of(
                "tune",
                action,
                "--root",
                root.toString(),
                "--state",
                directory.resolve("state").toString()));
        words.addAll(List.of(options));
        return run.run(words);
    }

    @Test
    void showsNicsCoresByQueuesAndWhatIsWrong() throws IOException {
        assertThat(tune("show", "bonded40", "--rtt", "100ms")).isZero();

        assertThat(run.out())
                .contains("node 0: cores 0-5,12-17, governor powersave")
                .containsPattern("eth2 +i40e +40 +9000 +0 +8/8 +512/4096 +Gen3 x8 +Gen3 x8")
                .containsPattern("eth3 +mlx4_en +40 +9000 +1 +8/8 +8192/8192 +Gen2 x8 +Gen3 x8")
                .contains("bond0: 802.3ad, layer2")
                .contains("eth2: cores by queues")
                .contains("       2    0   86 %   #  #")
                .contains("! core 2: eth2 queue 0 and eth2 queue 1 are both busy")
                .contains("40 Gb/s raw, 32.0 after 8b/10b, about 24.6 in practice")
                .contains("net.ipv4.tcp_rmem: its maximum of 6.0 MiB is too small");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void showsRdma() throws IOException {
        assertThat(tune("show", "single100")).isZero();

        assertThat(run.out())
                .contains("mlx5_0 port 1: ACTIVE, Ethernet, 100 Gb/sec (4X EDR), MTU 4096, beside ens1f0np0")
                .contains("last caches of 0-7 | 8-15 | 16-23 | 24-31")
                .contains("No problems found on this host.");
    }

    @Test
    void showAsJsonHasAnObjectForEverything() throws IOException {
        assertThat(tune("show", "bonded40", "--json")).isZero();

        List<Map<String, Object>> all = run.json();
        assertThat(all).filteredOn("type", "core").hasSize(24);
        assertThat(all).filteredOn("type", "nic").extracting("name").contains("eth2", "eth3", "bond0");
        assertThat(all).filteredOn("type", "finding").extracting("code").contains("queues-share-core", "pcie-narrow");
        assertThat(run.lastJson()).containsEntry("type", "summary").containsEntry("exit_code", 0L);
    }

    @Test
    void planPrintsOldToNewWithReasonsAndChangesNothing() throws IOException {
        assertThat(tune("plan", "bonded40", "--nic", "bond0", "--rtt", "100ms", "--rate", "40Gbit", "-P", "8"))
                .isZero();

        assertThat(run.out())
                .contains("stop irqbalance (process 871)")
                .contains("/proc/irq/61/smp_affinity_list: 2 → 1")
                .contains("interrupt of eth2 queue 0 to core 1 of the NIC's node 0")
                .contains("/proc/sys/net/ipv4/tcp_rmem: 4096 131072 6291456 → 4096 131072 125829120")
                .contains("lanes belong on cores 0,")
                .doesNotContain("0,0");
        assertThat(Files.exists(directory.resolve("state"))).isFalse();
        Path fresh = RecordedHost.unpack("bonded40", Files.createDirectory(directory.resolve("fresh")));
        assertThat(RecordedHost.contents(directory.resolve("bonded40"))).isEqualTo(RecordedHost.contents(fresh));
    }

    @Test
    void planAsJsonSumsUp() throws IOException {
        assertThat(tune("plan", "vm", "--json")).isZero();

        List<Map<String, Object>> all = run.json();
        assertThat(all).filteredOn("type", "write").hasSize(3).first().satisfies(write -> {
            assertThat(write).containsEntry("path", "/proc/irq/25/smp_affinity_list");
            assertThat(write).containsEntry("old", "0-3").containsEntry("new", "1");
        });
        assertThat(run.lastJson()).containsEntry("writes", 3L).containsEntry("exit_code", 0L);
    }

    @Test
    void appliesUndoesAndThenHasNothingToDo() throws IOException {
        Path fresh = RecordedHost.unpack("vm", Files.createDirectory(directory.resolve("fresh")));

        assertThat(tune("apply", "vm")).isZero();
        assertThat(run.out()).contains("/sys/class/net/ens3/queues/rx-0/rps_cpus: 4");
        assertThat(run.err()).contains("3 values applied and read back");
        assertThat(tune("apply", "vm")).isZero();
        assertThat(run.err()).contains("nothing to do");
        assertThat(tune("undo", "vm")).isZero();
        assertThat(run.err()).contains("3 values restored and read back");
        assertThat(RecordedHost.contents(directory.resolve("vm"))).isEqualTo(RecordedHost.contents(fresh));
        assertThat(tune("undo", "vm")).isZero();
        assertThat(run.err()).contains("nothing to undo");
    }

    @ParameterizedTest
    @CsvSource({"show", "plan", "apply"})
    void reportsAContainerThatHidesEverything(String action) throws IOException {
        assertThat(tune(action, "container")).isEqualTo(4);

        assertThat(run.errLines()).hasSize(1);
        assertThat(run.err()).contains("shows no cores and no NICs").contains("as in a container");
    }

    @Test
    void applyRepeatsWhatThePlanCouldNotContain() throws IOException {
        Path host = RecordedHost.unpack("vm", Files.createDirectory(directory.resolve("vm")));
        try (Stream<Path> entries = Files.walk(host.resolve("sys/class/net"))) {
            entries.sorted(Comparator.reverseOrder())
                    .forEach(entry -> entry.toFile().delete());
        }
        for (String action : List.of("plan", "apply")) {
            assertThat(tune(action, "vm")).isZero();
            assertThat(run.err()).contains("note: no NIC is up; choose one with --nic");
        }
        assertThat(tune("apply", "vm", "--json")).isZero();
        assertThat(run.lastJson()).extractingByKey("notes").asString().contains("no NIC is up");
        assertThat(tune("show", "vm", "--nic", "ens3")).isEqualTo(2);
        assertThat(run.err()).contains("--nic 'ens3': no such NIC; this host has none");
    }

    @Test
    void usageErrorsSuggestACorrection() throws IOException {
        assertThat(run.run("tune")).isEqualTo(2);
        assertThat(run.run("tune", "aply")).isEqualTo(2);
        assertThat(run.err()).contains("did you mean").contains("apply");
        assertThat(tune("show", "vm", "--nic", "ens4")).isEqualTo(2);
        assertThat(run.err()).contains("--nic 'ens4': no such NIC; this host has ens3");
        assertThat(tune("undo", "vm", "--rtt", "1ms")).isEqualTo(2);
        assertThat(tune("plan", "vm", "--rtt", "0")).isEqualTo(2);
    }
}
