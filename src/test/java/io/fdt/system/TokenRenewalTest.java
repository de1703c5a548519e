package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Copies that outlast their first token. */
final class TokenRenewalTest extends TokenFixture {
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
}
