package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What clients with tokens may do, and whom they trust. */
final class TokenTest extends TokenFixture {
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
        Files.writeString(server.root().resolve("b/beside"), "not this");
        Path ofFile = token("pyjwt", "600", "storage.read:/b/there");
        withToken("copy", ofFile, url(server, "/b/there"), at.path("alone")).expectExit(0);
        assertThat(at.path("alone")).hasContent("theirs");
        assertThat(withToken("ls", ofFile, url(server, "/b/there"))
                        .expectExit(0)
                        .out())
                .singleElement()
                .asString()
                .endsWith("there");
        for (String beside : List.of("/b/beside", "/b/there/../beside", "/b", "/b/t*")) {
            withToken("copy", ofFile, url(server, beside), at.path("beside")).expectExit(7);
        }

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

    @Test
    void otherProgramsPassTheirTokensOn() throws IOException {
        FdtServer server = server();
        at.environment("FDT_HOME", at.directory("without keys").toString());
        at.environment("FDT_CA", issuer.resolve("ca.pem").toString());
        at.environment(
                "TOKEN_OF_TEST",
                Files.readString(token("pyjwt", "600", "storage.read:/ storage.modify:/"))
                        .strip());
        IntegrationsTest.passes(at, url(server, ""), server.root(), "python", "test_tokens.py");
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
