package io.fdt.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.SessionActivity.Kind;
import io.fdt.core.stats.Summary;
import io.fdt.core.transport.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What happened on a server shows the server's URL, and its session is one of the service that was requested. */
class PlaceOfFailureTest {
    @TempDir
    Path directory = Path.of("unset");

    @Test
    void aMissingSourceOfAPullIsAtTheServerAndFailsACopy() throws Exception {
        Path root = Files.createDirectory(directory.resolve("root"));
        Path target = Files.createDirectory(directory.resolve("target"));
        try (TestServer server = new TestServer(directory.resolve("home"), root)) {
            Summary summary = server.run(TestPlan.pull("/absent", target));

            Failure failure = Objects.requireNonNull(summary.failure());
            assertThat(failure.kind()).isEqualTo(FailureKind.SOURCE);
            assertThat(failure.place()).isEqualTo("fdt://127.0.0.1:" + server.port());
            Await.until("the session has ended", () -> !server.ended.isEmpty());
            assertThat(server.opened)
                    .singleElement()
                    .extracting(session -> session.state().kind())
                    .isEqualTo(new Kind(SessionActivity.Service.COPY, SessionActivity.Direction.OUT));
            assertThat(Objects.requireNonNull(server.ended.element().failure()).place())
                    .isEqualTo(Failure.HERE);
        }
    }

    /** Refused before there is a session. */
    @Test
    void aRefusalOfASessionIsAtTheServer() throws Exception {
        Path root = Files.createDirectory(directory.resolve("root"));
        Path target = Files.createDirectory(directory.resolve("target"));
        try (TestServer server = new TestServer(directory.resolve("home"), root)) {
            Summary summary = server.run(TestPlan.pull("/", target).clearLanes());

            Failure failure = Objects.requireNonNull(summary.failure());
            assertThat(failure.kind()).isEqualTo(FailureKind.REFUSED);
            assertThat(failure.place()).isEqualTo("fdt://127.0.0.1:" + server.port());
        }
    }
}
