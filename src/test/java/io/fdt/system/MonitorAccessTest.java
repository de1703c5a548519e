package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Who can open a monitor's page: by its port beyond loopback, and by its socket. Both with a real HTTP client. */
final class MonitorAccessTest {
    private static final String UNAUTHORIZED = "401";

    @RegisterExtension
    final Workplace at = new Workplace();

    private FdtProcess monitor(Object... options) {
        List<Object> words = new ArrayList<>(List.of("monitor", "--json"));
        words.addAll(List.of(options));
        return at.start("monitor", words.toArray());
    }

    private static Map<String, Object> ready(FdtProcess monitor) {
        return Json.object(monitor.awaitLine(Workplace.LIMIT, line -> line.contains("\"monitor\"")));
    }

    private static int status(Map<String, Object> ready, String token) throws Exception {
        URI url = URI.create(String.valueOf(ready.get("url")).replace("0.0.0.0", "127.0.0.1") + "healthz");
        HttpRequest.Builder request = HttpRequest.newBuilder(url);
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        return HttpClient.newHttpClient()
                .send(request.build(), HttpResponse.BodyHandlers.ofString())
                .statusCode();
    }

    @Test
    void beyondLoopbackATokenOfTheHomeIsNeeded() throws Exception {
        FdtProcess first = monitor("--monitor", "0.0.0.0:0");
        Map<String, Object> ready = ready(first);
        Path file = Path.of(String.valueOf(ready.get("token_file")));
        assertThat(file).isEqualTo(at.home().resolve("monitor-token"));
        assertThat(Shell.ok("stat", "-c", "%a", file).strip()).isEqualTo("600");
        String token = Files.readString(file).strip();
        assertThat(token).hasSize(64);
        assertThat(first.transcript()).doesNotContain(token);

        assertThat(status(ready, "")).isEqualTo(401);
        assertThat(status(ready, "0123456789abcdef")).isEqualTo(401);
        assertThat(status(ready, token)).isEqualTo(200);
        // A server beside it has the same token, and so has the next start.
        FdtServer server = at.server("--monitor", "0.0.0.0:0");
        Map<String, Object> ofServer = ready(server.process());
        assertThat(status(ofServer, "")).isEqualTo(401);
        assertThat(status(ofServer, token)).isEqualTo(200);
    }

    @Test
    void noTokenIsNeededOnLoopbackOrIfNoneIsTyped() throws Exception {
        Map<String, Object> loopback = ready(monitor("--monitor", "127.0.0.1:0"));
        assertThat(loopback).doesNotContainKey("token_file");
        assertThat(status(loopback, "")).isEqualTo(200);
        Map<String, Object> open = ready(monitor("--monitor", "0.0.0.0:0", "--monitor-token-file", "none"));
        assertThat(open).doesNotContainKey("token_file");
        assertThat(status(open, "")).isEqualTo(200);
        assertThat(at.home().resolve("monitor-token")).doesNotExist();
    }

    /** Returns the status, and 000 if there is no connection or no answer. */
    private static String throughSocket(Path socket, String path, String... before) {
        List<Object> words = new ArrayList<>(List.of((Object[]) before));
        words.addAll(List.of("curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--unix-socket", socket));
        words.add("http://localhost" + path);
        return Shell.run(words.toArray()).out().strip();
    }

    @Test
    void aSocketIsForItsUserOnly() throws IOException {
        Path socket = at.path("socket");
        Shell.ok("chmod", "755", at.directory());
        FdtProcess monitor = monitor("--monitor", "unix:" + socket);
        assertThat(ready(monitor)).containsEntry("url", "unix:" + socket).doesNotContainKey("token_file");
        assertThat(throughSocket(socket, "/healthz")).isEqualTo("200");
        assertThat(Shell.ok("curl", "-s", "--unix-socket", socket, "http://localhost/metrics"))
                .contains("fdt_host_cpu_seconds_total");
        // A page of another origin that has the name of this machine cannot be in this request.
        assertThat(Shell.ok("curl", "-s", "--unix-socket", socket, "http://evil.example/metrics"))
                .contains("does not belong to this machine");

        assertThat(Shell.ok("stat", "-c", "%a", socket).strip()).isEqualTo("600");
        String[] another = {"setpriv", "--reuid=1234", "--regid=1234", "--clear-groups", "--"};
        assertThat(throughSocket(socket, "/healthz", another)).isEqualTo("000");
        Shell.ok("setpriv", "--reuid=1234", "--regid=1234", "--clear-groups", "--", "stat", socket);
        Shell.ok("chmod", "666", socket);
        assertThat(throughSocket(socket, "/healthz", another)).isEqualTo("000");
        assertThat(throughSocket(socket, "/healthz")).isEqualTo("200");

        assertThat(at.process("monitor", "--monitor", "unix:" + socket)
                        .expectExit(8)
                        .errText())
                .contains("cannot listen for the monitor on " + socket);
        monitor.signal("TERM");
        monitor.await(Workplace.LIMIT);
        assertThat(socket).doesNotExist();
    }

    @Test
    void aSocketThatAKilledProcessLeftIsReplacedAndNothingElseIs() throws IOException {
        Path socket = at.path("socket");
        FdtProcess killed = monitor("--monitor", "unix:" + socket);
        ready(killed);
        killed.killHard();
        assertThat(socket).exists();
        ready(monitor("--monitor", "unix:" + socket));
        assertThat(throughSocket(socket, "/healthz")).isEqualTo("200");

        Path file = Files.writeString(at.path("file"), "x");
        at.process("monitor", "--monitor", "unix:" + file).expectExit(8);
        assertThat(file).hasContent("x");
    }

    @Test
    void aSocketWithATokenNeedsBoth() throws IOException {
        Path socket = at.path("socket");
        Path token = Files.writeString(at.path("token"), "0123456789abcdef");
        ready(monitor("--monitor", "unix:" + socket, "--monitor-token-file", token));
        assertThat(throughSocket(socket, "/healthz")).isEqualTo(UNAUTHORIZED);
        assertThat(throughSocket(socket, "/healthz?token=0123456789abcdef")).isEqualTo("303");
    }
}
