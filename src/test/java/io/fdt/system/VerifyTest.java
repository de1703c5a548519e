package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.system.Route.Direction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code verify} reports exactly the differences between two trees, and between a tree and the receipt of its copy. */
final class VerifyTest {
    private static final int MIB = 1 << 20;

    @RegisterExtension
    final Workplace at = new Workplace();

    /** One difference of each kind, made in two trees that are otherwise equal. */
    private static final Map<String, String> DIFFERENCES = Map.of(
            "content", "different",
            "size", "different",
            "kind", "different",
            "link", "different",
            "gone", "missing",
            "gone/inside", "missing",
            "new", "extra");

    private static void fill(Path tree) throws IOException {
        Trees.file(tree.resolve("same"), 9 * MIB + 1, 1);
        Trees.file(tree.resolve("content"), 20 * MIB, 2);
        Trees.file(tree.resolve("size"), 5, 3);
        Trees.file(tree.resolve("kind"), 5, 4);
        Trees.file(tree.resolve("gone/inside"), 5, 5);
        Files.createSymbolicLink(tree.resolve("link"), Path.of("same"));
    }

    private static void damage(Path tree) {
        Shell.python("""
                import os, shutil, sys
                top = sys.argv[1]
                def at(name): return os.path.join(top, name)
                before = os.stat(at("content"))
                with open(at("content"), "r+b") as f:
                    f.seek(15_000_000)
                    byte = f.read(1)
                    f.seek(15_000_000)
                    f.write(bytes([byte[0] ^ 1]))
                os.utime(at("content"), ns=(before.st_atime_ns, before.st_mtime_ns))
                with open(at("size"), "ab") as f: f.write(b"x")
                os.remove(at("kind")); os.mkdir(at("kind"))
                os.remove(at("link")); os.symlink("size", at("link"))
                shutil.rmtree(at("gone"))
                open(at("new"), "w").close()
                """, tree);
    }

    private static Map<String, String> differences(Outcome outcome) {
        Map<String, String> found = new TreeMap<>();
        for (Map<String, Object> line : outcome.jsonOfType("file")) {
            found.put(String.valueOf(line.get("path")), String.valueOf(line.get("outcome")));
        }
        return found;
    }

    @Test
    void namesEachKindOfDifferenceBetweenTreesHereAndThere() throws IOException {
        FdtServer server = at.server("--read-only");
        Path here = at.directory("here");
        Path there = server.root().resolve("there");
        fill(here);
        fill(there);
        for (String other : List.of(there.toString(), there + "/", server.url("/there"), server.url("/there/"))) {
            Outcome same = at.fdt("verify", "--json", here, other).expectExit(0);
            assertThat(same.summary()).containsEntry("outcome", "ok").containsEntry("files", 5L);
            assertThat(differences(same)).isEmpty();
        }
        damage(there);

        for (String other : List.of(there.toString(), server.url("/there"))) {
            Outcome outcome = at.fdt("verify", "--json", here + "/", other).expectExit(6);
            assertThat(differences(outcome)).isEqualTo(DIFFERENCES);
            assertThat(outcome.summary())
                    .containsEntry("outcome", "different")
                    .containsEntry("differing", 4L)
                    .containsEntry("missing", 2L)
                    .containsEntry("extra", 1L)
                    .containsEntry("unreadable", 0L);
            assertThat(outcome.jsonOfType("start")).hasSize(1);
        }
        Outcome text = at.fdt("verify", here, server.url("/there")).expectExit(6);
        assertThat(text.err())
                .contains("fdt: different content: content", "fdt: missing gone/inside", "fdt: extra new")
                .contains("fdt: different kind: file and directory", "fdt: different size: size 5 and 6");
        assertThat(text.err().get(text.err().size() - 1)).contains("4 differ, 2 missing, 1 extra");
        assertThat(text.out()).isEmpty();
        at.fdt("verify", server.url("/there"), server.url("/there/")).expectExit(0);
    }

    @Test
    void findsNoDifferencesInATreeOfUnusualFiles() {
        FdtServer server = at.server();
        at.copy(OddTree.shared() + "/", server.url("/odd/")).expectExit(0);

        Outcome cached = at.fdt("verify", "--json", "--metadata", OddTree.shared(), server.url("/odd"))
                .expectExit(6);
        assertThat(differences(cached))
                .as("setuid and setgid stay behind where the owner is not carried")
                .containsEntry("modes/f4755", "different")
                .allSatisfy((path, outcome) -> assertThat(path).startsWith("modes/"));
        Outcome device = at.fdt("verify", "--json", "--device", OddTree.shared(), server.url("/odd"))
                .expectExit(0);
        assertThat(device.summary().get("digest")).isEqualTo(cached.summary().get("digest"));
    }

    @EachWay
    void verifiesReceiptsWithNamesThatAreNoUtf8(Direction direction) {
        Route route = Route.of(at, direction);
        Shell.ok("cp", "-a", OddTree.shared(), route.sourcePath("odd"));
        Path receipt = at.path("receipt.json");
        // Modes that are not requested obey the umask in a pull, and a mask at a server.
        Outcome copy = at.copy(
                        "--preserve",
                        "mode,times,links",
                        "--receipt",
                        receipt,
                        route.source("odd"),
                        route.target("into/"))
                .expectExit(0);

        Outcome same = at.fdt("verify", "--json", "--metadata", "--receipt", receipt, route.target("into"))
                .expectExit(0);
        assertThat(same.summary().get("digest")).isEqualTo(copy.summary().get("digest"));

        Shell.python("""
                import os, sys
                top = os.fsencode(sys.argv[1])
                with open(os.path.join(top, b"odd/names/\\xff\\xfe not utf-8"), "ab") as f: f.write(b"!")
                os.remove(os.path.join(top, b"odd/links/odd"))
                os.remove(os.path.join(top, b"odd/names/\\xc3"))
                open(os.path.join(top, b"odd/names/more\\xff"), "w").close()
                """, route.targetPath("into"));
        Outcome damaged = at.fdt("verify", "--json", "--receipt", receipt, route.target("into"))
                .expectExit(6);
        Map<String, String> expected = new TreeMap<>(Map.of(
                "odd/names/\\xFF\\xFE not utf-8", "different",
                "odd/links/odd", "missing",
                "odd/names/\\xC3", "missing"));
        assertThat(differences(damaged)).isEqualTo(expected);

        Outcome extra = at.fdt("verify", "--json", "--extra", "--receipt", receipt, route.target("into"))
                .expectExit(6);
        expected.put("odd/names/more\\xFF", "extra");
        assertThat(differences(extra)).isEqualTo(expected);
    }

    @Test
    void readsWhatIsOnTheDeviceAndNotWhatIsCached() throws IOException {
        Path one = Trees.file(at.directory("one").resolve("f"), 9 * MIB + 777, 1);
        Path two = Trees.file(at.directory("two").resolve("f"), 9 * MIB + 777, 1);

        at.fdt("verify", "--device", one, two).expectExit(0);
        Shell.ok("sh", "-c", "printf x | dd of=\"$0\" bs=1 seek=9437184 conv=notrunc 2>/dev/null", two);
        assertThat(at.fdt("verify", "--device", one, two).expectExit(6).errText())
                .contains("content");
    }

    @Test
    void listsTwentyDifferencesUnlessAskedForAll() {
        Path one = at.directory("one");
        Path two = at.directory("two");
        Trees.manyFiles(one, 30, 10);

        Outcome few = at.fdt("verify", one, two).expectExit(6);
        assertThat(few.err().stream().filter(line -> line.startsWith("fdt: missing")))
                .hasSize(20);
        assertThat(few.errText()).contains("... and ");
        Outcome all = at.fdt("verify", "-v", one, two).expectExit(6);
        assertThat(all.err().stream().filter(line -> line.startsWith("fdt: missing")))
                .hasSizeGreaterThanOrEqualTo(30);
    }

    @Test
    void refusesABadReceiptInOneLine() throws IOException {
        FdtServer server = at.server();
        Path tree = Trees.small(at.directory("tree"), 1);
        Path receipt = at.path("receipt.json");
        at.copy("--receipt", receipt, tree + "/", server.url("/in/")).expectExit(0);
        String whole = Files.readString(receipt);
        List<String> bad = new ArrayList<>(List.of("", "{}", whole.substring(0, whole.length() / 2)));
        bad.add(whole.replace("\"version\":1", "\"version\":2"));
        bad.add(whole.replaceFirst("\"size\":[1-9]", "\"size\":"));
        for (String text : bad) {
            Files.writeString(receipt, text);
            Outcome outcome =
                    at.fdt("verify", "--receipt", receipt, server.url("/in")).expectExit(2);
            assertThat(outcome.err()).hasSize(1);
            assertThat(outcome.errText()).contains("receipt.json");
        }
        at.copy("--digest", "none", "--receipt", receipt, tree + "/", server.url("/in2/"))
                .expectExit(0);
        assertThat(at.fdt("verify", "--receipt", receipt, server.url("/in2"))
                        .expectExit(2)
                        .errText())
                .contains("no digests");
    }

    @Test
    void exitCodeDependsOnTheFailure() {
        FdtServer server = at.server();
        Path tree = Trees.small(at.directory("tree"), 1);
        at.fdt("verify", tree, server.url("/none")).expectExit(4);
        at.fdt("verify", at.path("none"), tree).expectExit(4);
        at.fdt("verify", tree, server.url("/../tree")).expectExit(7);
        at.fdt("verify", tree).expectExit(2);
        server.process().signal("TERM");
        server.process().await(Workplace.LIMIT);
        at.fdt("verify", tree, server.url("/")).expectExit(8);
    }

    @Test
    void separatesUnreadableFilesFromDifferences() {
        Path one = Trees.small(at.directory("one"), 1);
        Path two = Trees.small(at.directory("two"), 1);
        Shell.ok("chmod", "000", two.resolve("one.dat"), two.resolve("sub"));
        Outcome unreadable = unprivileged("verify", "--json", one, two).expectExit(4);
        assertThat(differences(unreadable)).isEqualTo(Map.of("one.dat", "unreadable", "sub", "unreadable"));
        assertThat(unreadable.summary()).containsEntry("unreadable", 2L).containsEntry("outcome", "failed");

        Trees.file(one.resolve("more"), 1, 1);
        assertThat(differences(unprivileged("verify", "--json", one, two).expectExit(6)))
                .containsEntry("more", "missing")
                .containsEntry("sub", "unreadable");
    }

    /** Root may read everything. Without these two capabilities it has the permissions of an ordinary user. */
    private Outcome unprivileged(Object... arguments) {
        FdtProcess.Setup setup = at.setup("unprivileged", arguments);
        List<String> words = new ArrayList<>();
        if (Shell.ok("id", "-u").strip().equals("0")) {
            String less = "-dac_override,-dac_read_search";
            words.addAll(List.of("setpriv", "--bounding-set", less, "--inh-caps", less, "--"));
        }
        words.addAll(setup.command());
        FdtProcess process =
                FdtProcess.start(new FdtProcess.Setup(setup.name(), words, setup.environment(), setup.directory()));
        return at.track(process).await(Workplace.LIMIT);
    }

    /** Goal: Ctrl-C ends a verification that waits for a server. Method: a proxy stalls the server's answers. */
    @Test
    void interruptEndsAVerificationThatWaits() {
        FdtServer server = at.server();
        Path here = Trees.manyFiles(at.directory("here"), 3000, 10);
        Trees.manyFiles(server.root(), 3000, 10);
        FaultProxy proxy = at.closing(FaultProxy.before(server.port()));
        proxy.script(new Fault.Stall(0, Fault.Way.TO_CLIENT, 60_000));
        FdtProcess verify = at.start("verify", "verify", "--json", here, server.urlAt(proxy.port(), "/"));
        verify.awaitLine(Workplace.LIMIT, line -> line.contains("\"start\""));
        verify.signal("INT");

        Outcome outcome = verify.await(Workplace.LIMIT).expectExit(130);
        assertThat(outcome.summary()).containsEntry("outcome", "interrupted");
        assertThat(outcome.errText()).contains("stopped by Ctrl-C");
    }
}
