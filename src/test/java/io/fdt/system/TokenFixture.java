package io.fdt.system;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An issuer of tokens, whose keys PyJWT and scitokens use, and the certificate of an authority for servers. */
abstract class TokenFixture {
    static final String AUDIENCE = "dtn.example.org";

    @RegisterExtension
    final Workplace at = new Workplace();

    Path issuer = Path.of("");

    @BeforeEach
    void makeIssuer() throws IOException {
        issuer = at.directory("issuer");
        try (InputStream in = TokenFixture.class.getResourceAsStream("issuer.py")) {
            Files.copy(in, issuer.resolve("issuer.py"));
        }
        issuer("keys", "first");
        issuer("certificate");
    }

    String issuer(String... words) {
        List<Object> command =
                new ArrayList<>(List.of("env", "-C", issuer, Integrations.python(), issuer.resolve("issuer.py")));
        command.addAll(List.of(words));
        return Shell.ok(command.toArray());
    }

    /** Makes a file with a token of the library, which expires after this time. */
    Path token(String library, String seconds, String scope) {
        try {
            return Files.writeString(
                    at.path("token"), "  " + issuer(library, "first", AUDIENCE, seconds, scope) + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    FdtServer server(Object... options) {
        return at.server(words(at.directory("remote"), options));
    }

    Object[] words(Path root, Object... options) {
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
    static String url(FdtServer server, String path) {
        return server.url(path).replace("127.0.0.1", "localhost");
    }

    Outcome withToken(String command, Path token, Object... arguments) {
        List<Object> words = new ArrayList<>(List.of(command, "--token-file", token, "--ca", issuer.resolve("ca.pem")));
        words.addAll(List.of(arguments));
        return at.fdt(words.toArray());
    }

    /** Replaces the file as a whole, so that nobody reads half of it. */
    static void write(Path file, String text) {
        try {
            Path next = Files.writeString(file.resolveSibling("next"), text);
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a copy whose session is open, and that goes on until its input is closed. */
    FdtProcess copyOfMebibyteAndMore(Path token, FdtServer server, String target) throws IOException {
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

    Object[] certified(Object... options) {
        List<Object> words = new ArrayList<>(
                List.of("--certificate", issuer.resolve("host.pem"), "--certificate-key", issuer.resolve("host.key")));
        words.addAll(List.of(options));
        return words.toArray();
    }

    /** Starts a provider of OpenID, whose users return to these URLs; it has no keys yet. */
    FdtProcess provider(String... returns) throws IOException {
        Path script = at.path("provider.mjs");
        try (InputStream in = TokenFixture.class.getResourceAsStream("provider.mjs")) {
            Files.copy(in, script);
        }
        List<String> command = new ArrayList<>(List.of(
                "node",
                script.toString(),
                Recipe.readme().resolveSibling("target/test-issuer").toString()));
        command.addAll(List.of(returns));
        FdtProcess.Setup setup = at.setup("provider");
        return at.track(FdtProcess.start(
                new FdtProcess.Setup("provider", command, setup.environment(), setup.directory()),
                ProcessBuilder.Redirect.PIPE,
                ProcessBuilder.Redirect.PIPE));
    }

    /** Has the provider use these keys, and returns its URL. */
    static String publish(FdtProcess provider, String keys) throws IOException {
        provider.stdin().write((keys + "\n").getBytes(StandardCharsets.US_ASCII));
        provider.stdin().flush();
        return provider.awaitLine(Workplace.LIMIT, line -> line.startsWith(keys + ": "))
                .substring(keys.length() + 2);
    }

    /** Starts a server that trusts the provider with this URL. */
    FdtServer serverOf(String provider) {
        return at.server(
                "--issuer",
                provider,
                "--issuer-root",
                at.directory("remote"),
                "--audience",
                "fdt://" + AUDIENCE,
                "--certificate",
                issuer.resolve("host.pem"),
                "--certificate-key",
                issuer.resolve("host.key"));
    }
}
