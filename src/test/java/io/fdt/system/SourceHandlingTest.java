package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import io.fdt.system.Route.Direction;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Followed links, files that grow while they are copied, and removal of sources. */
final class SourceHandlingTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    @EachWay
    void linksAreCopiedAsWhatTheyLeadTo(Direction direction) throws Exception {
        Route route = Route.of(at, direction);
        Path data = Trees.file(route.sourcePath("data/sub/file"), 300_000, 1);
        Path tree = Files.createDirectories(route.sourcePath("tree"));
        Files.createSymbolicLink(tree.resolve("to-file"), Path.of("../data/sub/file"));
        Files.createSymbolicLink(tree.resolve("to-directory"), Path.of("../data"));
        Files.createSymbolicLink(route.sourcePath("all"), Path.of("tree"));
        Outcome outcome = at.copy("--copy-links", route.source("all"), route.target("into/"));
        outcome.expectExit(0);
        assertThat(outcome.number("files")).isEqualTo(2);
        Path copy = route.targetPath("into/all");
        assertThat(Files.isRegularFile(copy.resolve("to-file"), LinkOption.NOFOLLOW_LINKS))
                .isTrue();
        Trees.assertSameFile(data, copy.resolve("to-file"));
        Trees.assertSameFile(data, copy.resolve("to-directory/sub/file"));
        assertThat(Files.isSymbolicLink(copy.resolve("to-directory"))).isFalse();
    }

    @EachWay
    void circlesAndDanglingLinksFailAndTheRestIsCopied(Direction direction) throws Exception {
        Route route = Route.of(at, direction);
        Path file = Trees.file(route.sourcePath("tree/sub/file"), 1000, 1);
        Files.createSymbolicLink(route.sourcePath("tree/sub/up"), Path.of(".."));
        Files.createSymbolicLink(route.sourcePath("tree/dangling"), Path.of("nowhere"));
        Files.createSymbolicLink(route.sourcePath("tree/itself"), Path.of("itself"));
        Outcome outcome = at.copy("--copy-links", route.source("tree"), route.target("into/"));
        outcome.expectExit(3);
        assertThat(outcome.number("files_failed")).isEqualTo(3);
        assertThat(String.join("\n", outcome.out()))
                .contains("tree/sub/up: contains itself")
                .contains("tree/dangling: is a symbolic link to something that does not exist")
                .contains("tree/itself: cannot follow the symbolic link");
        Trees.assertSameFile(file, route.targetPath("into/tree/sub/file"));
    }

    @EachWay
    void onlyTheLocalUserFollowsLinksOutOfTheRoot(Direction direction) throws Exception {
        Route route = Route.of(at, direction);
        Path secret = Trees.file(at.path("outside/secret"), 100, 1);
        Trees.file(route.sourcePath("tree/file"), 100, 2);
        Files.createSymbolicLink(route.sourcePath("tree/absolute"), secret);
        Files.createSymbolicLink(
                route.sourcePath("tree/relative"), route.sourcePath("tree").relativize(secret.getParent()));
        Outcome outcome = at.copy("--copy-links", route.source("tree"), route.target("into/"));
        boolean server = direction == Direction.PULL;
        outcome.expectExit(server ? 3 : 0);
        Path copy = route.targetPath("into/tree");
        assertThat(Files.exists(copy.resolve("absolute"))).isEqualTo(!server);
        assertThat(Files.exists(copy.resolve("relative/secret"))).isEqualTo(!server);
        assertThat(copy.resolve("file")).exists();
        if (server) {
            assertThat(String.join("\n", outcome.out())).contains("leads out of the root");
        }
    }

    @EachWay
    void growingFileIsCopiedAsFarAsItWentWhenItWasListed(Direction direction) throws Exception {
        Route route = Route.of(at, direction);
        Path log = Trees.file(route.sourcePath("log"), 6_000_000, 1);
        Object[] copy = {"--rate-limit", "30Mbit", route.source("log"), route.target("copy")};
        assertThat(whileItGrows(log, copy).expectExit(4).errText()).contains("changed", "--growing snapshot");
        Object[] snapshot = {
            "--growing", "snapshot", "--rate-limit", "30Mbit", route.source("log"), route.target("copy")
        };
        whileItGrows(log, snapshot).expectExit(0);
        Path target = route.targetPath("copy");
        assertThat(Files.size(target)).isBetween(6_000_000L, Files.size(log) - 1);
        Shell.ok("cmp", "-n", Files.size(target), log, target);
    }

    @Test
    void sourceFilesGoOnlyWhenTheirCopiesAreInPlace() throws Exception {
        FdtServer server = at.server();
        Path tree = Trees.small(at.path("tree"), 1);
        Path kept = Trees.file(tree.resolve("blocked"), 1000, 2);
        Path twin = Files.createLink(tree.resolve("linked"), Trees.file(tree.resolve("name"), 500, 3));
        Path before = at.path("before");
        Shell.ok("cp", "-a", tree, before);
        Files.createDirectories(server.root().resolve("in/tree/blocked"));

        at.copy("--remove-source", "--dry-run", tree, server.url("/in/")).expectExit(3);
        Trees.assertSame(before, tree);
        for (String refused : new String[] {"--durable=none", "--digest=none", "--copy-links", "--delete"}) {
            at.copy("--remove-source", refused, tree, server.url("/in/")).expectExit(2);
        }
        Trees.assertSame(before, tree);

        at.copy("--remove-source", tree, server.url("/in/")).expectExit(3);
        assertThat(Shell.ok("find", tree, "-type", "f").lines())
                .containsExactlyInAnyOrder(
                        kept.toString(), twin.toString(), tree.resolve("name").toString());
        Files.delete(server.root().resolve("in/tree/blocked"));
        at.copy("--remove-source", tree, server.url("/in/")).expectExit(0);
        assertThat(kept).doesNotExist();
        Path copy = server.root().resolve("in/tree");
        assertThat(Trees.differences(before, copy, "--omit-dir-times")).isEmpty();

        FdtServer itself = at.rootlessServer("127.0.0.1:0", before, "--root", before);
        for (String existing : new String[] {"skip-same", "overwrite"}) {
            at.copy("--remove-source", "--preserve=all", "--existing", existing, before + "/", itself.url("/"));
            assertThat(Trees.differences(copy, before, "--omit-dir-times")).isEmpty();
        }

        Outcome pull = at.copy("--remove-source", server.url("/in/tree"), at.path("back") + "/");
        assertThat(pull.expectExit(2).errText()).contains("run fdt on the host with the source");
        assertThat(Trees.differences(before, copy, "--omit-dir-times")).isEmpty();
    }

    private Outcome whileItGrows(Path file, Object... arguments) throws Exception {
        AtomicBoolean ended = new AtomicBoolean();
        Thread writer = new Thread(
                () -> {
                    while (!ended.get()) {
                        try {
                            Files.writeString(file, "one more line\n", StandardOpenOption.APPEND);
                            Await.pass(Duration.ofMillis(20));
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                    }
                },
                "writer");
        writer.start();
        try {
            return at.copy(arguments);
        } finally {
            ended.set(true);
            writer.join(Await.LIMIT_MS);
        }
    }
}
