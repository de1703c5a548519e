package io.fdt.system;

import io.fdt.core.transport.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/**
 * A real Slurm cluster of several nodes on this machine, made by {@code scripts/slurm-cluster}. Stopped after the test.
 */
final class SlurmCluster implements AutoCloseable {
    /** The exit code of the script on a machine that lacks a prerequisite. */
    private static final int EXIT_NOT_HERE = 77;

    private final Path directory;

    private SlurmCluster(Path directory) {
        this.directory = directory;
    }

    /** Starts nodes n1, n2 … and waits until they are up. Skips the test if Slurm is not installed. */
    static SlurmCluster start(Path directory, int nodes) {
        SlurmCluster cluster = new SlurmCluster(directory);
        Shell.Result started = Shell.run(script("slurm-cluster"), "start", directory, nodes);
        Assumptions.assumeTrue(started.exitCode() != EXIT_NOT_HERE, () -> lastLine(started.err()));
        started.orFail("slurm-cluster start");
        return cluster;
    }

    private static String lastLine(String text) {
        return text.strip().lines().reduce("no reason given", (before, line) -> line);
    }

    static Path script(String name) {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            Path script = at.resolve("scripts").resolve(name);
            if (Files.isReadable(script)) {
                return script;
            }
        }
        throw new AssertionError("no scripts/" + name + " above " + Path.of("").toAbsolutePath());
    }

    /** The configuration file that Slurm clients of this cluster use. */
    Path configuration() {
        return directory.resolve("etc/slurm.conf");
    }

    /** Runs a Slurm command that must succeed, and returns its output. */
    String ok(Object... command) {
        List<Object> words = new ArrayList<>(List.of("env", "SLURM_CONF=" + configuration()));
        words.addAll(List.of(command));
        return Shell.ok(words.toArray()).strip();
    }

    String submit(Object... words) {
        List<Object> command = new ArrayList<>(List.of("sbatch", "--parsable"));
        command.addAll(List.of(words));
        return ok(command.toArray());
    }

    /** Returns the known states of a job's tasks, one a line: number, state, node. */
    String tasks(String job) {
        return ok("squeue", "-h", "-r", "-t", "all", "-j", job, "-o", "%K %T %N");
    }

    /** Waits until all tasks of a job are in this state. */
    void awaitAll(String job, String state, Duration limit) {
        Await.until(
                "all of job " + job + " are " + state,
                limit,
                () -> tasks(job).lines().allMatch(line -> line.contains(" " + state)));
    }

    /** Ends everything that runs on a node at once, as a power failure does. */
    void killNode(String node) {
        Shell.ok(script("slurm-cluster"), "kill-node", directory, node);
    }

    void startNode(String node) {
        Shell.ok(script("slurm-cluster"), "start-node", directory, node);
    }

    @Override
    public void close() {
        Shell.ok(script("slurm-cluster"), "stop", directory);
    }
}
