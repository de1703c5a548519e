package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is given to schedulers: the manifests for Kubernetes, and the simulation of many nodes. */
@Timeout(180)
final class ManyNodesTest {
    private static final int EXIT_NOT_HERE = 77;

    @RegisterExtension
    final Workplace at = new Workplace();

    /** Compares manifests with the published schemas; skips the test where these cannot be had. */
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
    void aManifestWithAWrongNameOrTypeDoesNotFit() throws IOException {
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
            // From a file of a Secret only: not as a variable of the pod, which everybody may read who may read pods.
            assertThat(manifest(name)).doesNotContain("secretKeyRef", "name: FDT_KEY", "fdt-key:");
        }
    }

    private static String only(String pattern, String text) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        assertThat(matcher.find()).as(pattern).isTrue();
        String found = matcher.group(1);
        assertThat(matcher.find()).as("a second " + pattern).isFalse();
        return found;
    }

    @Test
    void theSimulationAgreesWithClosedFormsAndItsPageWithIt() {
        assertThat(Shell.ok(SlurmCluster.script("many-nodes"), "--check")).contains("agrees with the closed forms");
    }
}
