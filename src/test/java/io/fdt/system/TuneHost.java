package io.fdt.system;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A host that {@code tune} may write to: a separate network namespace with a veth {@code v0} that has several queues.
 * Queues and TCP sysctls are those of the namespace. Settings of the whole machine are plain files below the root.
 */
final class TuneHost {
    static final String SMALL = "212992\n";

    private final FdtProcess namespace;
    private final Path root;

    private TuneHost(FdtProcess namespace, Path root) {
        this.namespace = namespace;
        this.root = root;
    }

    /** Creates the host, or skips the test without the necessary privileges. */
    static TuneHost enter(Workplace at) throws IOException {
        assumeTrue(
                Shell.run("unshare", "--net", "--mount", "true").exitCode() == 0,
                "network namespaces are not allowed here");
        String script = "mount -t sysfs sysfs /sys && ip link add v0 numtxqueues 4 numrxqueues 1 type veth peer name v1"
                + " numtxqueues 1 numrxqueues 4 && ip link set v0 up && ip link set v1 up"
                + " && echo 4096 131072 6291456 > /proc/sys/net/ipv4/tcp_rmem"
                + " && echo 4096 16384 4194304 > /proc/sys/net/ipv4/tcp_wmem && echo up && exec sleep 600";
        FdtProcess namespace = at.track(FdtProcess.start(new FdtProcess.Setup(
                "namespace",
                List.of("unshare", "--net", "--mount", "--propagation", "private", "bash", "-c", script),
                Map.of("PATH", String.valueOf(System.getenv("PATH"))),
                at.directory())));
        namespace.awaitLine(Workplace.LIMIT, "up"::equals);
        Path root = at.directory("root");
        TuneHost host = new TuneHost(namespace, root);
        assumeTrue(!host.queues().isEmpty(), "this kernel has neither RPS nor XPS");
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
        return host;
    }

    Path root() {
        return root;
    }

    /** The prefix of a command to run in the namespace. */
    List<String> inside() {
        return new ArrayList<>(
                List.of("nsenter", "--target", String.valueOf(namespace.pid()), "--net", "--mount", "--"));
    }

    /** Runs a script in the namespace that must succeed, and returns its output. */
    String shell(String script) {
        List<String> words = inside();
        words.addAll(List.of("bash", "-c", script));
        return Shell.ok(words.toArray());
    }

    /** The contents of the files of the queues. */
    String queues() {
        return shell("cd /sys/class/net && grep -H . v0/queues/rx-*/rps_cpus v0/queues/tx-*/xps_cpus || true");
    }

    /** The exact contents of everything that tune writes to here. */
    String everything() {
        return queues()
                + shell("for f in /proc/sys/net/ipv4/tcp_[rw]mem " + root
                        + "/proc/sys/net/core/{rmem_max,wmem_max,netdev_max_backlog}; do echo $f; od -c $f; done");
    }
}
