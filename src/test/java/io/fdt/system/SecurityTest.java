package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Admission: which key grants access to what, and for how long. Also the effect of many bad connections on other
 * clients.
 */
final class SecurityTest {
    private static final int MIB = 1 << 20;

    @RegisterExtension
    final Workplace at = new Workplace();

    /** The server's identity tells which key is for it. */
    @Test
    void aKeyIsFoundByTheServersIdentityWhateverTheHostIsCalled() throws IOException {
        FdtServer server = at.server();
        Path source = Trees.file(at.path("f"), 10, 1);
        String line = at.fdt("key", "show").expectExit(0).out().get(0);
        Path file = Files.writeString(at.path("line"), line + "\n");
        at.environment("FDT_HOME", at.path("elsewhere").toString());
        at.fdt("key", "import", "--server", "dtn2.example.org", file).expectExit(0);
        assertThat(at.copy(source, server.url("/0")).expectExit(0).errText()).doesNotContain("warning");
        assertThat(server.process().transcript()).doesNotContain("refused");

        // Now this user has a server, too, and so a key for this host.
        at.fdt("key", "show").expectExit(0);
        String warning = "warning: 127.0.0.1:" + server.port() + " has the identity of dtn2.example.org";
        for (Outcome warned : List.of(
                at.copy(source, server.url("/2")),
                at.copy("--bind", "127.0.0.1", source, server.url("/2b")),
                at.fdt("ls", server.url("/")),
                at.fdt("verify", source, server.url("/2")),
                at.fdt("rm", server.url("/2")))) {
            assertThat(warned.expectExit(0).errText()).contains(warning);
        }
        FdtProcess batch = at.track(FdtProcess.start(
                at.setup("batch", "batch"), ProcessBuilder.Redirect.PIPE, ProcessBuilder.Redirect.PIPE));
        try (OutputStream in = batch.stdin()) {
            in.write(("{\"id\":1,\"op\":\"stat\",\"path\":\"" + server.url("/") + "\"}\n")
                    .getBytes(StandardCharsets.UTF_8));
        }
        assertThat(batch.await(Workplace.LIMIT).expectExit(0).json())
                .as("the request that connects")
                .anySatisfy(each -> assertThat(each)
                        .containsEntry("id", 1L)
                        .containsEntry("type", "warning")
                        .extractingByKey("message")
                        .asString()
                        .contains(" has the identity of dtn2.example.org"));

        at.environment("FDT_HOME", at.path("third").toString());
        FdtServer other = at.server();
        Path any = Files.writeString(
                at.path("any"), at.fdt("key", "show").expectExit(0).out().get(0));
        at.environment("FDT_HOME", at.path("fourth").toString());
        at.fdt("key", "import", any).expectExit(0);
        at.fdt("key", "import", "--server", "dtn2.example.org", file).expectExit(0);
        at.copy(source, server.url("/3")).expectExit(0);
        at.copy(source, other.url("/3")).expectExit(0);
        assertThat(server.process().transcript()).doesNotContain("refused");
        assertThat(other.process().transcript()).doesNotContain("refused");

        at.environment("FDT_HOME", at.path("elsewhere").toString());
        at.copy(source, other.url("/1")).expectExit(7);
    }

    @Test
    void aKeyIsFoundFromTheAddressThatTheServerAllows() throws IOException {
        FdtServer server = at.server("--allow", "127.0.0.2");
        Path source = Trees.file(at.path("f"), 10, 1);
        String line = at.fdt("key", "show").expectExit(0).out().get(0);
        Path file = Files.writeString(at.path("line"), line + "\n");
        at.environment("FDT_HOME", at.path("elsewhere").toString());
        at.fdt("key", "import", "--server", "dtn2.example.org", file).expectExit(0);
        at.copy("--bind", "127.0.0.2", source, server.url("/no key")).expectExit(0);
        at.fdt("key", "show").expectExit(0);
        at.copy("--bind", "127.0.0.2", source, server.url("/own key")).expectExit(0);
    }

    /** One line is transferred from one home to another through standard input, a file or the environment. */
    @Test
    void importedKeyLineAdmitsOtherMachine() throws IOException {
        FdtServer server = at.server();
        Path source = Trees.file(at.path("f"), 10, 1);
        String line = at.fdt("key", "show").expectExit(0).out().get(0);
        assertThat(line).startsWith("fdt-key:");
        Path file = Files.writeString(at.path("line"), line + "\n");

        at.environment("FDT_HOME", at.path("elsewhere").toString());
        Outcome stranger = at.copy(source, server.url("/0")).expectExit(7);
        assertThat(stranger.errText()).contains("no key for");
        Await.until(
                "the server says why",
                Workplace.LIMIT,
                () -> server.process().transcript().contains("the client has no key of this server"));

        at.fdt("key", "import", "--server", "127.0.0.1:" + server.port(), file).expectExit(0);
        at.copy(source, server.url("/1")).expectExit(0);
        assertThat(at.fdt("key", "list").expectExit(0).out().toString())
                .contains("127.0.0.1")
                .doesNotContain(line);
        at.fdt("key", "forget", "127.0.0.1:" + server.port()).expectExit(0);
        at.copy(source, server.url("/2")).expectExit(7);

        at.environment("FDT_KEY", line);
        at.copy(source, server.url("/3")).expectExit(0);
        at.fdt("key", "import").expectExit(0);
        at.environment("FDT_KEY", "");
        at.copy(source, server.url("/4")).expectExit(0);
        assertThat(server.root().resolve("0")).doesNotExist();
        assertThat(server.root().resolve("2")).doesNotExist();
        assertThat(server.root().resolve("4")).hasSameBinaryContentAs(source);
    }

    @Test
    void keepsSecretsForItsUserAlone() throws IOException {
        FdtServer server = at.server();
        at.copy(Trees.file(at.path("f"), 10, 1), server.url("/f")).expectExit(0);
        at.fdt("key", "create", "guest").expectExit(0);
        for (String name : List.of("identity.pem", "keys")) {
            assertThat(PosixFilePermissions.toString(
                            Files.getPosixFilePermissions(at.home().resolve(name))))
                    .isEqualTo("rw-------");
        }
        Path keys = at.home().resolve("keys");
        Files.setPosixFilePermissions(keys, PosixFilePermissions.fromString("rw-r--r--"));
        Outcome refused = at.fdt("server", "--listen", "127.0.0.1:0").expectExit(7);
        assertThat(refused.errText()).contains("chmod 600");
    }

    @Test
    void aKeyReachesItsDirectoryAndMayOnlyRead() throws IOException {
        FdtServer server = at.server();
        Path shared = Files.createDirectories(server.root().resolve("shared"));
        Files.writeString(shared.resolve("theirs"), "for guests");
        Files.writeString(server.root().resolve("private"), "canary");
        Path source = Trees.file(at.path("f"), 10, 1);
        String line = at.fdt("key", "create", "guest", "--allow", "list,read", "--root", shared, "--expires", "1h")
                .expectExit(0)
                .out()
                .get(0);
        at.environment("FDT_HOME", at.path("elsewhere").toString());
        at.environment("FDT_KEY", line);

        at.copy(server.url("/theirs"), at.path("got")).expectExit(0);
        at.copy(source, server.url("/theirs2")).expectExit(7);
        assertThat(at.copy(server.url("/private"), at.path("stolen")).exitCode())
                .isIn(4, 7);
        assertThat(at.copy(server.url("/../private"), at.path("stolen")).exitCode())
                .isIn(4, 7);

        assertThat(at.path("got")).hasContent("for guests");
        assertThat(at.path("stolen")).doesNotExist();
        assertThat(Trees.listing(server.root())).doesNotContain("theirs2");
    }

    @Test
    @Tag("clock")
    void revokingAKeyEndsItsRunningTransferWithinASecond() {
        FdtServer server = at.server();
        String line = at.fdt("key", "create", "guest").expectExit(0).out().get(0);
        at.environment("FDT_KEY", line);
        FdtProcess client =
                at.startCopy("--duration", "10m", "--rate-limit", "80Mbit", "/dev/zero", server.url("/dev/null"));
        client.awaitLine(Workplace.LIMIT, text -> text.contains("\"progress\""));
        at.environment("FDT_KEY", "");

        at.fdt("key", "revoke", "guest").expectExit(0);
        long revoked = System.nanoTime();
        Outcome outcome = client.await(Workplace.LIMIT).expectExit(7);

        assertThat(System.nanoTime() - revoked).isLessThan(Duration.ofSeconds(2).toNanos());
        assertThat(outcome.errText()).contains("revoked");
        at.copy(Trees.file(at.path("f"), 10, 1), server.url("/f")).expectExit(0);
    }

    @Test
    void expiredKeyIsReportedAsExpired() throws IOException {
        FdtServer server = at.server();
        String line = at.fdt("key", "create", "guest", "--expires", "2099-01-01")
                .expectExit(0)
                .out()
                .get(0);
        Path keys = at.home().resolve("keys");
        Files.writeString(keys, Files.readString(keys).replace("expires=2099-", "expires=2020-"));
        assertThat(at.fdt("key", "list").out().toString()).contains("expired 2020-01-01");
        at.environment("FDT_KEY", line);
        Outcome refused =
                at.copy(Trees.file(at.path("f"), 10, 1), server.url("/f")).expectExit(7);
        assertThat(refused.errText()).contains("expired");
    }

    /** The wrong server, and a listener that sends the right preamble but has no TLS. */
    @Test
    void sendsNothingToUntrustedServer() throws Exception {
        FdtServer server = at.server();
        String line = at.fdt("key", "show").expectExit(0).out().get(0);
        Path source = Files.writeString(at.path("f"), "CONFIDENTIAL".repeat(10_000));
        at.environment("FDT_HOME", at.path("another").toString());
        FdtServer impostor = at.server();
        at.environment("FDT_KEY", line);
        Outcome wrong = at.copy(source, impostor.url("/f")).expectExit(7);
        assertThat(wrong.errText()).contains("identity");
        assertThat(impostor.root().resolve("f")).doesNotExist();

        byte[] greeting = {(byte) 0xfd, 'f', 'd', 't', 1, 1, 0, 0};
        try (Listening clear = new Listening(greeting)) {
            Outcome refused =
                    at.copy("--timeout", "60s", "--clear-lanes", source, "fdt://127.0.0.1:" + clear.port() + "/f");
            assertThat(refused.expectExit(7).errText()).contains("it does not speak TLS");
            Await.until(
                    "the client has hung up",
                    Workplace.LIMIT,
                    () -> clear.heard().contains("fdt"));
            assertThat(clear.heard()).doesNotContain("CONFIDENTIAL").doesNotContain(line.substring(20, 60));
        }
        assertThat(server.process().isAlive()).isTrue();
    }

    /** Accepts connections, sends fixed bytes at first and as every answer, and records what it receives. */
    private static final class Listening implements AutoCloseable {
        private final ServerSocket socket;
        private final List<String> heard = new CopyOnWriteArrayList<>();

        Listening(byte[] says) throws IOException {
            socket = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
            Thread thread = new Thread(() -> listen(says), "listening");
            thread.setDaemon(true);
            thread.start();
        }

        private void listen(byte[] says) {
            while (!socket.isClosed()) {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                try (Socket peer = socket.accept()) {
                    byte[] part = new byte[1 << 16];
                    for (int count = 0;
                            count >= 0;
                            count = peer.getInputStream().read(part)) {
                        bytes.write(part, 0, count);
                        peer.getOutputStream().write(says);
                    }
                } catch (IOException e) {
                    // The peer has gone, or the test is over. What the peer sent counts.
                }
                heard.add(bytes.toString(StandardCharsets.ISO_8859_1));
            }
        }

        int port() {
            return socket.getLocalPort();
        }

        String heard() {
            return heard.toString();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    @Test
    void takesConnectionsOnlyFromTheAllowedNetworks() {
        FdtServer elsewhere = at.server("--allow", "192.0.2.0/24", "--allow", "::1");
        Path source = Trees.file(at.path("f"), 10, 1);
        at.copy("--timeout", "60s", source, elsewhere.url("/f")).expectExit(8);
        assertThat(elsewhere.root().resolve("f")).doesNotExist();
        FdtServer here = at.server("--allow", "192.0.2.0/24", "--allow", "127.0.0.0/8");
        at.copy(source, here.url("/f")).expectExit(0);
    }

    /** While a transfer runs, no command line and no message contains a secret, at either end. */
    @Test
    void showsNoSecretInTheProcessList() throws IOException {
        FdtServer server = at.server("--verbose");
        String line = at.fdt("key", "show").expectExit(0).out().get(0);
        at.environment("FDT_KEY", line);
        FdtProcess client = at.startCopy(
                "--verbose", "--duration", "10m", "--rate-limit", "80Mbit", "/dev/zero", server.url("/dev/null"));
        client.awaitLine(Workplace.LIMIT, text -> text.contains("\"progress\""));
        String secret = Files.readString(at.home().resolve("default-key")).strip();
        assertThat(secret).hasSize(43);
        assertThat(commandLine(Path.of("/proc", String.valueOf(client.pid())))).contains("/dev/zero");
        try (var processes = Files.list(Path.of("/proc"))) {
            for (Path process : processes
                    .filter(each -> each.getFileName().toString().matches("[0-9]+"))
                    .toList()) {
                assertThat(commandLine(process)).doesNotContain(secret).doesNotContain(line);
            }
        }
        client.signal("INT");
        client.await(Workplace.LIMIT).expectExit(130);
        server.process().signal("TERM");
        server.process().await(Workplace.LIMIT).expectExit(0);
        for (FdtProcess process : List.of(client, server.process())) {
            assertThat(process.transcript()).doesNotContain(secret).doesNotContain(line);
        }
    }

    private static String commandLine(Path process) {
        try {
            return Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1);
        } catch (IOException gone) {
            return "";
        }
    }

    /**
     * A thousand peers are silent, send slowly, or finish TLS and are then silent. A good client is as fast as ever,
     * and the server's memory does not grow with the number of peers.
     */
    @Test
    @Tag("full")
    void thousandBadPeersNeitherSlowACopyNorUseMemory() throws Exception {
        FdtServer server = at.server();
        Path source = Trees.file(at.path("f"), 20 * MIB, 1);
        at.copy(source, server.url("/warm")).expectExit(0);
        crowd(server, 300);
        at.copy(source, server.url("/before")).expectExit(0);
        long before = residentKib(server);
        Await.until("no lane's thread is left", Workplace.LIMIT, () -> threads(server) < 40);
        long threadsBefore = threads(server);
        List<Socket> bad = new ArrayList<>();
        try {
            for (int i = 0; i < 1000; i++) {
                bad.add(knock(server, i));
            }
            at.copy(source, server.url("/during")).expectExit(0);
            trickle(bad);
            at.copy(source, server.url("/after")).expectExit(0);
            Await.until("lanes that ended are gone", Workplace.LIMIT, () -> threads(server) < threadsBefore + 5);
            long after = residentKib(server);
            assertThat(after - before).as("KiB more than the %s before", before).isLessThan(40 * 1024);
            assertThat(threads(server)).as("threads").isLessThan(threadsBefore + 5);
        } finally {
            for (Socket socket : bad) {
                socket.close();
            }
        }
        Trees.assertSameFile(source, server.root().resolve("after"));
    }

    private static void crowd(FdtServer server, int count) throws IOException {
        List<Socket> sockets = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sockets.add(knock(server, i));
        }
        trickle(sockets);
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    private static Socket knock(FdtServer server, int index) throws IOException {
        Socket socket = new Socket(InetAddress.getByName(server.host()), server.port());
        byte[] magic = {(byte) 0xfd, 'f', 'd', 't', 1};
        byte[][] beginnings = {
            {},
            {(byte) 0xfd},
            magic,
            {magic[0], magic[1], magic[2], magic[3], 1, 1, 0, 0},
            {magic[0], magic[1], magic[2], magic[3], 1, 2, 0, 0},
            {magic[0], magic[1], magic[2], magic[3], 1, 3, 0, 0}
        };
        socket.getOutputStream().write(beginnings[index % beginnings.length]);
        return socket;
    }

    private static void trickle(List<Socket> sockets) {
        Random random = new Random(3);
        for (Socket socket : sockets) {
            try {
                socket.getOutputStream().write(random.nextInt(256));
            } catch (IOException thrownOut) {
                // The server is expected to close these connections.
                assertThat(thrownOut).isNotNull();
            }
        }
    }

    static long residentKib(FdtServer server) {
        return status(server, "VmRSS");
    }

    private static long threads(FdtServer server) {
        return status(server, "Threads");
    }

    private static long status(FdtServer server, String name) {
        try {
            for (String line :
                    Files.readAllLines(Path.of("/proc/" + server.process().pid() + "/status"))) {
                if (line.startsWith(name + ":")) {
                    return Long.parseLong(line.replaceAll("[^0-9]", ""));
                }
            }
            throw new AssertionError("no " + name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Error messages of clients that exceed a limit of the server. */
    @Test
    void namesTheLimitThatWasExceeded() throws IOException {
        FdtServer server = at.server("--max-entries", "8", "--max-bytes", "3MiB", "--max-path-depth", "3");
        Trees.manyFiles(at.directory("many"), 10, 10);
        Outcome entries = at.copy(at.path("many") + "/", server.url("/many/")).expectExit(7);
        assertThat(entries.errText()).contains("at most 8 files and directories");
        Outcome bytes = at.copy(Trees.file(at.path("big"), 5 * MIB, 1), server.url("/big"))
                .expectExit(7);
        assertThat(bytes.errText()).contains("at most 3145728 bytes");
        Files.createDirectories(at.path("deep/a/b/c"));
        Files.writeString(at.path("deep/a/b/c/d"), "x");
        Files.writeString(at.path("deep/a/b/d"), "x");
        at.copy(at.path("deep") + "/", server.url("/deep/")).expectExit(3);
        assertThat(server.root().resolve("big")).doesNotExist();
        assertThat(server.root().resolve("deep/a/b/c")).isDirectory();
        assertThat(server.root().resolve("deep/a/b/c/d")).doesNotExist();

        Outcome own = at.copy("--max-bytes", "1MiB", at.path("big"), at.server().url("/big"))
                .expectExit(10);
        assertThat(own.errText()).contains("--max-bytes");
    }

    /** Names with control characters that could manipulate a terminal or break a log line. */
    @Test
    void printsNoNameThatATerminalWouldObey() throws IOException {
        FdtServer server = at.server();
        String evil = "a\u001b]0;owned\u0007\u001b[2J\nfdt: all well\u202e\r";
        Path tree = at.directory("tree");
        Files.writeString(tree.resolve(evil.replace("\r", "")), "x");
        Outcome outcome = at.start("client", "client", "--json=files", "-v", tree + "/", server.url("/in/"))
                .await(Workplace.LIMIT)
                .expectExit(0);
        assertThat(outcome.json()).isNotEmpty();
        Outcome missing = at.start("client", "client", server.url("/in/no\u001b[2Jthing\n"), at.path("x"))
                .await(Workplace.LIMIT);
        assertThat(missing.exitCode()).isEqualTo(4);
        for (String printed : List.of(
                String.join("\n", outcome.out()),
                outcome.errText(),
                missing.errText(),
                server.process().transcript())) {
            assertThat(printed)
                    .doesNotContain("\u001b")
                    .doesNotContain("\u202e")
                    .doesNotContain("\nfdt: all well");
        }
    }

    /** A client that does not finish its handshake in time is disconnected, even if it keeps sending slowly. */
    @Test
    @Tag("full")
    void closesUnfinishedHandshake() throws IOException {
        FdtServer server = at.server("--handshake-timeout", "1s");
        List<Socket> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 6; i++) {
                slow.add(knock(server, i));
            }
            Await.until("all are cut off", Workplace.LIMIT, () -> {
                trickle(slow);
                return slow.stream().allMatch(SecurityTest::isHungUp);
            });
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    private static boolean isHungUp(Socket socket) {
        try {
            socket.setSoTimeout(1);
            socket.getInputStream().readAllBytes();
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }
}
