package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Clients with tokens that PyJWT and scitokens have made, and servers with the certificate of an authority. */
final class TokenTest {
    private static final String AUDIENCE = "dtn.example.org";

    @RegisterExtension
    final Workplace at = new Workplace();

    private Path issuer = Path.of("");

    @BeforeEach
    void makeIssuer() throws IOException {
        issuer = at.directory("issuer");
        try (InputStream in = TokenTest.class.getResourceAsStream("issuer.py")) {
            Files.copy(in, issuer.resolve("issuer.py"));
        }
        issuer("keys", "first");
        issuer("certificate");
    }

    private String issuer(String... words) {
        List<Object> command =
                new ArrayList<>(List.of("env", "-C", issuer, Integrations.python(), issuer.resolve("issuer.py")));
        command.addAll(List.of(words));
        return Shell.ok(command.toArray());
    }

    /** Makes a file with a token of the library, which expires after this time. */
    private Path token(String library, String seconds, String scope) {
        try {
            return Files.writeString(
                    at.path("token"), "  " + issuer(library, "first", AUDIENCE, seconds, scope) + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private FdtServer server(Object... options) {
        List<Object> words = new ArrayList<>(List.of(
                "--issuer",
                "https://issuer.example.org/=" + issuer.resolve("jwks.json"),
                "--issuer-root",
                at.directory("remote"),
                "--audience",
                AUDIENCE,
                "--certificate",
                issuer.resolve("host.pem"),
                "--certificate-key",
                issuer.resolve("host.key")));
        words.addAll(List.of(options));
        return at.server(words.toArray());
    }

    /** The certificate is for this name. */
    private static String url(FdtServer server, String path) {
        return server.url(path).replace("127.0.0.1", "localhost");
    }

    private Outcome withToken(String command, Path token, Object... arguments) {
        List<Object> words = new ArrayList<>(List.of(command, "--token-file", token, "--ca", issuer.resolve("ca.pem")));
        words.addAll(List.of(arguments));
        return at.fdt(words.toArray());
    }

    @Test
    void aTokenPermitsWhatItsScopesName() throws IOException {
        FdtServer server = server();
        Files.createDirectories(server.root().resolve("b"));
        Files.writeString(server.root().resolve("b/there"), "theirs");
        Path source = Trees.file(at.path("f"), 300_000, 1);

        Path wlcg = token("pyjwt", "600", "storage.modify:/a storage.read:/b");
        withToken("copy", wlcg, source, url(server, "/a/f")).expectExit(0);
        assertThat(server.root().resolve("a/f")).hasSameBinaryContentAs(source);
        withToken("copy", wlcg, url(server, "/b/there"), at.path("fetched")).expectExit(0);
        assertThat(at.path("fetched")).hasContent("theirs");
        assertThat(withToken("copy", wlcg, source, url(server, "/b/f"))
                        .expectExit(7)
                        .errText())
                .contains("the token does not permit that there", "the token from " + wlcg);
        withToken("ls", wlcg, url(server, "/c")).expectExit(7);

        Path scitoken = token("scitokens", "600", "read:/b");
        assertThat(withToken("cat", scitoken, url(server, "/b/there"))
                        .expectExit(0)
                        .out())
                .containsExactly("theirs");
        withToken("rm", scitoken, url(server, "/b/there")).expectExit(7);
        assertThat(server.root().resolve("b/there")).exists();

        // A client with a key is served as before.
        at.copy(source, server.url("/by-key")).expectExit(0);
        assertThat(server.process().transcript()).contains("ana@issuer.example.org");
    }

    @Test
    void refusesTokensThatAreNotForIt() {
        FdtServer server = server();
        Path expired = token("pyjwt", "-100", "storage.read:/");
        assertThat(withToken("ls", expired, url(server, "/")).expectExit(7).errText())
                .contains("the token expired at", "get a new token");
        issuer("keys", "second");
        Path file = at.path("token");
        write(file, issuer("pyjwt", "second", "elsewhere.example.org", "600", "storage.read:/"));
        Await.until(
                "the new key is read",
                () -> withToken("ls", file, url(server, "/")).errText().contains("it is for another audience"));
        write(file, issuer("pyjwt", "second", AUDIENCE, "600", "storage.read:/"));
        withToken("ls", file, url(server, "/")).expectExit(0);
        // The key of before is not among those of the issuer any more.
        withToken("ls", token("pyjwt", "600", "storage.read:/"), url(server, "/"))
                .expectExit(7);
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aClientWithATokenTrustsOnlyTheAuthorityThatItWasGiven() throws IOException {
        FdtServer server = server();
        Path token = token("pyjwt", "600", "storage.read:/");
        Path first = Files.copy(issuer.resolve("ca.pem"), at.path("first.pem"));
        at.fdt("ls", "--token-file", token, "--ca", first, url(server, "/")).expectExit(0);
        assertThat(at.fdt("ls", "--token-file", token, url(server, "/"))
                        .expectExit(7)
                        .errText())
                .contains("is not from a trusted authority");
        assertThat(at.fdt("ls", "--token-file", token, "--ca", first, server.url("/"))
                        .expectExit(7)
                        .errText())
                .as("the certificate is for localhost")
                .contains("127.0.0.1");
        // Nobody who is not trusted has seen the token: the server has not, either.
        assertThat(server.process().transcript()).doesNotContain("does not accept the token");

        issuer("certificate");
        Await.until(
                "the new certificate is shown",
                () -> withToken("ls", token, url(server, "/")).exitCode() == 0);
        at.fdt("ls", "--token-file", token, "--ca", first, url(server, "/")).expectExit(7);
    }
}
