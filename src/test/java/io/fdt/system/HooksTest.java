package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.Json;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Commands of the user that run when a copy or a session has ended. */
final class HooksTest {
    @RegisterExtension
    final Workplace work = new Workplace();

    @Test
    void receiveTheResultOnStandardInputAndInterpretNoName() throws IOException {
        Path session = work.path("session.json");
        Path copy = work.path("copy.json");
        Path spoiled = work.path("spoiled");
        Path source = Files.createDirectory(work.path("source"));
        Files.writeString(source.resolve("$(touch spoiled)`touch spoiled`;touch spoiled"), "x");
        FdtServer server = work.server("--on-session", "tee " + session);

        work.copy("--on-complete", "tee " + copy, source + "/", server.url("/")).expectExit(0);

        assertThat(Json.object(Files.readString(copy).strip()))
                .containsEntry("type", "summary")
                .containsEntry("outcome", "ok")
                .containsEntry("exit_code", 0L)
                .containsEntry("files", 1L);
        Await.until(
                "the command of the session",
                Workplace.LIMIT,
                () -> text(session).endsWith("\n"));
        assertThat(Json.object(text(session).strip()))
                .containsEntry("type", "session_end")
                .containsEntry("outcome", "ok")
                .containsKeys("key", "peer", "session");
        assertThat(spoiled).doesNotExist();
    }

    @Test
    void aCommandThatFailsIsAWarningAndTheExitCodeIsThatOfTheCopy() throws IOException {
        FdtServer server = work.server();
        Path source = Files.writeString(work.path("one"), "x");
        Outcome failing = work.copy("--on-complete", "false", source, server.url("/dev/null"))
                .expectExit(0);
        assertThat(failing.errText()).contains("the hook false ended with exit code 1");
        Outcome missing = work.copy("--on-complete", "/absent/program", source, server.url("/dev/null"))
                .expectExit(0);
        assertThat(missing.errText()).contains("cannot start the hook /absent/program");
        Path copy = work.path("failed.json");
        work.copy("--on-complete", "tee " + copy, work.path("absent"), server.url("/dev/null"))
                .expectExit(4);
        assertThat(Json.object(text(copy).strip())).containsEntry("outcome", "failed");
    }

    private static String text(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
