package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code ls} with real processes: names, sizes, times, roots and free space of a server, and of a host over ssh. */
final class ListTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    private static void fill(Path root) throws IOException {
        Trees.file(root.resolve("results/a.bin"), 1000, 1);
        Trees.file(root.resolve("results/b.bin"), 2000, 2);
        Trees.file(root.resolve("results/c.txt"), 3, 3);
        Trees.file(root.resolve("results/sub/d.bin"), 4, 4);
        Files.createSymbolicLink(root.resolve("out"), Path.of("/etc"));
    }

    @Test
    void listsNamesSizesAndTimesOfAServer() throws IOException {
        FdtServer server = at.server("--read-only");
        fill(server.root());

        assertThat(at.fdt("ls", server.url("/results")).expectExit(0).out())
                .containsExactly("a.bin", "b.bin", "c.txt", "sub/");
        assertThat(at.fdt("ls", server.url("")).expectExit(0).out())
                .isEqualTo(at.fdt("ls", server.url("/")).expectExit(0).out());
        List<Map<String, Object>> entries = at.fdt("ls", "-R", "--json", server.url("/results/"))
                .expectExit(0)
                .json();
        assertThat(entries).hasSize(5).allSatisfy(entry -> {
            assertThat(entry).containsEntry("type", "entry").containsKeys("path", "kind", "bytes");
            assertThat(String.valueOf(entry.get("mtime"))).endsWith("Z");
        });
        assertThat(entries.get(0))
                .containsEntry("path", "a.bin")
                .containsEntry("kind", "file")
                .containsEntry("bytes", 1000L);
        assertThat(entries.get(4)).containsEntry("path", "sub/d.bin");
        assertThat(at.fdt("ls", "--space", server.url("/")).expectExit(0).out())
                .anyMatch(line -> line.startsWith("/: ") && line.contains(" free, "))
                .contains("unfinished copies: 0 files, 0 B");
        assertThat(at.fdt("ls", server.url("/none")).expectExit(4).errText()).contains("/none");
        at.fdt("ls", server.url("/out/passwd")).expectExit(7);
    }

    @Test
    void theServerExpandsPatternsForEveryCommand() throws IOException {
        FdtServer server = at.server();
        fill(server.root());
        Path here = at.directory("here");
        String pattern = server.url("/results/*.bin");

        assertThat(at.fdt("ls", pattern).expectExit(0).out()).containsExactly("a.bin", "b.bin");
        at.fdt("client", pattern, here).expectExit(0);
        assertThat(here).isDirectoryNotContaining("glob:**.txt");
        assertThat(here.resolve("a.bin")).hasSameBinaryContentAs(server.root().resolve("results/a.bin"));
        assertThat(here.resolve("b.bin")).hasSameBinaryContentAs(server.root().resolve("results/b.bin"));
        at.fdt("verify", here, pattern).expectExit(0);
        Files.writeString(here.resolve("b.bin"), "other");
        at.fdt("verify", here, pattern).expectExit(6);

        for (String command : List.of("client", "ls", "verify")) {
            List<Object> words = new java.util.ArrayList<>(List.of(command, server.url("/results/*.none")));
            if (!command.equals("ls")) {
                words.add(here);
            }
            assertThat(at.fdt(words.toArray()).expectExit(4).errText())
                    .contains("/results/*.none: nothing matches this pattern");
        }
    }

    @Test
    void refusesToCopyAWholeExportByAForgottenPath() throws IOException {
        FdtServer server = at.server();
        fill(server.root());
        Path here = at.directory("here");

        assertThat(at.fdt("client", server.url(""), here).expectExit(2).errText())
                .contains("write " + server.url("/") + " for everything");
        assertThat(here).isEmptyDirectory();
    }

    @Test
    void listsOverSsh() throws IOException {
        SshServer sshd = at.closing(SshServer.start(at.path("sshd")));
        Path root = at.directory("far");
        fill(root);

        Outcome outcome = at.fdt(
                "ls",
                "--ssh",
                sshd.command(),
                "--remote-command",
                at.remoteFdt(),
                sshd.user() + "@127.0.0.1:" + root.resolve("results"));

        assertThat(outcome.expectExit(0).out()).containsExactly("a.bin", "b.bin", "c.txt", "sub/");
    }
}
