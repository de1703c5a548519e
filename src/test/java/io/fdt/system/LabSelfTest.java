package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.core.transport.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The lab provides what the tests need, and it works: RDMA, bonding, netem, interrupts with configurable cores, a
 * second host.
 */
@Tag("lab")
final class LabSelfTest {
    private static final String HERE = "10.77.0.1";
    private static final Duration LOOK_EVERY = Duration.ofMillis(200);

    @RegisterExtension
    final Workplace at = new Workplace();

    private FdtProcess start(String name, Object... command) {
        return at.track(FdtProcess.start(new FdtProcess.Setup(
                name, Shell.words(command), Map.of("PATH", System.getenv("PATH")), at.directory())));
    }

    /** Starts the listening end of a tool and returns once RDMA's connection manager has its address. */
    private FdtProcess listener(Object... command) {
        FdtProcess listener = start("listener", command);
        awaitListening("rdma", "resource", "show", "cm_id");
        return listener;
    }

    private static void awaitListening(Object... command) {
        Await.until("something listens", Workplace.LIMIT, () -> {
            // Each check is a process, which takes CPU time from the process that it waits for.
            Await.pass(LOOK_EVERY);
            return Shell.ok(command).contains("state LISTEN");
        });
    }

    @Test
    void softRoceIsUp() {
        assertThat(Shell.ok("rdma", "link", "show", "rxe0/1")).contains("state ACTIVE");
        assertThat(Shell.ok("ibv_devinfo", "-d", "rxe0")).contains("PORT_ACTIVE", "active_mtu:\t\t4096");
    }

    @Test
    void connectionManagerConnectsAndDataComesBack() {
        FdtProcess listener = listener("rping", "-s", "-a", HERE, "-C", 3, "-v");
        Outcome client = start("client", "rping", "-c", "-a", HERE, "-C", 3, "-v")
                .await(Workplace.LIMIT)
                .expectExit(0);
        assertThat(client.out())
                .filteredOn(line -> line.startsWith("ping data: rdma-ping-"))
                .hasSize(3);
        assertThat(listener.await(Workplace.LIMIT).out())
                .filteredOn(line -> line.contains("ping data: rdma-ping-"))
                .hasSize(3);
    }

    @Test
    void rdmaWritesComplete() {
        List<Object> tool = List.of("ib_write_bw", "-d", "rxe0", "-R", "-s", 65_536, "-n", 200, "-q", 2);
        FdtProcess listener = listener(tool.toArray());
        List<Object> words = new ArrayList<>(tool);
        words.add(HERE);
        Outcome client = start("client", words.toArray()).await(Workplace.LIMIT).expectExit(0);
        listener.await(Workplace.LIMIT).expectExit(0);
        // Its rates are meaningless here, but it must count every write.
        assertThat(client.transcript()).containsPattern("65536 +400 ");
    }

    @Test
    void kernelHasNetemAndBonding() {
        Shell.ok("modprobe", "-a", "sch_netem", "bonding", "veth", "dummy");
        assertThat(Shell.ok("cat", "/proc/modules")).contains("sch_netem ", "bonding ", "veth ", "dummy ");
    }

    @Test
    @Tag("queues")
    void interruptOfEachQueueCanBeMovedToAnyCore() {
        assumeTrue(
                Integer.parseInt(System.getenv("FDT_LAB_QUEUES")) > 1,
                "the network card of this lab has one queue; --nic-queues needs /dev/net/tun outside");
        String device = Shell.ok(
                "basename",
                Shell.ok("readlink", "-f", "/sys/class/net/eth0/device").strip());
        List<String> interrupts = Shell.ok("cat", "/proc/interrupts")
                .lines()
                .filter(line -> line.contains(device.strip() + "-input."))
                .map(line -> line.substring(0, line.indexOf(':')).strip())
                .toList();
        assertThat(interrupts).hasSizeGreaterThan(1);
        for (String interrupt : interrupts) {
            for (String core : List.of("0", "1")) {
                String list = "/proc/irq/" + interrupt + "/smp_affinity_list";
                Shell.ok("bash", "-c", "echo " + core + " >" + list);
                assertThat(Shell.ok("cat", list)).isEqualTo(core + "\n");
            }
        }
    }

    @Test
    void secondHostIsReached() {
        assumeTrue("2".equals(System.getenv("FDT_LAB_GUESTS")), "this lab has one host; --guests 2");
        assertThat(Shell.ok("lab-on", "b", "hostname")).isEqualTo("b\n");
        FdtProcess listener = start("listener", "lab-on", "b", "rping", "-s", "-a", "10.77.0.2", "-C", 3, "-v");
        awaitListening("lab-on", "b", "rdma", "resource", "show", "cm_id");
        start("client", "rping", "-c", "-a", "10.77.0.2", "-C", 3, "-v")
                .await(Workplace.LIMIT)
                .expectExit(0);
        assertThat(listener.await(Workplace.LIMIT).out())
                .filteredOn(line -> line.contains("ping data: rdma-ping-"))
                .hasSize(3);
    }
}
