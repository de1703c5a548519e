package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The Slurm cluster for tests behaves like a real one. Otherwise tests that use it would prove nothing. */
@Tag("fault")
@Tag("slurm")
final class SlurmClusterTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    /** Prints its node. Waits to be killed when it is started first, and ends when it is started again. */
    private static final List<String> TASK = List.of(
            "#!/bin/bash",
            "echo \"on $SLURMD_NODENAME, start ${SLURM_RESTART_COUNT:-0}, array task $SLURM_ARRAY_TASK_ID\"",
            "[[ ${SLURM_RESTART_COUNT:-0} -gt 0 ]] || sleep 600",
            "");

    @Test
    void queuesATaskAgainWhoseNodeDied() throws IOException {
        SlurmCluster slurm = at.closing(SlurmCluster.start(at.path("slurm"), 2));
        Path script = Files.write(at.path("task"), TASK);
        String log = at.path("log-%a").toString();
        String job = slurm.submit(
                "--array=0-1", "--exclusive", "--requeue", "--open-mode=append", "--output=" + log, script);
        Await.until(
                "both tasks have said where they are", Workplace.LIMIT, () -> !text(0).isEmpty() && !text(1).isEmpty());
        assertThat(slurm.tasks(job).lines()).hasSize(2).allMatch(line -> line.contains(" RUNNING n"));
        int lost = text(0).contains("on n2") ? 0 : 1;
        assertThat(text(lost)).contains("on n2, start 0, array task " + lost);
        assertThat(text(1 - lost)).contains("on n1, start 0");

        slurm.killNode("n2");
        Await.until(
                "the task of the dead node waits again",
                Workplace.LIMIT,
                () -> slurm.tasks(job).contains(lost + " PENDING"));
        slurm.startNode("n2");
        Await.until("it ran again", Workplace.LIMIT, () -> text(lost).contains("start 1, array task " + lost));
        // The other task ran without interruption.
        assertThat(text(1 - lost)).doesNotContain("start 1");
        slurm.ok("scancel", job);
    }

    private String text(int task) {
        Path log = at.path("log-" + task);
        return Files.exists(log) ? Trees.text(log) : "";
    }
}
