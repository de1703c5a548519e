package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.fdt.core.Json;
import io.fdt.core.security.TestAuthority;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The transfer log as records for accounting: in a file and at a receiver of HTTP, by their published schema. */
@Tag("integrations")
final class TransferRecordsTest {
    private static final Path SCHEMA = Recipe.readme().resolveSibling("docs/transfer-log.schema.json");

    /** Prints the lines that do not fit, and then the names of all fields that were seen. */
    private static final String CHECK = """
            import json, sys, jsonschema
            check = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))
            seen = set()
            for line in open(sys.argv[2], encoding="utf-8"):
                record = json.loads(line)
                seen |= set(record)
                for error in check.iter_errors(record):
                    print("misfit", line, error)
            print(" ".join(sorted(seen)))
            """;

    @RegisterExtension
    final Workplace at = new Workplace();

    private final Queue<String> received = new ConcurrentLinkedQueue<>();
    private HttpServer receiver = receiver(0);

    private HttpServer receiver(int port) {
        return receiver(port, null);
    }

    private HttpServer receiver(int port, @Nullable SSLContext tls) {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        try {
            HttpServer made = tls == null ? HttpServer.create(address, 8) : secure(address, tls);
            made.createContext("/", exchange -> {
                String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
                body.lines().forEach(received::add);
                exchange.sendResponseHeaders(200, -1);
                exchange.close();
            });
            made.start();
            return made;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static HttpServer secure(InetSocketAddress address, SSLContext tls) throws IOException {
        HttpsServer made = HttpsServer.create(address, 8);
        made.setHttpsConfigurator(new HttpsConfigurator(tls));
        return made;
    }

    @AfterEach
    void stop() {
        receiver.stop(0);
    }

    @Test
    void everyLineFitsTheSchemaAndIsTheSameEverywhere() throws IOException {
        Path log = at.path("transfers.log");
        FdtServer server = at.server("--transfer-log", log, "--transfer-log", url(), "--checksum", "adler32,crc32c");
        Path tree = at.directory("tree");
        Trees.file(tree.resolve("a"), 1000, 1);
        Trees.file(tree.resolve("d/\u00e9 \"b\"\n"), 70_000, 2);
        at.copy(tree, server.url("/in/")).expectExit(0);
        at.copy(tree, server.url("/in/")).expectExit(0);
        at.copy(server.url("/in/tree"), at.directory("back")).expectExit(0);
        Files.writeString(server.root().resolve("in/file"), "x");
        Files.createDirectories(server.root().resolve("taken/tree/a"));
        at.copy(tree, server.url("/taken/")).expectExit(3);
        at.fdt("sum", server.url("/in/file")).expectExit(0);
        at.fdt("mv", server.url("/in/file"), server.url("/in/moved")).expectExit(0);
        at.fdt("rm", server.url("/in/moved")).expectExit(0);
        // What a server cannot send in its last two seconds waits for the next one.
        Await.until(
                "the last line",
                Workplace.LIMIT,
                () -> received.stream().anyMatch(line -> line.contains("\"removed\"")));
        server.process().signal("TERM");
        server.process().await(Workplace.LIMIT);

        List<String> lines = Files.readAllLines(log);
        assertThat(lines.stream().map(line -> Json.object(line).get("outcome")))
                .contains("copied", "skipped", "failed", "summed", "moved", "removed");
        assertThat(lines.stream().map(line -> Json.object(line).get("id"))).doesNotHaveDuplicates();
        String checked = Shell.ok(Integrations.python(), "-c", CHECK, SCHEMA, log);
        assertThat(checked.strip().split(" "))
                .as("all fields of the schema, and no others")
                .containsExactlyInAnyOrderElementsOf(fields());
        assertThat(received).containsExactlyElementsOf(lines);
    }

    /** The next server of this home sends what waited, in its confined process, too. */
    @Test
    void aReceiverThatIsDownGetsEverythingOnceItIsUp() throws IOException {
        int port = receiver.getAddress().getPort();
        receiver.stop(0);
        FdtServer server = at.server("--transfer-log", url());
        Trees.manyFiles(at.path("many"), 300, 100);
        at.copy(at.path("many"), server.url("/")).expectExit(0);
        server.process().awaitErrorLine(Workplace.LIMIT, text -> text.contains("cannot send the transfer log to"));
        server.process().signal("KILL");
        server.process().await(Workplace.LIMIT);
        assertThat(received).isEmpty();
        receiver = receiver(port);

        FdtServer next = at.server("--transfer-log", url());
        at.copy(at.path("many"), next.url("/again/")).expectExit(0);
        Await.until("all lines", Workplace.LIMIT, () -> received.size() >= 600);
        assertThat(received.stream().map(line -> Json.object(line).get("id")))
                .hasSize(600)
                .doesNotHaveDuplicates();
        next.process().signal("TERM");
        next.process().await(Workplace.LIMIT);
    }

    /** Its certificate is from an authority that Java does not know at first. */
    @Test
    void aReceiverOverTlsGetsLinesOnceItsAuthorityIsTrusted() throws Exception {
        receiver.stop(0);
        TestAuthority authority = TestAuthority.named("ours");
        receiver = receiver(
                receiver.getAddress().getPort(), authority.issue("ip:127.0.0.1").context());
        String url = url().replace("http:", "https:");
        Path file = Trees.file(at.path("f"), 1000, 1);
        FdtServer server = at.server("--transfer-log", url);
        at.copy(file, server.url("/f")).expectExit(0);
        server.process()
                .awaitErrorLine(
                        Workplace.LIMIT,
                        text -> text.contains("cannot send the transfer log to " + url
                                + ": its certificate is from an authority that Java does not trust"));
        server.process().signal("TERM");
        server.process().await(Workplace.LIMIT);
        assertThat(received).isEmpty();

        Path store = at.path("authorities");
        Path pem = authority.write(at.path("ca.pem"));
        Shell.ok(
                Path.of(System.getProperty("java.home"), "bin/keytool"),
                "-importcert",
                "-noprompt",
                "-alias",
                "ours",
                "-file",
                pem,
                "-keystore",
                store,
                "-storepass",
                "changeit");
        // The confined process can read the directory for temporary files in any case.
        at.environment(
                "JDK_JAVA_OPTIONS",
                "-Djavax.net.ssl.trustStore=" + store + " -Djavax.net.ssl.trustStorePassword=changeit -Djava.io.tmpdir="
                        + at.directory("java-tmp"));
        FdtServer next = at.server("--transfer-log", url);
        at.copy(file, next.url("/g")).expectExit(0);
        Await.until(() -> "both lines\n" + next.process().transcript(), () -> received.size() == 2);
    }

    @Test
    void aResumedFileCountsWhatThisCopyMoved() throws IOException {
        Path log = at.path("transfers.log");
        FdtServer server = at.server("--transfer-log", log);
        Path source = Trees.file(at.path("f"), 20 << 20, 1);
        FdtProcess copy =
                at.startCopy("-P", 2, "--rate-limit", "8Mbit", "--chunk-size", "1MiB", source, server.url("/f"));
        copy.awaitAcknowledged(Workplace.LIMIT, 1 << 20);
        copy.signal("INT");
        copy.await(Workplace.LIMIT).expectExit(130);
        long resumed = at.copy("-P", 2, source, server.url("/f")).expectExit(0).number("bytes_resumed");
        assertThat(resumed).isPositive();
        Await.until("the line", Workplace.LIMIT, () -> Trees.text(log).contains("\"resumed\""));

        String line = Trees.text(log)
                .lines()
                .filter(text -> text.contains("\"resumed\""))
                .findFirst()
                .orElseThrow();
        assertThat(Json.object(line))
                .containsEntry("bytes", 20L << 20)
                .containsEntry("bytes_moved", (20L << 20) - resumed)
                .containsEntry("lanes", 2L);
        assertThat((String) Json.object(line).get("transport")).startsWith("epoll, TLS");
    }

    /** At either end of it, for the network has carried them. */
    @Test
    void aFileThatFailedCountsWhatThisCopyMoved() throws IOException {
        Path log = at.path("transfers.log");
        FdtServer server = at.server("--transfer-log", log);
        Path local = Trees.file(at.path("f"), 20 << 20, 1);
        Path served = Trees.file(server.root().resolve("g"), 20 << 20, 1);
        fail(local, local, server.url("/f"));
        fail(served, server.url("/g"), at.path("g"));
        Await.until("both lines", Workplace.LIMIT, () -> Trees.text(log).lines().count() == 2);

        assertThat(Files.readAllLines(log)).map(Json::object).allSatisfy(line -> {
            assertThat(line).containsEntry("outcome", "failed").containsEntry("bytes", 20L << 20);
            assertThat((Long) line.get("bytes_moved")).isPositive().isLessThan(20L << 20);
        });
    }

    private void fail(Path changed, Object source, Object target) throws IOException {
        FdtProcess copy = at.startCopy("-P", 2, "--rate-limit", "8Mbit", "--chunk-size", "1MiB", source, target);
        copy.awaitAcknowledged(Workplace.LIMIT, 2 << 20);
        Files.write(changed, new byte[1]);
        copy.await(Workplace.LIMIT).expectExit(4);
    }

    @Test
    void twoServersOfAHomeHaveSpoolsOfTheirOwn() throws IOException {
        at.server("--transfer-log", url());
        at.server("--transfer-log", url());
        try (Stream<Path> files = Files.list(at.home())) {
            assertThat(files.filter(file -> file.getFileName().toString().startsWith("transfer-log-")))
                    .hasSize(2);
        }
    }

    @Test
    void placesThatCannotBeAreRefused() {
        at.fdt("server", "--transfer-log", "https:///x").expectExit(2);
        at.fdt("server", "--transfer-log", "https://ann:secret@127.0.0.1/x").expectExit(2);
    }

    private String url() {
        return "http://127.0.0.1:" + receiver.getAddress().getPort() + "/transfers";
    }

    private static Set<String> fields() throws IOException {
        Map<?, ?> definitions =
                (Map<?, ?>) Json.object(Files.readString(SCHEMA)).get("$defs");
        Map<?, ?> file = (Map<?, ?>) ((Map<?, ?>) definitions.get("file")).get("properties");
        Set<String> names = new TreeSet<>();
        file.keySet().forEach(name -> names.add((String) name));
        return names;
    }
}
