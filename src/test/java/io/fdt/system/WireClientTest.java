package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A client in Python, which uses only what is in docs/formats.md, with a server: the page is enough. */
final class WireClientTest {
    private static final int MIB = 1 << 20;

    @RegisterExtension
    final Workplace at = new Workplace();

    private Shell.Result client(FdtServer server, String key, Object... words) throws IOException {
        Path script = at.path("wire_client.py");
        try (InputStream in = WireClientTest.class.getResourceAsStream("wire_client.py")) {
            Files.write(script, Objects.requireNonNull(in).readAllBytes());
        }
        List<Object> command = new ArrayList<>(List.of("env", "FDT_KEY=" + key, "python3", script));
        command.addAll(List.of(server.host(), server.port()));
        command.addAll(List.of(words));
        return Shell.run(command.toArray());
    }

    private Map<String, Object> succeeds(FdtServer server, Object... words) throws IOException {
        return Json.object(client(server, key(), words).orFail("the client").out());
    }

    private String key() {
        return at.fdt("key", "show").expectExit(0).out().get(0);
    }

    @Test
    void listsADirectory() throws IOException {
        FdtServer server = at.server();
        Trees.file(server.root().resolve("in/a"), 1_000, 1);
        Trees.file(server.root().resolve("in/below/b"), 0, 2);

        Map<String, Object> found = succeeds(server, "list", "/in");

        assertThat(found).containsOnlyKeys("a", "below", "below/b");
        assertThat(String.valueOf(found.get("a"))).contains("kind=0", "size=1000");
        assertThat(String.valueOf(found.get("below"))).contains("kind=1");
    }

    @Test
    void pushesFiles() throws IOException {
        FdtServer server = at.server();
        for (int length : new int[] {0, 1, MIB / 8, MIB / 8 + 1, 3 * MIB + 7}) {
            Path source = Trees.file(at.path("source"), length, length);

            assertThat(succeeds(server, "push", source, "/" + length))
                    .containsEntry("files", 1L)
                    .containsEntry("bytes", (long) length)
                    .containsEntry("acknowledged", (long) length);
            Trees.assertSameFile(source, server.root().resolve("" + length));
        }
    }

    @Test
    void pullsFiles() throws IOException {
        FdtServer server = at.server();
        for (int length : new int[] {0, 1, MIB / 8, MIB / 8 + 1, 3 * MIB + 7}) {
            Path source = Trees.file(server.root().resolve("" + length), length, length);

            succeeds(server, "pull", "/" + length, at.path("target"));
            Trees.assertSameFile(source, at.path("target"));
        }
        server.process()
                .awaitLine(
                        Workplace.LIMIT,
                        line -> line.contains("\"session_end\"") && line.contains("\"bytes\":" + (3 * MIB + 7)));
    }

    @Test
    void readsAFailure() throws IOException {
        FdtServer server = at.server();

        Shell.Result missing = client(server, key(), "pull", "/none", at.path("target"));
        assertThat(missing.exitCode()).isEqualTo(4);
        assertThat(Json.object(missing.out())).containsEntry("cause", "missing");
        String revoked = at.fdt("key", "create", "other").expectExit(0).out().get(0);
        at.fdt("key", "revoke", "other").expectExit(0);
        Shell.Result unknown = client(server, revoked, "list", "/");
        assertThat(unknown.exitCode()).isEqualTo(7);
        assertThat(String.valueOf(Json.object(unknown.out()).get("cause"))).isIn("unknown-key", "revoked");
    }
}
