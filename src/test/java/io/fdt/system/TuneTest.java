package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * {@code tune} on the real files of this machine's kernel, in a separate network namespace with a veth that has several
 * queues. Queues and TCP sysctls are those of the namespace. Settings of the whole machine are plain files.
 */
@Tag("fault")
final class TuneTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    private TuneHost host;
    private Path root;

    @BeforeEach
    void enterANamespace() throws IOException {
        host = TuneHost.enter(at);
        root = host.root();
    }

    /** Runs {@code tune} in the namespace of the veth. */
    private FdtProcess start(String action, Object... options) {
        List<Object> words = new ArrayList<>(List.of("tune", action, "--root", root, "--state", at.path("state")));
        words.addAll(List.of(options));
        FdtProcess.Setup setup = at.setup("tune-" + action, words.toArray());
        List<String> inside = host.inside();
        inside.addAll(setup.command());
        return at.track(
                FdtProcess.start(new FdtProcess.Setup(setup.name(), inside, setup.environment(), setup.directory())));
    }

    private FdtProcess apply(int lanes) {
        return start("apply", "--nic", "v0", "--rate", "10Gbit", "--rtt", "100ms", "--lanes", lanes);
    }

    @Test
    void appliesToTheKernelReadsBackAndUndoesToTheByte() {
        String original = host.everything();
        String queues = host.queues();

        Outcome applied = apply(16).await(Workplace.LIMIT).expectExit(0);

        assertThat(applied.errText()).contains("applied and read back");
        assertThat(host.queues())
                .as("packets of the one queue go to another core")
                .isNotEqualTo(queues);
        assertThat(host.shell("cat /proc/sys/net/ipv4/tcp_rmem")).endsWith("\t" + (15 << 20) + "\n");
        assertThat(apply(16).await(Workplace.LIMIT).expectExit(0).errText()).contains("nothing to do");
        apply(2).await(Workplace.LIMIT).expectExit(0);
        assertThat(host.shell("cat /proc/sys/net/ipv4/tcp_rmem")).endsWith("\t" + (120 << 20) + "\n");

        start("undo").await(Workplace.LIMIT).expectExit(0);

        assertThat(host.everything()).isEqualTo(original);
        assertThat(start("undo").await(Workplace.LIMIT).expectExit(0).errText()).contains("nothing to undo");
    }

    /**
     * A pipe replaces one of the files. Writing to it waits for a reader that never opens it, so the point of the kill
     * is exact.
     */
    @Test
    void undoesToTheByteAfterKillBetweenTwoWrites() throws IOException {
        String original = host.everything();
        String queues = host.queues();
        Path held = root.resolve("proc/sys/net/core/rmem_max");
        Files.delete(held);
        Shell.ok("mkfifo", held);
        String feeder = "import sys, time\nwhile True:\n    with open(sys.argv[1], 'w') as pipe:\n"
                + "        pipe.write('" + TuneHost.SMALL.strip() + "\\n')\n    time.sleep(0.2)\n";
        at.track(FdtProcess.start(new FdtProcess.Setup(
                "feeder",
                List.of("python3", "-c", feeder, held.toString()),
                Map.of("PATH", String.valueOf(System.getenv("PATH"))),
                at.directory())));

        FdtProcess applying = apply(16);
        Await.until(
                "the buffers before the pipe are written",
                Workplace.LIMIT,
                () -> host.shell("cat /proc/sys/net/ipv4/tcp_wmem").endsWith("\t" + (15 << 20) + "\n"));
        applying.killHard();

        assertThat(host.queues()).isNotEqualTo(queues);
        assertThat(Files.readString(root.resolve("proc/sys/net/core/wmem_max")))
                .as("behind the pipe")
                .isEqualTo(TuneHost.SMALL);
        Files.delete(held);
        Files.writeString(held, TuneHost.SMALL);

        start("undo").await(Workplace.LIMIT).expectExit(0);

        assertThat(host.everything()).isEqualTo(original);
    }

    @Test
    void planChangesNothing() {
        String original = host.everything();

        Outcome planned = start("plan", "--nic", "v0", "--rate", "10Gbit", "--json")
                .await(Workplace.LIMIT)
                .expectExit(0);

        assertThat(planned.jsonOfType("write")).isNotEmpty();
        assertThat(host.everything()).isEqualTo(original);
        assertThat(at.path("state")).doesNotExist();
    }

    /** The user may read everything. The only obstacle is not being root. */
    @Test
    void refusesOtherUsersThanRoot() {
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

        assertThat(refused.errText()).contains("needs root").contains("sudo");
    }
}
