package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.FreePort;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rucio's own server and commands; somebody who logs in there is known to a server of fdt by the same token. */
final class RucioServerTest extends TokenFixture {
    private static final Path PROGRAMS = Recipe.readme().resolveSibling("target/test-rucio/bin");

    private FdtProcess start(String program, Object... arguments) {
        List<String> command = new ArrayList<>(List.of(PROGRAMS.resolve(program).toString()));
        command.addAll(Shell.words(arguments));
        FdtProcess.Setup setup = at.setup("rucio");
        return at.track(FdtProcess.start(new FdtProcess.Setup("rucio", command, setup.environment(), issuer)));
    }

    /** Uses the token that an earlier command has stored, and no other: otherwise it waits for a user. */
    private void rucio(Object... arguments) {
        start("rucio", arguments).await(Workplace.LIMIT).expectExit(0);
    }

    @Test
    void itsTokenUploadsAndDownloads() throws IOException {
        int port = FreePort.next();
        String provider = publish(provider("https://localhost:" + port + "/auth/oidc_code"), "first");
        FdtServer server = serverOf(provider);
        at.environment("FDT_HOME", at.directory("without keys").toString());
        at.environment("FDT_CA", issuer.resolve("ca.pem").toString());
        at.environment(
                "PYTHONPATH",
                Recipe.readme().resolveSibling("integrations/python/src").toString());
        at.environment("PYTHONDONTWRITEBYTECODE", "1");
        at.environment("PYTHONUNBUFFERED", "1");
        at.environment("RUCIO_CONFIG", issuer.resolve("rucio.cfg").toString());
        try (InputStream in = RucioServerTest.class.getResourceAsStream("rucio_server.py")) {
            Files.copy(in, issuer.resolve("rucio_server.py"));
        }
        start(
                        "python3",
                        "rucio_server.py",
                        port,
                        provider,
                        server.port(),
                        String.join(" ", at.setup("fdt").command()))
                .awaitLine(Workplace.LIMIT, line -> line.contains("Running on https://localhost:" + port));

        FdtProcess login = start("rucio", "whoami");
        String url = login.awaitLine(Workplace.LIMIT, line -> line.contains("/auth/oidc_redirect?"));
        Path cookies = at.path("cookies");
        Shell.ok("curl", "-sSfL", "--cacert", issuer.resolve("ca.pem"), "-b", cookies, "-c", cookies, url.strip());
        assertThat(login.await(Workplace.LIMIT).expectExit(0).out()).anyMatch(line -> line.matches("account +: ana"));

        Path source = Trees.file(at.path("f"), 300_000, 1);
        rucio("upload", "--rse", "FDT", "--scope", "user.ana", source);
        Path fetched = at.directory("fetched");
        rucio("download", "--protocol", "fdt", "--dir", fetched, "user.ana:f");
        assertThat(fetched.resolve("user.ana/f")).hasSameBinaryContentAs(source);
        assertThat(server.process().transcript())
                .contains("push to /rucio/user/ana/", "pull from /rucio/user/ana/")
                .contains("with key ana@" + provider.substring("http://".length()));
    }
}
