package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.Json;
import io.fdt.core.budget.Resource;
import io.fdt.core.budget.ServerCharges;
import io.fdt.core.hostile.ManySubjects;
import io.fdt.core.token.TestIssuer;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Clients with tokens that PyJWT and scitokens have made, and servers with the certificate of an authority. */
final class TokenTest {
    private static final String AUDIENCE = "dtn.example.org";
    private static final int SUBJECTS = Integer.getInteger("fdt.subjects", 300);

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
        return at.server(words(at.directory("remote"), options));
    }

    private Object[] words(Path root, Object... options) {
        List<Object> words = new ArrayList<>(List.of(
                "--issuer",
                "https://issuer.example.org/=" + issuer.resolve("jwks.json"),
                "--issuer-root",
                root,
                "--audience",
                AUDIENCE,
                "--certificate",
                issuer.resolve("host.pem"),
                "--certificate-key",
                issuer.resolve("host.key")));
        words.addAll(List.of(options));
        return words.toArray();
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

    /** Replaces the file as a whole, so that nobody reads half of it. */
    private static void write(Path file, String text) {
        try {
            Path next = Files.writeString(file.resolveSibling("next"), text);
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a copy whose session is open, and that goes on until its input is closed. */
    private FdtProcess copyOfMebibyteAndMore(Path token, FdtServer server, String target) throws IOException {
        FdtProcess copy = at.track(FdtProcess.start(
                at.setup(
                        "copy",
                        "copy",
                        "--json",
                        "--token-file",
                        token,
                        "--ca",
                        issuer.resolve("ca.pem"),
                        "-",
                        url(server, target)),
                ProcessBuilder.Redirect.PIPE,
                ProcessBuilder.Redirect.PIPE));
        copy.stdin().write(new byte[1 << 20]);
        copy.stdin().flush();
        server.process().awaitErrorLine(Workplace.LIMIT, text -> text.contains("push to " + target));
        return copy;
    }

    /** Servers allow for clocks that differ by a minute, so a token that ended 40 seconds ago admits for 20 more. */
    @Test
    void aCopyOutlastsItsTokenIfTheFileIsRenewed() throws IOException {
        FdtServer server = server();
        String third = issuer("pyjwt", "first", AUDIENCE, "600", "storage.modify:/");
        String second = issuer("pyjwt", "first", AUDIENCE, "-24", "storage.modify:/");
        Instant secondEnds = Instant.now().plusSeconds(37);
        Path renewed = at.path("renewed");
        write(renewed, issuer("pyjwt", "first", AUDIENCE, "-40", "storage.modify:/"));
        Path kept = Files.copy(renewed, at.path("kept"));
        List<FdtProcess> copies = new ArrayList<>();
        for (Path token : List.of(renewed, kept)) {
            copies.add(copyOfMebibyteAndMore(token, server, "/" + token.getFileName()));
        }

        write(renewed, second);
        Outcome ended = copies.get(1).await(Workplace.LIMIT).expectExit(7);
        assertThat(ended.errText())
                .contains("the token of ana@issuer.example.org has expired", "get a new token, then run it again");
        write(renewed, third);
        Await.until(
                "the second token has ended",
                Workplace.LIMIT,
                () -> Instant.now().isAfter(secondEnds));
        copies.get(0).stdin().write("end".getBytes(StandardCharsets.US_ASCII));
        copies.get(0).stdin().close();
        copies.get(0).await(Workplace.LIMIT).expectExit(0);
        assertThat(server.root().resolve("renewed")).hasSize((1 << 20) + 3);
    }

    /** The first token ends after twenty seconds, and the copy needs longer. */
    @Test
    void aCopyThatRetriesGoesOnWithATokenThatComesLater() throws IOException {
        FdtServer server = server();
        Path source = Trees.file(at.path("f"), 20_000_000, 1);
        Path token = token("pyjwt", "-40", "storage.modify:/");
        FdtProcess copy = at.start(
                "copy",
                "copy",
                "--json",
                "--retry",
                "forever",
                "--rate-limit",
                "6Mbit",
                "--token-file",
                token,
                "--ca",
                issuer.resolve("ca.pem"),
                source,
                url(server, "/f"));
        copy.awaitLine(Workplace.LIMIT, line -> line.contains("the token of ana@issuer.example.org has expired"));
        copy.awaitLine(Workplace.LIMIT, line -> line.contains("the token expired at"));
        write(token, issuer("pyjwt", "first", AUDIENCE, "600", "storage.modify:/"));
        Outcome ended = copy.await(Workplace.LIMIT).expectExit(0);
        assertThat(server.root().resolve("f")).hasSameBinaryContentAs(source);
        assertThat(ended.json())
                .last()
                .satisfies(summary ->
                        assertThat((long) summary.get("bytes_resumed")).isPositive());

        at.environment("FDT_HOME", at.directory("without keys").toString());
        at.environment("BEARER_TOKEN", issuer("pyjwt", "first", AUDIENCE, "-100", "storage.modify:/"));
        assertThat(at.fdt("copy", "--retry", "forever", "--ca", issuer.resolve("ca.pem"), source, url(server, "/g"))
                        .expectExit(7)
                        .errText())
                .as("a variable does not change")
                .contains("the token expired at");
    }

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

    private Object[] certified(Object... options) {
        List<Object> words = new ArrayList<>(
                List.of("--certificate", issuer.resolve("host.pem"), "--certificate-key", issuer.resolve("host.key")));
        words.addAll(List.of(options));
        return words.toArray();
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

    /** The copies need half a minute at least, and their token ends before. */
    @Test
    void aLentRightIsNarrowerThanItsTokenAndEndsWithTheNewestOne() throws IOException {
        FdtServer target = server();
        Path sources = at.directory("sources");
        FdtServer source = at.rootlessServer(
                "127.0.0.1:0", sources, words(sources, "--root", sources, "--third-party", "127.0.0.0/8"));
        Trees.file(sources.resolve("s/small"), 1000, 1);
        Trees.file(sources.resolve("s/large"), 40_000_000, 2);
        String scope = "storage.read:/s storage.modify:/in";
        Path lasting = token("pyjwt", "600", scope);
        withToken("copy", lasting, url(source, "/s/small"), url(target, "/in/small"))
                .expectExit(0);
        assertThat(target.root().resolve("in/small")).hasSameBinaryContentAs(sources.resolve("s/small"));
        for (String elsewhere : List.of("/out/small", "/s/small", "/in/../out/small")) {
            withToken("copy", lasting, url(source, "/s/small"), url(target, elsewhere))
                    .expectExit(7);
        }
        withToken("copy", lasting, url(source, "/in/small"), url(target, "/in/other"))
                .expectExit(7);

        Path ending = at.path("ending");
        write(ending, issuer("pyjwt", "first", AUDIENCE, "-40", scope + " storage.stat:/x"));
        Path renewed = at.path("renewed");
        write(renewed, issuer("pyjwt", "first", AUDIENCE, "-40", scope));
        List<String> jobs = new ArrayList<>();
        for (Path token : List.of(ending, renewed)) {
            Outcome detached = withToken(
                            "copy",
                            token,
                            "--detach",
                            "--rate-limit",
                            "10Mbit",
                            url(source, "/s/large"),
                            url(target, "/in/of-" + token.getFileName()))
                    .expectExit(0);
            assertThat(detached.errText()).contains("when the token from " + token + " expires");
            jobs.add(detached.out().get(0));
        }
        withToken("ls", lasting, url(source, "/s")).expectExit(0);
        withToken("ls", lasting, url(target, "/in")).expectExit(0);
        FdtProcess attached = at.start(
                "copy",
                "copy",
                "--json",
                "--token-file",
                renewed,
                "--ca",
                issuer.resolve("ca.pem"),
                "--rate-limit",
                "10Mbit",
                url(source, "/s/large"),
                url(target, "/in/a"));
        attached.awaitLine(Workplace.LIMIT, line -> line.contains("progress"));
        write(renewed, Files.readString(lasting));

        assertThat(withToken("jobs", lasting, url(source, ""), "wait", jobs.get(0))
                        .expectExit(7)
                        .errText())
                .contains("has expired");
        withToken("jobs", lasting, url(source, ""), "wait", jobs.get(1)).expectExit(0);
        assertThat(target.root().resolve("in/of-renewed")).hasSameBinaryContentAs(sources.resolve("s/large"));
        attached.await(Workplace.LIMIT).expectExit(0);
        assertThat(target.root().resolve("in/a")).hasSameBinaryContentAs(sources.resolve("s/large"));
    }

    /** Live objects and time series do not become more with each subject, and a client with a key is always served. */
    @Test
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    void subjectsLeaveNothingBehindAndRoomForAKey() throws IOException {
        TestIssuer signer = TestIssuer.es256("e1");
        Path published = TestIssuer.publish(at.path("published.json"), signer);
        at.environment("JAVA_TOOL_OPTIONS", "-Xmx256m -XX:+ExitOnOutOfMemoryError");
        FdtServer server = server(
                "--issuer", TestIssuer.URL + "=" + published, "--audience", "dtn.example", "--monitor", "127.0.0.1:0");
        URI metrics = URI.create(String.valueOf(Json.object(server.process()
                                .awaitLine(Workplace.LIMIT, line -> line.contains("\"type\":\"monitor\"")))
                        .get("url")))
                .resolve("/metrics");
        ServerCharges charges = new ServerCharges(server.process().pid());
        Map<Resource, Long> chargedBefore = charges.all();
        Path source = Trees.file(at.path("f"), 300_000, 1);
        long now = Instant.now().getEpochSecond();
        int step = Math.min(1000, SUBJECTS / 3);
        long liveBefore = 0;
        long seriesBefore = 0;
        double longest = 0;
        try (ManySubjects subjects = new ManySubjects(
                new InetSocketAddress("localhost", server.port()),
                issuer.resolve("ca.pem"),
                number -> signer.sign(TestIssuer.claims(now, "storage.read:/")
                        .with("sub", "subject-" + number)
                        .with("exp", now + 86_400)))) {
            for (int count = step; count <= SUBJECTS; count += step) {
                FdtProcess copy = at.startCopy("--existing", "overwrite", source, server.url("/f"));
                subjects.listUntil(count);
                longest = Math.max(
                        longest, copy.await(Workplace.LIMIT).expectExit(0).seconds());
                if (count == step) {
                    liveBefore = liveBytes(server);
                    seriesBefore = Browser.get(metrics).lines().count();
                }
            }
        }
        Await.until(
                () -> "everything is given back, but: " + charges.all() + " instead of " + chargedBefore,
                () -> charges.all().equals(chargedBefore));
        long live = liveBytes(server);
        long series = Browser.get(metrics).lines().count();
        System.err.printf(
                "%d subjects in %d s: live objects %d and then %d bytes, lines of metrics %d and then %d, %d kB"
                        + " resident; the longest of %d copies by key took %.1f s%n",
                SUBJECTS,
                Instant.now().getEpochSecond() - now,
                liveBefore,
                live,
                seriesBefore,
                series,
                SecurityTest.residentKib(server),
                SUBJECTS / step,
                longest);
        assertThat(live).isLessThan(liveBefore + (8 << 20));
        assertThat(series).isLessThan(seriesBefore + 100);
    }

    private static long liveBytes(FdtServer server) {
        String histogram = Shell.ok("jcmd", server.process().pid(), "GC.class_histogram");
        String[] total = histogram.strip().split("\\s+", -1);
        return Long.parseLong(total[total.length - 1]);
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

    private static void publish(FdtProcess provider, String keys) throws IOException {
        provider.stdin().write((keys + "\n").getBytes(StandardCharsets.US_ASCII));
        provider.stdin().flush();
        provider.awaitLine(Workplace.LIMIT, line -> line.startsWith(keys + ": "));
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
        Path script = at.path("provider.mjs");
        try (InputStream in = TokenTest.class.getResourceAsStream("provider.mjs")) {
            Files.copy(in, script);
        }
        List<String> command = List.of(
                "node",
                script.toString(),
                Recipe.readme().resolveSibling("target/test-issuer").toString());
        FdtProcess.Setup setup = at.setup("provider");
        FdtProcess provider = at.track(FdtProcess.start(
                new FdtProcess.Setup("provider", command, setup.environment(), setup.directory()),
                ProcessBuilder.Redirect.PIPE,
                ProcessBuilder.Redirect.PIPE));
        publish(provider, "first");
        String url = provider.awaitLine(Workplace.LIMIT, line -> line.startsWith("first: "))
                .substring("first: ".length());
        Path root = at.directory("remote");
        Files.writeString(Files.createDirectories(root.resolve("a")).resolve("f"), "theirs");
        FdtServer server = at.server(
                "--issuer",
                url,
                "--issuer-root",
                root,
                "--audience",
                "fdt://" + AUDIENCE,
                "--certificate",
                issuer.resolve("host.pem"),
                "--certificate-key",
                issuer.resolve("host.key"));

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
