package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.sun.net.httpserver.HttpServer;
import io.fdt.core.FreePort;
import io.fdt.core.transport.Await;
import io.fdt.system.Fault.Ending;
import io.fdt.system.Fault.Way;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Span.SpanKind;
import io.opentelemetry.proto.trace.v1.Status.StatusCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Traces of copies, as a receiver of OTLP gets them. It reads them by the classes of OpenTelemetry's own protocol. */
final class TraceTest {
    private static final int LARGE_BYTES = 64 << 20;

    @RegisterExtension
    final Workplace at = new Workplace();

    private final Queue<Received> spans = new ConcurrentLinkedQueue<>();
    private final Queue<String> tokens = new ConcurrentLinkedQueue<>();
    private HttpServer receiver;

    /** A span and the service that sent it. */
    private record Received(String service, Span span) {
        String name() {
            return span.getName();
        }

        String attribute(String key) {
            return span.getAttributesList().stream()
                    .filter(each -> each.getKey().equals(key))
                    .map(each -> each.getValue().hasStringValue()
                            ? each.getValue().getStringValue()
                            : Long.toString(each.getValue().getIntValue()))
                    .findAny()
                    .orElse("");
        }

        List<String> events() {
            return span.getEventsList().stream().map(Span.Event::getName).toList();
        }
    }

    @BeforeEach
    void start() throws IOException {
        receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
        receiver.createContext("/v1/traces", exchange -> {
            tokens.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
            ExportTraceServiceRequest request = ExportTraceServiceRequest.parseFrom(exchange.getRequestBody());
            request.getResourceSpansList().forEach(one -> {
                String service = one.getResource().getAttributesList().stream()
                        .filter(each -> each.getKey().equals("service.name"))
                        .map(each -> each.getValue().getStringValue())
                        .findAny()
                        .orElse("");
                one.getScopeSpansList()
                        .forEach(scope -> scope.getSpansList().forEach(span -> spans.add(new Received(service, span))));
            });
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        receiver.start();
        at.environment(
                "OTEL_EXPORTER_OTLP_ENDPOINT",
                "http://127.0.0.1:" + receiver.getAddress().getPort());
        at.environment("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20secret");
    }

    @AfterEach
    void stop() {
        receiver.stop(0);
    }

    private Received only(String service, String name) {
        List<Received> found = all(service, name);
        assertThat(found).as("%s of %s", name, service).hasSize(1);
        return found.get(0);
    }

    private List<Received> all(String service, String name) {
        return spans.stream()
                .filter(each -> each.service().equals(service) && each.name().equals(name))
                .toList();
    }

    @Test
    void bothEndsOfACopyAreOneTrace() {
        FdtServer server = at.server();
        Path tree = at.directory("tree");
        Trees.file(tree.resolve("large"), LARGE_BYTES, 1);
        Trees.file(tree.resolve("small"), 1000, 2);

        at.copy(tree, server.url("/in/")).expectExit(0);
        server.process().signal("TERM");
        server.process().await(Workplace.LIMIT).expectExit(0);

        Received copy = only("fdt-client", "copy");
        Received here = only("fdt-client", "session");
        Received there = only("fdt-server", "session");
        assertThat(spans)
                .extracting(each -> each.span().getTraceId())
                .containsOnly(copy.span().getTraceId());
        assertThat(copy.span().getParentSpanId()).isEqualTo(ByteString.EMPTY);
        assertThat(here.span().getParentSpanId()).isEqualTo(copy.span().getSpanId());
        assertThat(there.span().getParentSpanId()).isEqualTo(here.span().getSpanId());
        assertThat(there.span().getKind()).isEqualTo(SpanKind.SPAN_KIND_SERVER);
        assertThat(there.attribute("fdt.session")).isEqualTo(here.attribute("fdt.session"));
        for (Received session : List.of(here, there)) {
            Received file = only(session.service(), "file");
            assertThat(file.span().getParentSpanId()).isEqualTo(session.span().getSpanId());
            assertThat(file.attribute("fdt.path")).endsWith("large");
            assertThat(file.attribute("fdt.bytes")).isEqualTo(Integer.toString(LARGE_BYTES));
            assertThat(file.attribute("fdt.outcome")).isEqualTo("copied");
            assertThat(file.span().getEndTimeUnixNano())
                    .isGreaterThan(file.span().getStartTimeUnixNano());
            assertThat(session.attribute("fdt.outcome")).isEqualTo("ok");
        }
        assertThat(tokens).containsOnly("Bearer secret");
    }

    @Test
    void aRepeatedCopyIsOneTraceAndNamesTheCause() throws IOException {
        FdtServer server = at.serverThatComesBack();
        server.process().signal("KILL");
        server.process().await(Workplace.LIMIT);
        FdtProcess client = at.startCopy("--retry", "5m", Trees.file(at.path("f"), 1000, 1), server.url("/f"));
        client.awaitErrorLine(Workplace.LIMIT, line -> line.contains("attempt 1 failed"));
        at.rootlessServer("127.0.0.1:" + server.port(), server.root(), "--root", server.root());
        client.await(Workplace.LIMIT).expectExit(0);

        Received copy = only("fdt-client", "copy");
        List<Received> attempts = all("fdt-client", "session");
        assertThat(attempts)
                .hasSizeGreaterThan(1)
                .allSatisfy(attempt -> assertThat(attempt.span().getParentSpanId())
                        .isEqualTo(copy.span().getSpanId()));
        assertThat(copy.events()).containsOnly("retry").hasSize(attempts.size() - 1);
        assertThat(attempts.get(0).span().getStatus().getCode()).isEqualTo(StatusCode.STATUS_CODE_ERROR);
        assertThat(attempts.get(0).attribute("error.type")).isNotEmpty();
        assertThat(copy.span().getStatus().getCode()).isEqualTo(StatusCode.STATUS_CODE_UNSET);
    }

    @Test
    void aLostLaneIsAnEventOfItsSession() {
        FdtServer server = at.server();
        FaultProxy proxy = at.closing(FaultProxy.before(server.port())).throttle(16L << 20);
        proxy.script(new Fault.Cut(2, Way.TO_SERVER, 2 << 20, Ending.RESET));
        // The others must not move everything before this lane is cut.
        proxy.script(new Fault.Stall(1, Way.TO_SERVER, 4 << 20), new Fault.Stall(3, Way.TO_SERVER, 4 << 20));
        FdtProcess client = at.startCopy(
                "--log-json",
                "--chunk-size",
                "1MiB",
                "-P",
                3,
                Trees.file(at.path("f"), 40L << 20, 1),
                server.urlAt(proxy.port(), "/f"));
        Await.until("the lane is cut", Workplace.LIMIT, () -> proxy.isCut(2));
        // The other lanes must not move the rest before this lane is back.
        proxy.throttle(1 << 19);
        client.awaitErrorLine(Workplace.LIMIT, line -> line.contains("\"lane_reopened\""));
        proxy.throttle(0);
        proxy.resumeUntilEnd(client);
        client.await(Workplace.LIMIT).expectExit(0);
        assertThat(only("fdt-client", "session").events()).contains("lane lost", "lane reopened");
    }

    @Test
    void aReceiverThatIsDownIsOneWarning() throws IOException {
        try (Socket dead = FreePort.withoutListener()) {
            at.environment("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:" + dead.getLocalPort() + "/t");
            Outcome outcome = at.copy(Trees.file(at.path("f"), 1000, 1), at.path("g"));
            outcome.expectExit(0);
            assertThat(outcome.errText().split("cannot send traces to", -1)).hasSize(2);
        }
        assertThat(spans).isEmpty();
    }

    @Test
    void aReceiverWithoutASchemeIsRefused() {
        at.environment("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318");
        at.copy(Trees.file(at.path("f"), 1000, 1), at.path("g")).expectExit(2);
    }
}
