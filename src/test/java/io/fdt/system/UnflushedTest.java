package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What {@code --durable none} leaves is known from each file alone, until a run has flushed it. */
final class UnflushedTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    private static List<String> attributesOf(Path file) throws IOException {
        return Files.getFileAttributeView(file, UserDefinedFileAttributeView.class)
                .list();
    }

    @Test
    void statAndVerifyShowItUntilItIsFlushed() throws IOException {
        FdtServer server = at.server();
        Path tree = at.directory("local").resolve("tree");
        Trees.manyFiles(tree, 20, 5000);
        Path file = Trees.file(tree.resolve("read-only"), 5000, 1);
        Shell.ok("chmod", "444", file);
        String remote = server.url("/tree/read-only");
        at.copy("--durable", "none", tree, server.url("/")).expectExit(0);

        assertThat(at.fdt("stat", "--json", remote).expectExit(0).out().toString())
                .contains("\"data\":\"unflushed\"");
        assertThat(at.fdt("stat", remote).expectExit(0).out().toString()).contains("(unflushed)");
        assertThat(at.fdt("verify", "--metadata", tree, server.url("/tree"))
                        .expectExit(0)
                        .err()
                        .toString())
                .contains("did not flush: 21");
        at.copy("--preserve", "all", server.url("/tree"), at.directory("pulled"))
                .expectExit(0);
        assertThat(attributesOf(at.directory("pulled").resolve("tree/read-only")))
                .isEmpty();

        Outcome rerun = at.copy(tree, server.url("/")).expectExit(0);
        assertThat(rerun.number("bytes_sent")).isZero();
        assertThat(at.fdt("stat", "--json", remote).expectExit(0).out().toString())
                .doesNotContain("unflushed");
        assertThat(at.fdt("verify", tree, server.url("/tree"))
                        .expectExit(0)
                        .err()
                        .toString())
                .doesNotContain("flush");
        assertThat(attributesOf(server.root().resolve("tree/read-only"))).isEmpty();
        assertThat(server.root().resolve("tree/read-only")).isRegularFile();
    }
}
