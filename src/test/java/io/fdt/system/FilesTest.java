package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.zip.Adler32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code stat}, {@code cat}, {@code sum}, {@code mkdir}, {@code mv}, {@code rm} and {@code df} with real processes. */
final class FilesTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    private static String hex(Checksum sum, Path file) throws IOException {
        sum.update(Files.readAllBytes(file));
        return String.format(Locale.ROOT, "%08x", sum.getValue());
    }

    private static String hex(String algorithm, Path file) throws IOException {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(Files.readAllBytes(file)));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Test
    void statReportsEachPathAndMissingOnesHaveTheirOwnCode() throws IOException {
        FdtServer server = at.server();
        Trees.file(server.root().resolve("d/a.bin"), 1000, 1);
        Files.createSymbolicLink(server.root().resolve("d/link"), Path.of("a.bin"));
        String file = server.url("/d/a.bin");

        List<Map<String, Object>> all = at.fdt(
                        "stat", "--json", file, server.url("/none"), server.url("/d/"), server.url("/d/link"))
                .expectExit(3)
                .json();
        assertThat(all).hasSize(4);
        assertThat(all.get(0))
                .containsEntry("type", "entry")
                .containsEntry("path", file)
                .containsEntry("kind", "file")
                .containsEntry("bytes", 1000L)
                .containsKey("mtime");
        assertThat(all.get(1))
                .containsEntry("type", "error")
                .containsEntry("path", server.url("/none"))
                .containsEntry("exit_code", 4L);
        assertThat(all.get(2)).containsEntry("kind", "dir");
        assertThat(all.get(3)).containsEntry("kind", "link").containsEntry("target", "a.bin");

        assertThat(at.fdt("stat", file).expectExit(0).out())
                .singleElement()
                .satisfies(line ->
                        assertThat(line).startsWith("-rw").contains(" 1000 ").endsWith(file));
        assertThat(at.fdt("stat", server.url("/none")).expectExit(4).errText()).contains("/none");
        at.fdt("stat", file, "fdt://127.0.0.1:1/x").expectExit(2);
        at.fdt("stat").expectExit(2);
    }

    @Test
    void sumsAreThoseOfOtherToolsAndAlwaysHaveAllDigits() throws IOException {
        FdtServer server = at.server();
        Path large = Trees.file(server.root().resolve("large"), 20_000_000, 1);
        // Its Adler-32 begins with zeros.
        Path small = Files.writeString(server.root().resolve("small"), "a");
        Path empty = Files.createFile(server.root().resolve("empty"));
        List<Path> files = List.of(large, small, empty);
        Object[] urls =
                files.stream().map(file -> server.url("/" + file.getFileName())).toArray();

        for (String type : List.of("adler32", "crc32c", "md5", "sha256")) {
            List<String> expected = new java.util.ArrayList<>();
            for (Path file : files) {
                String sum = switch (type) {
                    case "adler32" -> hex(new Adler32(), file);
                    case "crc32c" -> hex(new CRC32C(), file);
                    case "md5" -> hex("MD5", file);
                    default -> hex("SHA-256", file);
                };
                expected.add(sum + "  " + server.url("/" + file.getFileName()));
            }
            assertThat(at.fdt("sum", "--type", type, urls[0], urls[1], urls[2])
                            .expectExit(0)
                            .out())
                    .isEqualTo(expected);
            assertThat(at.fdt("sum", "--json", "--type", type, urls[1])
                            .expectExit(0)
                            .json())
                    .singleElement()
                    .satisfies(entry -> assertThat(entry)
                            .containsEntry(
                                    "checksums",
                                    Map.of(
                                            type,
                                            expected.get(1)
                                                    .substring(
                                                            0, expected.get(1).indexOf(' ')))));
        }
        assertThat(at.fdt("sum", "--type", "adler32", small).expectExit(0).out())
                .containsExactly("00620062  " + small);
        Path receipt = at.path("receipt");
        at.copy("--receipt", receipt, server.url("/large"), at.path("copy")).expectExit(0);
        String xxh3 =
                at.fdt("sum", "--type", "xxh3", urls[0]).expectExit(0).out().get(0);
        assertThat(Files.readString(receipt)).contains(xxh3.substring(0, xxh3.indexOf(' ')));
    }

    @Test
    void catPrintsFilesAsTheyAre() throws IOException {
        FdtServer server = at.server();
        Files.writeString(server.root().resolve("a"), "first\nlast");
        Files.writeString(server.root().resolve("b"), " line\n");

        assertThat(at.fdt("cat", server.url("/a"), server.url("/b"))
                        .expectExit(0)
                        .out())
                .containsExactly("first", "last line");
        Outcome partly = at.fdt("cat", server.url("/b"), server.url("/none")).expectExit(3);
        assertThat(partly.out()).containsExactly(" line");
        assertThat(partly.errText()).contains("/none: ");
        at.fdt("cat", server.url("/none")).expectExit(4);
        at.fdt("cat", at.path("local")).expectExit(2);
    }

    /** As cat does, which SIGPIPE ends. */
    @Test
    void catIsSilentWhenItsReaderEnds() throws IOException {
        FdtServer server = at.server();
        Trees.file(server.root().resolve("large"), 20 << 20, 1);

        Outcome piped = at.track(FdtProcess.start(at.setupThroughBash(
                        "cat", "\"$@\" | head -c 1 >/dev/null; echo ${PIPESTATUS[0]}", "cat", server.url("/large"))))
                .await(Workplace.LIMIT)
                .expectExit(0);

        assertThat(piped.out()).containsExactly("5");
        assertThat(piped.err()).isEmpty();
    }

    @Test
    void linksThatLeadOutOfTheRootAreNeitherReadNorFollowed() throws IOException {
        FdtServer server = at.server();
        Path outside = at.directory("outside");
        Files.writeString(outside.resolve("secret"), "canary");
        Files.createSymbolicLink(server.root().resolve("out"), outside);
        Files.createSymbolicLink(server.root().resolve("file"), outside.resolve("secret"));

        at.fdt("sum", server.url("/file")).expectExit(7);
        at.fdt("cat", server.url("/file")).expectExit(7);
        at.fdt("sum", server.url("/../outside/secret")).expectExit(7);
        at.fdt("stat", server.url("/out/secret")).expectExit(7);
        at.fdt("rm", server.url("/out/secret")).expectExit(7);
        at.fdt("mkdir", server.url("/out/d")).expectExit(7);
        at.fdt("mkdir", "-p", server.url("/out/d/e")).expectExit(7);
        at.fdt("mv", server.url("/out/secret"), server.url("/got")).expectExit(7);
        at.fdt("rm", "-r", server.url("/out/..")).expectExit(7);
        at.fdt("rm", "-r", server.url("/")).expectExit(7);
        assertThat(outside.resolve("secret")).hasContent("canary");
        assertThat(outside).isDirectoryContaining("glob:**secret");
        assertThat(server.root().resolve("out")).isSymbolicLink();

        // A link itself may be removed.
        at.fdt("rm", "-r", server.url("/out")).expectExit(0);
        assertThat(server.root().resolve("out")).doesNotExist();
        assertThat(outside.resolve("secret")).hasContent("canary");
    }

    @Test
    void directoriesAreMadeFilesMovedInOneStepAndTreesRemoved() throws IOException {
        FdtServer server = at.server();
        Path root = server.root();

        at.fdt("mkdir", server.url("/a/b")).expectExit(4);
        at.fdt("mkdir", "-p", server.url("/a/b"), server.url("/a/c")).expectExit(0);
        at.fdt("mkdir", server.url("/a/b")).expectExit(5);
        at.fdt("mkdir", "-p", server.url("/a/b")).expectExit(0);
        assertThat(root.resolve("a/b")).isDirectory();

        Files.writeString(root.resolve("a/new"), "new");
        Files.writeString(root.resolve("a/b/old"), "old");
        at.fdt("mv", server.url("/a/new"), server.url("/a/b/old")).expectExit(0);
        assertThat(root.resolve("a/b/old")).hasContent("new");
        assertThat(root.resolve("a/new")).doesNotExist();
        at.fdt("mv", server.url("/a/none"), server.url("/a/x")).expectExit(4);
        at.fdt("mv", server.url("/a/b/old"), server.url("/a/.fdt.0123456789abcdef.part"))
                .expectExit(7);
        at.fdt("mv", server.url("/a/b/old")).expectExit(2);

        Trees.file(root.resolve("a/c/d/e/f"), 10, 1);
        Files.createSymbolicLink(root.resolve("a/c/d/link"), Path.of("../../b"));
        assertThat(at.fdt("rm", server.url("/a/c")).expectExit(5).errText()).contains("-r");
        at.fdt("rm", "-r", server.url("/a/c")).expectExit(0);
        assertThat(root.resolve("a/c")).doesNotExist();
        assertThat(root.resolve("a/b/old")).exists();
        at.fdt("rm", server.url("/a/b/old"), server.url("/a/b/none")).expectExit(3);
        assertThat(root.resolve("a/b")).isEmptyDirectory();
    }

    @Test
    void dfListsEachExportedDirectory() {
        FdtServer server = at.server();

        assertThat(at.fdt("df", server.url("")).expectExit(0).out())
                .singleElement()
                .satisfies(line -> assertThat(line).startsWith("/: ").contains(" free, "));
        assertThat(at.fdt("df", "--json", server.url("/")).expectExit(0).json())
                .singleElement()
                .satisfies(space -> assertThat(space)
                        .containsEntry("type", "space")
                        .containsKeys("free_bytes", "bytes", "free_inodes", "inodes"));
        at.fdt("df", server.url("/none")).expectExit(4);
    }

    @Test
    void aKeyPermitsWhatItsRightsSayAndTheTransferLogHasWhatChanged() throws IOException {
        Path log = at.path("transfers");
        FdtServer server = at.server("--transfer-log", log);
        Files.writeString(server.root().resolve("f"), "content");
        Path source = Trees.file(at.path("source"), 10, 1);
        String lister = key("lister", "list");
        String reader = key("reader", "list,read");
        String writer = key("writer", "write");
        String deleter = key("deleter", "list,write,delete");
        at.environment("FDT_HOME", at.path("elsewhere").toString());

        at.environment("FDT_KEY", lister);
        at.fdt("stat", server.url("/f")).expectExit(0);
        at.fdt("ls", server.url("/")).expectExit(0);
        at.fdt("df", server.url("/")).expectExit(0);
        assertThat(at.fdt("sum", server.url("/f")).expectExit(7).errText()).contains("does not permit to read");
        assertThat(at.fdt("cat", server.url("/f")).expectExit(7).errText()).contains("does not permit to read");
        at.copy(server.url("/f"), at.path("got")).expectExit(7);
        at.fdt("verify", server.root(), server.url("/")).expectExit(7);

        at.environment("FDT_KEY", reader);
        at.fdt("sum", server.url("/f")).expectExit(0);
        at.fdt("mkdir", server.url("/d")).expectExit(7);
        at.fdt("rm", server.url("/f")).expectExit(7);

        at.environment("FDT_KEY", writer);
        at.fdt("mkdir", server.url("/d")).expectExit(0);
        at.copy(source, server.url("/d/")).expectExit(0);
        at.fdt("stat", server.url("/f")).expectExit(7);
        at.fdt("mv", server.url("/f"), server.url("/g")).expectExit(7);
        at.fdt("rm", server.url("/f")).expectExit(7);
        at.copy("--delete", at.directory("none") + "/", server.url("/d/")).expectExit(7);
        at.fdt("clean", server.url("/")).expectExit(7);
        assertThat(server.root().resolve("d/source")).exists();

        at.environment("FDT_KEY", deleter);
        at.fdt("mv", server.url("/f"), server.url("/g")).expectExit(0);
        at.fdt("rm", server.url("/g")).expectExit(0);

        server.process().signal("TERM");
        server.process().await(Workplace.LIMIT);
        String logged = Files.readString(log, StandardCharsets.UTF_8);
        assertThat(logged.lines().filter(line -> line.contains("\"outcome\":\"made\"")))
                .singleElement()
                .satisfies(line -> assertThat(line).contains("\"path\":\"/d\"", "\"key\":\"writer\""));
        assertThat(logged).containsPattern("\"path\":\"/g\".*\"outcome\":\"moved\",\"reason\":\"from /f\"");
        assertThat(logged).containsPattern("\"path\":\"/g\".*\"outcome\":\"removed\"");
        assertThat(logged).contains("\"root\":\"" + server.root() + "\",\"full_path\":\"" + server.root() + "/g\"");
        assertThat(logged).containsPattern("\"digest\":\"sha256:[0-9a-f]{64}\",\"outcome\":\"summed\"");
    }

    private String key(String name, String rights) {
        return at.fdt("key", "create", name, "--allow", rights)
                .expectExit(0)
                .out()
                .get(0);
    }

    @Test
    void aReadOnlyServerChangesNothing() throws IOException {
        FdtServer server = at.server("--read-only");
        Files.writeString(server.root().resolve("f"), "content");

        at.fdt("mkdir", server.url("/d")).expectExit(7);
        at.fdt("mv", server.url("/f"), server.url("/g")).expectExit(7);
        assertThat(at.fdt("rm", server.url("/f")).expectExit(7).errText()).contains("read-only");
        at.fdt("stat", server.url("/f")).expectExit(0);
    }

    @Test
    void worksOverSsh() throws IOException {
        SshServer sshd = at.closing(SshServer.start(at.path("sshd")));
        Path far = at.directory("far");
        Files.writeString(far.resolve("f"), "a");

        List<String> out = at.fdt(
                        "sum",
                        "--type",
                        "adler32",
                        "--ssh",
                        sshd.command(),
                        "--remote-command",
                        at.remoteFdt(),
                        sshd.user() + "@127.0.0.1:" + far.resolve("f"))
                .expectExit(0)
                .out();

        assertThat(out).containsExactly("00620062  " + sshd.user() + "@127.0.0.1:" + far.resolve("f"));
    }
}
