package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * {@code tune} on the real files of this machine's kernel, in a network namespace of the test's own with a veth of several
 * queues. Queues and TCP's sysctls are those of the namespace; what belongs to the whole machine stands in plain files.
 */
@Tag("fault")
final class TuneTest {
    private static final String SMALL = "212992\n";

    @RegisterExtension
    final Workplace at = new Workplace();

    private FdtProcess namespace;
    private Path root;

    @BeforeEach
    void enterANamespace() throws IOException {
        assumeTrue(
                Shell.run("unshare", "--net", "--mount", "true").exitCode() == 0,
                "network namespaces are not allowed here");
        String script = "mount -t sysfs sysfs /sys && ip link add v0 numtxqueues 4 numrxqueues 1 type veth peer name v1"
                + " numtxqueues 1 numrxqueues 4 && ip link set v0 up && ip link set v1 up"
                + " && echo 4096 131072 6291456 > /proc/sys/net/ipv4/tcp_rmem"
                + " && echo 4096 16384 4194304 > /proc/sys/net/ipv4/tcp_wmem && echo up && exec sleep 600";
        namespace = at.track(FdtProcess.start(new FdtProcess.Setup(
                "namespace",
                List.of("unshare", "--net", "--mount", "--propagation", "private", "bash", "-c", script),
                Map.of("PATH", String.valueOf(System.getenv("PATH"))),
                at.directory())));
        namespace.awaitLine(Workplace.LIMIT, "up"::equals);
        assumeTrue(!queues().isEmpty(), "this kernel has neither RPS nor XPS");
        root = at.directory("root");
        Files.createSymbolicLink(root.resolve("sys"), Path.of("/sys"));
        Path net = Files.createDirectories(root.resolve("proc/sys/net"));
        Files.createSymbolicLink(net.resolve("ipv4"), Path.of("/proc/sys/net/ipv4"));
        Path core = Files.createDirectory(net.resolve("core"));
        for (String name : List.of("rmem_max", "wmem_max")) {
            Files.writeString(core.resolve(name), SMALL);
        }
        Files.writeString(core.resolve("netdev_max_backlog"), "1000\n");
        Path random = Files.createDirectories(root.resolve("proc/sys/kernel/random"));
        Files.copy(Path.of("/proc/sys/kernel/random/boot_id"), random.resolve("boot_id"));
    }

    /** Runs it where the veth is. */
    private FdtProcess start(String action, Object... options) {
        List<Object> words = new ArrayList<>(List.of("tune", action, "--root", root, "--state", at.path("state")));
        words.addAll(List.of(options));
        FdtProcess.Setup setup = at.setup("tune-" + action, words.toArray());
        List<String> inside = inside();
        inside.addAll(setup.command());
        return at.track(
                FdtProcess.start(new FdtProcess.Setup(setup.name(), inside, setup.environment(), setup.directory())));
    }

    private FdtProcess apply(int lanes) {
        return start("apply", "--nic", "v0", "--rate", "10Gbit", "--rtt", "100ms", "--lanes", lanes);
    }

    private List<String> inside() {
        return new ArrayList<>(
                List.of("nsenter", "--target", String.valueOf(namespace.pid()), "--net", "--mount", "--"));
    }

    private String shell(String script) {
        List<String> words = inside();
        words.addAll(List.of("bash", "-c", script));
        return Shell.ok(words.toArray());
    }

    /** What stands in the files of the queues. */
    private String queues() {
        return shell("cd /sys/class/net && grep -H . v0/queues/rx-*/rps_cpus v0/queues/tx-*/xps_cpus || true");
    }

    /** Everything that tune writes to here, to the byte. */
    private String everything() {
        return queues()
                + shell("for f in /proc/sys/net/ipv4/tcp_[rw]mem " + root
                        + "/proc/sys/net/core/{rmem_max,wmem_max,netdev_max_backlog}; do echo $f; od -c $f; done");
    }

    @Test
    void appliesToTheKernelReadsBackAndUndoesToTheByte() {
        String original = everything();
        String queues = queues();

        Outcome applied = apply(16).await(Workplace.LIMIT).expectExit(0);

        assertThat(applied.errText()).contains("applied and read back");
        assertThat(queues()).as("packets of the one queue go to another core").isNotEqualTo(queues);
        assertThat(shell("cat /proc/sys/net/ipv4/tcp_rmem")).endsWith("\t" + (15 << 20) + "\n");
        assertThat(apply(16).await(Workplace.LIMIT).expectExit(0).errText()).contains("nothing to do");
        apply(2).await(Workplace.LIMIT).expectExit(0);
        assertThat(shell("cat /proc/sys/net/ipv4/tcp_rmem")).endsWith("\t" + (120 << 20) + "\n");

        start("undo").await(Workplace.LIMIT).expectExit(0);

        assertThat(everything()).isEqualTo(original);
        assertThat(start("undo").await(Workplace.LIMIT).expectExit(0).errText()).contains("nothing to undo");
    }

    /** A pipe stands in for one of the files: writing to it waits for a reader that never comes, so the point is exact. */
    @Test
    void undoesToTheByteAfterKillBetweenTwoWrites() throws IOException {
        String original = everything();
        String queues = queues();
        Path held = root.resolve("proc/sys/net/core/rmem_max");
        Files.delete(held);
        Shell.ok("mkfifo", held);
        String feeder = "import sys, time\nwhile True:\n    with open(sys.argv[1], 'w') as pipe:\n"
                + "        pipe.write('" + SMALL.strip() + "\\n')\n    time.sleep(0.2)\n";
        at.track(FdtProcess.start(new FdtProcess.Setup(
                "feeder",
                List.of("python3", "-c", feeder, held.toString()),
                Map.of("PATH", String.valueOf(System.getenv("PATH"))),
                at.directory())));

        FdtProcess applying = apply(16);
        Await.until(
                "the buffers before the pipe are written",
                Duration.ofSeconds(30),
                () -> shell("cat /proc/sys/net/ipv4/tcp_wmem").endsWith("\t" + (15 << 20) + "\n"));
        applying.killHard();

        assertThat(queues()).isNotEqualTo(queues);
        assertThat(Files.readString(root.resolve("proc/sys/net/core/wmem_max")))
                .as("behind the pipe")
                .isEqualTo(SMALL);
        Files.delete(held);
        Files.writeString(held, SMALL);

        start("undo").await(Workplace.LIMIT).expectExit(0);

        assertThat(everything()).isEqualTo(original);
    }

    @Test
    void planChangesNothing() {
        String original = everything();

        Outcome planned = start("plan", "--nic", "v0", "--rate", "10Gbit", "--json")
                .await(Workplace.LIMIT)
                .expectExit(0);

        assertThat(planned.jsonOfType("write")).isNotEmpty();
        assertThat(everything()).isEqualTo(original);
        assertThat(at.path("state")).doesNotExist();
    }

    /** With every right to read, so that nothing but the user stands in the way. */
    @Test
    void whoIsNotRootIsRefused() {
        FdtProcess.Setup setup = at.setup("tune", "tune", "apply");
        List<String> words = new ArrayList<>(List.of(
                "setpriv",
                "--reuid=65534",
                "--clear-groups",
                "--inh-caps=+dac_override,+dac_read_search",
                "--ambient-caps=+dac_override,+dac_read_search",
                "--"));
        words.addAll(setup.command());
        Outcome refused = at.track(
                        FdtProcess.start(new FdtProcess.Setup("nobody", words, setup.environment(), setup.directory())))
                .await(Workplace.LIMIT)
                .expectExit(7);

        assertThat(refused.errText()).contains("only root may").contains("sudo");
    }
}
