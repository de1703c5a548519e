package io.fdt.system;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The packages for other programs: each passes its own tests against a real server, with the other program's code. */
final class IntegrationsTest {
    /** Has the words of the fdt command in its arguments. */
    private static final String SCRIPT = """
            FDT_COMMAND=$(python3 -c 'import json, sys; print(json.dumps(sys.argv[1:]))' "$@")
            export FDT_COMMAND PYTHONDONTWRITEBYTECODE=1
            cd "$FDT_TESTS" && exec python3 -m unittest -v "$FDT_MODULE\"""";

    @RegisterExtension
    final Workplace at = new Workplace();

    @Test
    void thePythonPackageDoesWhatItPromises() {
        passes("test_client");
    }

    @Test
    void rucioUploadsDownloadsRenamesAndDeletes() {
        Assumptions.assumeTrue(
                Shell.run("python3", "-c", "import rucio").exitCode() == 0,
                "no rucio: pip install rucio-clients for the python3 in PATH");
        passes("test_rucio");
    }

    private void passes(String module) {
        FdtServer server = at.server();
        Path python = integrations().resolve("python");
        at.environment("PYTHONPATH", python.resolve("src").toString());
        at.environment("FDT_TESTS", python.resolve("tests").toString());
        at.environment("FDT_MODULE", module);
        at.environment("FDT_URL", server.url(""));
        at.environment("FDT_ROOT", server.root().toString());

        at.track(FdtProcess.start(at.setupThroughBash("python", SCRIPT)))
                .await(Workplace.LIMIT)
                .expectExit(0);
    }

    /** Returns the directory of the packages in this checkout. */
    private static Path integrations() {
        for (Path above = Path.of("").toAbsolutePath(); above != null; above = above.getParent()) {
            Path found = above.resolve("integrations");
            if (Files.isDirectory(found)) {
                return found;
            }
        }
        throw new AssertionError("no integrations above " + Path.of("").toAbsolutePath());
    }
}
