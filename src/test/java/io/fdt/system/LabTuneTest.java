package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.core.transport.Await;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code tune} moves the interrupts of a real driver's queues until it is undone. */
@Tag("lab")
@Tag("queues")
final class LabTuneTest {
    /** The address of the bridge outside the guest. */
    private static final String BRIDGE = "10.77.0.254";

    private static final int ATTEMPTS = 6;

    @RegisterExtension
    final Workplace at = new Workplace();

    private String device = "";

    @BeforeEach
    void putEveryQueueOnTheFirstCore() {
        assumeTrue(
                Integer.parseInt(System.getenv("FDT_LAB_QUEUES")) > 1,
                "the network card of this lab has one queue; --nic-queues needs /dev/net/tun outside");
        device = Path.of(
                        Shell.ok("readlink", "-f", "/sys/class/net/eth0/device").strip())
                .getFileName()
                .toString();
        queues().keySet().forEach(number -> Shell.ok("bash", "-c", "echo 0 >" + list(number)));
    }

    private static String list(String number) {
        return "/proc/irq/" + number + "/smp_affinity_list";
    }

    /** The lines of the queues in {@code /proc/interrupts}, by interrupt number. */
    private Map<String, String> queues() {
        Map<String, String> lines = new TreeMap<>();
        Shell.ok("cat", "/proc/interrupts")
                .lines()
                .filter(line -> line.contains(device + "-"))
                .forEach(line -> {
                    if (line.contains("put.")) {
                        lines.put(line.substring(0, line.indexOf(':')).strip(), line);
                    }
                });
        assertThat(lines).hasSizeGreaterThanOrEqualTo(4);
        return lines;
    }

    private Map<String, String> affinities() {
        Map<String, String> lists = new TreeMap<>();
        queues().keySet().forEach(number -> lists.put(number, Shell.ok("cat", list(number))));
        return lists;
    }

    /**
     * Counts the interrupts that each of the two cores takes while packets are exchanged. The kernel moves a vector
     * only at an interrupt that its old core still takes. Therefore the same number of packets is sent before the
     * counting starts.
     */
    private long[] takenBy() {
        packets();
        long[] before = counts();
        packets();
        long[] after = counts();
        return new long[] {after[0] - before[0], after[1] - before[1]};
    }

    /** Sends and receives packets: the port is closed, so each attempt is one packet out and its refusal in. */
    private static void packets() {
        Shell.python("""
                import socket, sys
                for attempt in range(300):
                    with socket.socket() as s:
                        s.settimeout(10)
                        if s.connect_ex((sys.argv[1], 9)) != 111:
                            sys.exit("not refused")
                """, BRIDGE);
    }

    private long[] counts() {
        return queues().values().stream()
                .map(line -> line.strip().split("\\s+", -1))
                .map(words -> new long[] {Long.parseLong(words[1]), Long.parseLong(words[2])})
                .reduce(new long[2], (sum, each) -> new long[] {sum[0] + each[0], sum[1] + each[1]});
    }

    private static String bufferMax() {
        // The JDK's methods for whole files read one byte first, and a sysctl reports end of file after that.
        return Shell.ok("cat", "/proc/sys/net/core/rmem_max");
    }

    private Outcome tune(String action) {
        return at.fdt("tune", action, "--state", at.path("state"), "--nic", "eth0", "--rate", "10Gbit");
    }

    @Test
    void applyMovesTheInterruptsAndUndoBringsThemBack() {
        Map<String, String> begin = affinities();
        long[] atFirst = takenBy();
        tune("apply").expectExit(0);
        // Core 1 takes packets. Core 0, which the kernel prefers for its own work, runs lanes.
        assertThat(affinities().values()).containsOnly("1\n");
        long[] applied = takenBy();
        at.fdt("tune", "undo", "--state", at.path("state")).expectExit(0);
        assertThat(affinities()).isEqualTo(begin);
        long[] undone = takenBy();

        System.out.printf(
                "interrupts on cores 0 and 1: at first %d %d, applied %d %d, undone %d %d%n",
                LongStream.concat(
                                LongStream.concat(LongStream.of(atFirst), LongStream.of(applied)),
                                LongStream.of(undone))
                        .boxed()
                        .toArray());
        // A queue that raised no interrupt during the first packets moves at its next interrupt.
        long stillTaken = begin.size();
        assertThat(atFirst[0]).isGreaterThan(100);
        assertThat(atFirst[1]).isBetween(0L, stillTaken);
        assertThat(applied[1]).isGreaterThan(100);
        assertThat(applied[0]).isBetween(0L, stillTaken);
        assertThat(undone[0]).isGreaterThan(100);
        assertThat(undone[1]).isBetween(0L, stillTaken);
    }

    @Test
    void undoPutsEverythingBackAfterApplyWasKilledBetweenTwoWrites() {
        Map<String, String> begin = affinities();
        String buffer = bufferMax();
        boolean between = false;
        for (int attempt = 0; attempt < ATTEMPTS && !between; attempt++) {
            FdtProcess apply = at.start(
                    "apply", "tune", "apply", "--state", at.path("state"), "--nic", "eth0", "--rate", "10Gbit");
            Path first = Path.of(list(begin.keySet().iterator().next()));
            Await.until(
                    "the first interrupt is moved",
                    Workplace.LIMIT,
                    () -> Trees.text(first).equals("1\n"));
            apply.killHard();
            apply.await(Workplace.LIMIT);
            between = affinities().containsValue("0\n") || bufferMax().equals(buffer);
            at.fdt("tune", "undo", "--state", at.path("state")).expectExit(0);
            assertThat(affinities()).isEqualTo(begin);
            assertThat(bufferMax()).isEqualTo(buffer);
        }
        assertThat(between).as("killed while something was still to be written").isTrue();
    }
}
