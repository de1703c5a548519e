package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.Json;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Issuers that a server learns of and that go, their keys, and the accounts of their subjects. */
final class TokenIssuersTest extends TokenFixture {
    @Test
    void filesBelongToTheAccountOfTheSubject() throws IOException {
        HostAccounts accounts = HostAccounts.of(at);
        int ann = 27_001;
        accounts.add("ann", ann);
        Shell.ok("chown", ann, at.directory("remote/ann"));
        Path users = Files.writeString(at.path("users"), "ann ana\n");
        FdtServer server = accounts.server(words(Path.of("/mnt"), "--issuer-users", users));
        Path source = Trees.file(at.path("f"), 300_000, 1);
        Path second = token("pyjwt", "600", "storage.modify:/ann");
        String renewed = Files.readString(second);
        Path token = at.path("renewed");
        write(token, issuer("pyjwt", "first", AUDIENCE, "-40", "storage.modify:/ann"));
        Instant ends = Instant.now().plusSeconds(21);
        FdtProcess copy = copyOfMebibyteAndMore(token, server, "/ann/piped");
        write(token, renewed);

        withToken("copy", second, source, url(server, "/ann/f")).expectExit(0);
        assertThat(server.root().resolve("ann/f")).hasSameBinaryContentAs(source);
        assertThat(Files.getAttribute(server.root().resolve("ann/f"), "unix:uid"))
                .isEqualTo(ann);
        withToken("copy", token("pyjwt", "600", "storage.modify:/"), source, url(server, "/f"))
                .expectExit(5);
        issuer("certificate");
        Await.until(
                "the process of the account has the new certificate",
                () -> withToken("ls", second, url(server, "/ann")).exitCode() == 0);

        Await.until(
                "the first token has ended",
                Workplace.LIMIT,
                () -> Instant.now().isAfter(ends));
        copy.stdin().close();
        copy.await(Workplace.LIMIT).expectExit(0);
        assertThat(server.root().resolve("ann/piped")).hasSize(1 << 20);
        write(users, "ann bob\n");
        Await.until(
                "the table is read",
                () -> withToken("ls", second, url(server, "/ann"))
                        .errText()
                        .contains("no account of its host is for the subject ana"));
    }

    /** Replaces the configuration, which has nothing else about tokens. */
    private void configure(String... lines) {
        write(at.home().resolve("config"), String.join("\n", lines) + "\n");
    }

    private String trust(Path root) {
        return "issuer = https://issuer.example.org/=" + issuer.resolve("jwks.json") + "\nissuer-root = " + root;
    }

    private void assertRefused(Path token, FdtServer server, String why) {
        Await.until(
                why, () -> withToken("ls", token, url(server, "/")).errText().contains(why));
    }

    /** As keys are: before the next client is asked, and sessions end within a second. */
    @Test
    void issuersOfTheConfigurationAreReadAgain() throws IOException {
        Path root = at.directory("remote");
        Files.createDirectories(root.resolve("other"));
        Files.createDirectories(at.home());
        configure("server.read-only = false");
        FdtServer server = at.server(certified("--log-json", "--log-level", "info"));
        Path token = Files.move(token("pyjwt", "600", "storage.modify:/"), at.path("lasting"));
        withToken("ls", token, url(server, "/")).expectExit(7);

        configure(trust(root), "audience = " + AUDIENCE, "server.read-only = true");
        withToken("ls", token, url(server, "/")).expectExit(0);
        FdtProcess copy = copyOfMebibyteAndMore(token, server, "/piped");
        configure(trust(root), "audience = other.example.org", "audience = " + AUDIENCE);
        write(at.path("token"), issuer("pyjwt", "first", "other.example.org", "600", "storage.read:/"));
        withToken("ls", at.path("token"), url(server, "/")).expectExit(0);
        configure("issuer = not an URL");
        assertRefused(token, server, "cannot read now which issuers it trusts");
        at.fdt("ls", server.url("/")).expectExit(0);
        configure(trust(root), "audience = " + AUDIENCE);
        copy.stdin().close();
        copy.await(Workplace.LIMIT).expectExit(0);
        assertThat(root.resolve("piped")).hasSize(1 << 20);

        FdtProcess forAudience = copyOfMebibyteAndMore(token, server, "/audience");
        configure(trust(root), "audience = other.example.org");
        assertThat(forAudience.await(Workplace.LIMIT).expectExit(7).errText()).contains("has changed");
        assertRefused(token, server, "it is for another audience");
        configure(trust(root), "audience = " + AUDIENCE);
        FdtProcess inRoot = copyOfMebibyteAndMore(token, server, "/root");
        configure(trust(root.resolve("other")), "audience = " + AUDIENCE);
        assertThat(inRoot.await(Workplace.LIMIT).expectExit(7).errText()).contains("has changed");
        FdtProcess trusted = copyOfMebibyteAndMore(token, server, "/trusted");
        configure(trust(at.directory("elsewhere")), "audience = " + AUDIENCE);
        assertRefused(token, server, "cannot read now which issuers it trusts");
        // In place.
        Files.writeString(at.home().resolve("config"), "# nothing");
        assertThat(trusted.await(Workplace.LIMIT).expectExit(7).errText())
                .contains("does not trust the issuer", "get a token for this server");
        withToken("ls", token, url(server, "/")).expectExit(7);
        at.fdt("ls", server.url("/")).expectExit(0);

        server.process().signal("TERM");
        assertThat(server.process().await(Workplace.LIMIT).err().stream().map(Json::object))
                .filteredOn(line -> String.valueOf(line.get("event")).startsWith("issuer_"))
                .allSatisfy(line -> assertThat(line).containsEntry("issuer", "https://issuer.example.org/"))
                .extracting(line -> line.get("event"))
                .containsExactly(
                        "issuer_added",
                        "issuer_changed",
                        "issuer_changed",
                        "issuer_changed",
                        "issuer_changed",
                        "issuer_changed",
                        "issuer_withdrawn");
    }

    @Test
    void processesOfAccountsTrustTheIssuersOfTheConfiguration() throws IOException {
        HostAccounts accounts = HostAccounts.of(at);
        accounts.add("ann", 27_001);
        Shell.ok("chown", 27_001, at.directory("remote/ann"));
        String users = "issuer-users = " + Files.writeString(at.path("users"), "ann *\n");
        Files.createDirectories(at.home());
        configure(trust(Path.of("/mnt")), users, "audience = other.example.org");
        FdtServer server = accounts.server(certified());
        write(at.path("token"), issuer("pyjwt", "first", "other.example.org", "600", "storage.modify:/ann"));
        FdtProcess first = copyOfMebibyteAndMore(at.path("token"), server, "/ann/first");
        configure(trust(Path.of("/mnt")), users, "audience = " + AUDIENCE);
        assertThat(first.await(Workplace.LIMIT).expectExit(7).errText()).contains("has changed");
        Path token = token("pyjwt", "600", "storage.modify:/ann");
        FdtProcess second = copyOfMebibyteAndMore(token, server, "/ann/second");
        configure("# nothing");
        assertThat(second.await(Workplace.LIMIT).expectExit(7).errText()).contains("does not trust the issuer");
    }

    /** Has the provider issue a token to its client, and writes its answer to a file of this name. */
    private Path issued(String name, String provider, String scope) throws IOException {
        String answer = Shell.ok(
                "curl",
                "-sSf",
                "-u",
                "ana:secret",
                "-d",
                "grant_type=client_credentials",
                "-d",
                "resource=fdt://" + AUDIENCE,
                "-d",
                "scope=" + scope,
                provider + "/token");
        return Files.writeString(at.path(name), answer);
    }

    /** The server fetches the keys on SIGHUP, and otherwise once a minute at most. */
    @Test
    void tokensOfAnOpenIdProviderAreGoodWhileItPublishesTheirKey() throws IOException {
        FdtProcess provider = provider();
        String url = publish(provider, "first");
        Path root = at.directory("remote");
        Files.writeString(Files.createDirectories(root.resolve("a")).resolve("f"), "theirs");
        FdtServer server = serverOf(url);

        Path token = issued("read", url, "storage.read:/a");
        withToken("copy", token, url(server, "/a/f"), at.path("f")).expectExit(0);
        assertThat(at.path("f")).hasContent("theirs");
        withToken("copy", token, at.path("f"), url(server, "/b/f")).expectExit(7);

        publish(provider, "second first");
        server.process().signal("HUP");
        Path second = issued("modify", url, "storage.modify:/b");
        Await.until(
                "the second key is fetched",
                Workplace.LIMIT,
                () -> withToken("copy", second, at.path("f"), url(server, "/b/f"))
                                .exitCode()
                        == 0);
        assertThat(server.root().resolve("b/f")).hasContent("theirs");

        publish(provider, "second");
        server.process().signal("HUP");
        Await.until(
                "the first key is no longer known",
                Workplace.LIMIT,
                () -> withToken("ls", token, url(server, "/a")).errText().contains("names no key that its issuer has"));
        withToken("ls", second, url(server, "/b")).expectExit(0);
    }
}
