package io.fdt.system;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The packages for other programs: each passes its own tests against a real server, with the other program's code,
 * which {@code scripts/test} installs.
 */
@Timeout(value = 45, unit = TimeUnit.MINUTES)
@Order(1)
final class IntegrationsTest {
    /** Has the words of the fdt command in its arguments, and puts programs with the names that others call in PATH. */
    private static final String SCRIPT = """
            FDT_COMMAND=$("$FDT_PYTHON" -c 'import json, sys; print(json.dumps(sys.argv[1:]))' "$@")
            export FDT_COMMAND PYTHONDONTWRITEBYTECODE=1
            program() { # name word…
                { echo '#!/bin/bash' && printf 'exec' && printf ' %q' "${@:2}" && echo ' "$@"'; } >"bin/$1"
                chmod 755 "bin/$1"
            }
            mkdir bin
            export PATH=$PWD/bin:$PATH
            program fdt "$@"
            program git-annex-remote-fdt "$FDT_PYTHON" -m fdt_client.annex
            cd "$FDT_TESTS" && exec "$FDT_PYTHON" -m pytest -q -p no:cacheprovider "$FDT_TEST\"""";

    /** Against hanging: git-annex's own tests start hundreds of processes. */
    private static final Duration LIMIT = Duration.ofMinutes(40);

    @RegisterExtension
    final Workplace at = new Workplace();

    @Test
    void thePythonPackageDoesWhatItPromises() {
        passes("test_client.py");
    }

    @Test
    void thePythonClientOutlivesItsProcessAndItsOwn() {
        passes("test_process.py");
    }

    @Test
    void fsspecOpensFilesForOtherPrograms() {
        passes("test_fsspec.py");
    }

    @Test
    void rucioUploadsDownloadsRenamesAndDeletes() {
        passes("test_rucio.py");
    }

    @Test
    void gitAnnexAndDataladStoreAndGet() {
        passes("test_annex.py");
    }

    @Test
    void htcondorTransfersFilesAndLearnsWhyNot() {
        passes("test_condor.py");
    }

    @Test
    void snakemakeStoresAndRetrieves() {
        passes("snakemake", "test_snakemake.py");
    }

    @Test
    void scitagsUnderstandsFireflies() {
        passes("test_scitags.py");
    }

    @Test
    void pschedulerMeasuresBetweenTwoParticipants() {
        passes("test_pscheduler.py");
    }

    @Test
    void gfal2CopiesListsAndRemoves() {
        passes("gfal2", "test_gfal2.py");
    }

    private void passes(String test) {
        passes("python", test);
    }

    /** @param integration the directory with the tests */
    private void passes(String integration, String test) {
        FdtServer server = at.server();
        passes(at, server.url(""), server.root(), integration, test);
    }

    static void passes(Workplace at, String url, Path root, String integration, String test) {
        Path integrations = Recipe.readme().resolveSibling("integrations");
        at.environment("FDT_PYTHON", Integrations.python().toString());
        at.environment("PYTHONPATH", integrations.resolve("python/src") + ":" + integrations.resolve("snakemake/src"));
        at.environment(
                "FDT_TESTS", integrations.resolve(integration).resolve("tests").toString());
        at.environment("FDT_TEST", test);
        at.environment("FDT_URL", url);
        at.environment("FDT_ROOT", root.toString());

        at.track(FdtProcess.start(at.setupThroughBash("python", SCRIPT)))
                .await(LIMIT)
                .expectExit(0);
    }
}
