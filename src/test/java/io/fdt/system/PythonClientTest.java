package io.fdt.system;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The Python package's own tests against a real server. */
final class PythonClientTest {
    /** Has the words of the fdt command in its arguments. */
    private static final String SCRIPT = """
            FDT_COMMAND=$(python3 -c 'import json, sys; print(json.dumps(sys.argv[1:]))' "$@")
            export FDT_COMMAND PYTHONDONTWRITEBYTECODE=1
            cd "$FDT_TESTS" && exec python3 -m unittest -v""";

    @RegisterExtension
    final Workplace at = new Workplace();

    @Test
    void passesItsOwnTests() {
        FdtServer server = at.server();
        Path python = integrations().resolve("python");
        at.environment("PYTHONPATH", python.resolve("src").toString());
        at.environment("FDT_TESTS", python.resolve("tests").toString());
        at.environment("FDT_URL", server.url(""));
        at.environment("FDT_ROOT", server.root().toString());

        at.track(FdtProcess.start(at.setupThroughBash("python", SCRIPT)))
                .await(Workplace.LIMIT)
                .expectExit(0);
    }

    /** Returns the directory of the packages for other programs in this checkout. */
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
