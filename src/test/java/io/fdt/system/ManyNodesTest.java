package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The files for schedulers: the manifests for Kubernetes, and the simulation of many nodes. */
@Tag("slurm")
final class ManyNodesTest {
    private static final int EXIT_NOT_HERE = 77;

    @RegisterExtension
    final Workplace at = new Workplace();

    /** Validates manifests against the published schemas. Skips the test if the schemas are not available. */
    private static Shell.Result check(Object... manifests) {
        Object[] words = new Object[manifests.length + 1];
        words[0] = SlurmCluster.script("kubernetes/check");
        System.arraycopy(manifests, 0, words, 1, manifests.length);
        Shell.Result checked = Shell.run(words);
        assumeTrue(checked.exitCode() != EXIT_NOT_HERE, () -> checked.err().strip());
        return checked;
    }

    private static String manifest(String name) {
        return Trees.text(SlurmCluster.script("kubernetes/" + name));
    }

    @Test
    void manifestsFitTheSchemasOfKubernetes() {
        Shell.Result checked = check().orFail("scripts/kubernetes/check");
        for (String passed : new String[] {
            "service/fdt-server", "deployment/fdt-server", "job/fdt-plan", "job/fdt-shards", "job/fdt-finish"
        }) {
            assertThat(checked.out() + checked.err()).contains(passed);
        }
    }

    @Test
    void schemaRefusesWrongNamesAndTypes() throws IOException {
        for (String[] damage :
                new String[][] {{"parallelism:", "paralelism:"}, {"completions: 64", "completions: many"}}) {
            String text = manifest("shards.yaml");
            assertThat(text).contains(damage[0]);
            Path damaged = Files.writeString(at.path("damaged.yaml"), text.replace(damage[0], damage[1]));
            Shell.Result checked = check(damaged);
            assertThat(checked.exitCode()).isEqualTo(1);
            assertThat(checked.out() + checked.err()).contains(damage[1].replaceAll("^(\\w+): ?.*", "$1"));
        }
    }

    @Test
    void asManyShardsAreMovedAsAreCutAndNoKeyStandsInAManifest() {
        assertThat(only("--into, \"(\\d+)\"", manifest("plan.yaml")))
                .isEqualTo(only("completions: (\\d+)", manifest("shards.yaml")));
        for (String name : new String[] {"plan.yaml", "shards.yaml", "finish.yaml", "server.yaml"}) {
            // The key must come from a file of a Secret: anyone who may read pods may read their environment variables.
            assertThat(manifest(name)).doesNotContain("secretKeyRef", "name: FDT_KEY", "fdt-key:");
        }
    }

    /**
     * Returns the command of a manifest's container, with the paths and addresses of this test and the fdt under test.
     */
    private FdtProcess.Setup container(String manifest, String url) {
        Matcher block = Pattern.compile("- \\|\n((?: {14}.*\n)+)").matcher(manifest(manifest));
        assertThat(block.find()).as("a script in " + manifest).isTrue();
        String script = block.group(1)
                .replace("/run/", at.path("run") + "/")
                .replace("/target", at.directory("remote").toString())
                .replace("/job/", at.directory("job") + "/")
                .replace("0.0.0.0:27321", "127.0.0.1:0")
                .replace("fdt://fdt-server:27321/", url)
                .replace("exec fdt ", "exec \"$@\" ");
        return at.setupThroughBash(manifest, "set -eu\n" + script);
    }

    @Test
    void theCommandsOfTheManifestsCopyATree() throws IOException {
        Path target = at.directory("remote");
        Path tree = Trees.small(at.directory("source"), 1);
        // As on the page about many nodes: the files of a home become one Secret, and the line with a key becomes the
        // other.
        at.environment("FDT_HOME", at.path("made").toString());
        Outcome key = at.fdt("key", "create", "shards", "--root", target, "--expires", "30d")
                .expectExit(0);
        Files.writeString(
                at.directory("run/secrets/fdt-client").resolve("key"), key.out().get(0) + "\n");
        Shell.ok("cp", "-r", at.path("made"), at.path("run/secrets/fdt-server"));
        Shell.ok("chmod", "-R", "a+r", at.path("run/secrets"));

        at.environment("FDT_HOME", at.path("run/fdt/home").toString());
        FdtServer server = FdtServer.whenReady(at.track(FdtProcess.start(container("server.yaml", ""))), target);
        at.environment("FDT_HOME", at.path("home-of-a-pod").toString());
        String words = only("command: \\[fdt, ([^]]+)\\]", manifest("plan.yaml"));
        at.fdt((Object[]) words.replace("\"64\"", "3")
                        .replace("/source/", tree + "/")
                        .replace("/job/", at.directory("job") + "/")
                        .split(", "))
                .expectExit(0);
        for (int index = 0; index < 3; index++) {
            at.environment("JOB_COMPLETION_INDEX", String.valueOf(index));
            FdtProcess shard = FdtProcess.start(container("shards.yaml", server.url("/")));
            at.track(shard).await(Workplace.LIMIT).expectExit(0);
        }
        FdtProcess finish = FdtProcess.start(container("finish.yaml", server.url("/")));
        at.track(finish).await(Workplace.LIMIT).expectExit(0);
        Trees.assertSame(tree, target);
    }

    private static String only(String pattern, String text) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        assertThat(matcher.find()).as(pattern).isTrue();
        String found = matcher.group(1);
        assertThat(matcher.find()).as("a second " + pattern).isFalse();
        return found;
    }

    @Test
    void theSimulationAgreesWithClosedForms() {
        assertThat(Shell.ok(SlurmCluster.script("many-nodes"), "--check")).contains("agrees with the closed forms");
    }
}
