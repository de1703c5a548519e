package io.fdt.monitor.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

final class WebServerErrorTest {
    @Test
    void anErrorIsAnAnswerAndIsReportedOnce() throws Exception {
        Queue<String> warnings = new ConcurrentLinkedQueue<>();
        try (WebServer server = new WebServer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                from -> true,
                request -> {
                    throw new StackOverflowError("a test");
                },
                WebServer.Limits.DEFAULTS,
                warnings::add)) {
            URI page = URI.create("http://127.0.0.1:" + server.address().getPort() + "/");
            HttpRequest request = HttpRequest.newBuilder(page)
                    .timeout(Duration.ofSeconds(Await.LIMIT_SECONDS))
                    .build();
            for (int i = 0; i < 3; i++) {
                assertThat(HttpClient.newHttpClient()
                                .send(request, HttpResponse.BodyHandlers.ofString())
                                .statusCode())
                        .isEqualTo(500);
            }
        }
        assertThat(warnings).singleElement().asString().contains("a test");
    }
}
