package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.system.Route.Direction;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** ACLs and hard links: what a copy preserves, what it does not, and that a copy gives nobody more rights. */
@Tag("disk")
final class MetadataTest {
    /**
     * Creates a file and a directory with all rights for user 4242 and read access for the owning group, and a plain
     * file.
     */
    private static final String ACLS = """
            import os, struct, sys
            def acl(*entries):
                return struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *each) for each in entries)
            top = sys.argv[1]
            os.makedirs(top + "/dir")
            for name in ("/file", "/dir/plain"):
                with open(top + name, "w") as f: f.write("content")
            os.chmod(top + "/dir/plain", 0o640)
            given = acl((1, 6, -1), (2, 7, 4242), (4, 4, -1), (16, 7, -1), (32, 0, -1))
            os.setxattr(top + "/file", "system.posix_acl_access", given)
            os.setxattr(top + "/dir", "system.posix_acl_default", given)
            """;

    /** Prints path, mode, and ACLs of everything below a directory. */
    private static final String SHOW = """
            import os, sys
            for path, folders, files in sorted(os.walk(sys.argv[1])):
                for name in sorted(folders + files):
                    full = os.path.join(path, name)
                    acls = [(n, os.getxattr(full, n).hex()) for n in sorted(os.listxattr(full)) if "acl" in n]
                    print(os.path.relpath(full, sys.argv[1]), oct(os.stat(full).st_mode), acls)
            """;

    @RegisterExtension
    static final SharedServer SERVER = new SharedServer();

    @RegisterExtension
    final Workplace at = new Workplace(SERVER);

    @EachWay
    void aclsArriveWhenAskedForAndVerifySeesThem(Direction direction) throws Exception {
        Route route = Route.of(at, direction, "--mode-mask", "000");
        Path source = route.sourcePath("tree");
        Shell.python(ACLS, source);
        for (int run = 0; run < 2; run++) {
            at.copy("--preserve=all", route.source("tree/"), route.target("copy/"))
                    .expectExit(0);
            assertThat(Shell.python(SHOW, route.targetPath("copy"))).isEqualTo(Shell.python(SHOW, source));
        }
        at.fdt("verify", "--metadata", route.source("tree"), route.target("copy"))
                .expectExit(0);
        Shell.python("import os, sys; os.removexattr(sys.argv[1], 'system.posix_acl_access')", source.resolve("file"));
        Outcome changed = at.fdt("verify", "--metadata", route.source("tree"), route.target("copy"));
        assertThat(changed.expectExit(6).errText()).contains("different file: ACL");
        at.copy("--preserve=acls,times", route.source("tree/"), route.target("copy/"))
                .expectExit(0);
        assertThat(Shell.python(SHOW, route.targetPath("copy"))).isEqualTo(Shell.python(SHOW, source));
    }

    @EachWay
    void withoutAclsTheMaskDoesNotBecomeTheRightsOfTheGroup(Direction direction) throws Exception {
        Route route = Route.of(at, direction);
        Shell.python(ACLS, route.sourcePath("tree"));
        at.copy(route.source("tree/"), route.target("copy/")).expectExit(0);
        assertThat(Shell.ok("stat", "-c", "%a", route.targetPath("copy/file")).strip())
                .isEqualTo("640");
        assertThat(Shell.python(SHOW, route.targetPath("copy"))).doesNotContain("posix_acl");
    }

    /** A server could let everybody write to what it serves. */
    @Test
    void modesOfAPullObeyTheUmaskUnlessModesAreRequested() throws Exception {
        FdtServer server = at.server();
        Trees.file(server.root().resolve("tree/sub/tool"), 10, 1);
        Shell.ok("chmod", "-R", "0777", server.root().resolve("tree"));
        String usual = modes(Files.createDirectory(at.path("usual"))).strip();
        at.copy(server.url("/tree/"), at.path("copy") + "/").expectExit(0);
        assertThat(modes(at.path("copy")).split("\n")).containsOnly(usual);
        at.copy("--preserve=mode", server.url("/tree/"), at.path("exact") + "/").expectExit(0);
        assertThat(modes(at.path("exact")).split("\n")).containsOnly("777");
    }

    private static String modes(Path tree) {
        return Shell.ok("find", tree, "-printf", "%m\\n");
    }

    @EachWay
    void hardLinksArriveAsHardLinksAndARerunMovesNothing(Direction direction) throws Exception {
        Route route = Route.of(at, direction);
        Path source = linked(route.sourcePath("tree"));
        at.copy("-P4", "--preserve=all", route.source("tree/"), route.target("copy/"), "--receipt", at.path("receipt"))
                .expectExit(0);
        Path copy = route.targetPath("copy");
        assertThat(groups(copy)).isEqualTo(groups(source));
        Trees.assertSame(source, copy);
        at.fdt("verify", "--receipt", at.path("receipt"), route.target("copy")).expectExit(0);

        Files.delete(copy.resolve("b/name3"));
        Shell.ok("cp", "-p", copy.resolve("a/name1"), copy.resolve("b/name3"));
        Outcome second = at.copy("--preserve=all", route.source("tree/"), route.target("copy/"))
                .expectExit(0);
        assertThat(second.number("bytes_sent")).isZero();
        assertThat(groups(copy)).isEqualTo(groups(source));
    }

    @EachWay
    void hardLinksThatAreNotPreservedAreCountedOnce(Direction direction) throws Exception {
        Route route = Route.of(at, direction);
        linked(route.sourcePath("tree"));
        String told = "3 files are hard links to another file of this copy";
        Outcome dry = at.copy("--dry-run", route.source("tree/"), route.target("copy/"));
        assertThat(text(dry.expectExit(0))).containsOnlyOnce(told);
        Outcome copied = at.copy(route.source("tree/"), route.target("copy/"));
        assertThat(text(copied.expectExit(0))).containsOnlyOnce(told);
        assertThat(copied.number("files")).isEqualTo(5);
        assertThat(groups(route.targetPath("copy"))).isEmpty();
    }

    @Test
    void linksOfAFileThatFailedAreNotMade() throws Exception {
        FdtServer server = at.server();
        Path source = linked(at.path("tree"));
        Path copy = server.root().resolve("copy");
        Files.createDirectories(copy.resolve("a/name1"));
        Files.createDirectories(copy.resolve("b/name1"));
        Files.createDirectories(copy.resolve("b/name3"));
        Outcome outcome = at.copy("--preserve=all", source + "/", server.url("/copy/"));
        outcome.expectExit(3);
        assertThat(outcome.number("files_failed")).isEqualTo(3);
        assertThat(text(outcome)).contains("which was not copied");
        assertThat(copy.resolve("other1")).hasSameBinaryContentAs(source.resolve("other1"));
    }

    @Test
    void specialModesNeedTheOwnerAndVerifyExpectsNoMore() throws Exception {
        FdtServer server = at.server();
        Path tool = Trees.file(at.path("tree/tool"), 10, 1);
        Shell.ok("chown", "4242:4242", tool);
        Shell.ok("chmod", "4755", tool);
        at.copy(at.path("tree") + "/", server.url("/plain/")).expectExit(0);
        assertThat(Shell.ok("stat", "-c", "%a", server.root().resolve("plain/tool"))
                        .strip())
                .isEqualTo("755");
        at.fdt("verify", "--metadata", at.path("tree"), server.url("/plain")).expectExit(0);
        at.copy("--preserve=all", at.path("tree") + "/", server.url("/all/")).expectExit(0);
        assertThat(Shell.ok("stat", "-c", "%a %u", server.root().resolve("all/tool"))
                        .strip())
                .isEqualTo("4755 4242");
        at.fdt("verify", "--metadata", at.path("tree"), server.url("/all")).expectExit(0);
        Shell.ok("chmod", "0755", server.root().resolve("all/tool"));
        at.fdt("verify", "--metadata", at.path("tree"), server.url("/all")).expectExit(6);
    }

    private static String text(Outcome outcome) {
        return String.join("\n", outcome.out());
    }

    /** Creates a file with three names and a file with two names, in two directories. */
    private static Path linked(Path tree) throws Exception {
        Path first = Trees.file(tree.resolve("a/name1"), 3_000_000, 1);
        Path other = Trees.file(tree.resolve("other1"), 100, 2);
        Files.createDirectories(tree.resolve("b"));
        Files.createLink(tree.resolve("b/name1"), first);
        Files.createLink(tree.resolve("b/name3"), first);
        Files.createLink(tree.resolve("a/other2"), other);
        return tree;
    }

    /** Returns the paths of files with several names, one line for each file. */
    private static String groups(Path tree) {
        return Shell.python("""
                import collections, os, sys
                groups = collections.defaultdict(list)
                for path, _, files in os.walk(sys.argv[1]):
                    for name in files:
                        full = os.path.join(path, name)
                        groups[os.stat(full).st_ino].append(os.path.relpath(full, sys.argv[1]))
                for group in sorted(sorted(each) for each in groups.values() if len(each) > 1): print(group)
                """, tree);
    }
}
