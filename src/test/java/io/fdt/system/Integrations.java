package io.fdt.system;

import io.fdt.core.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The packages for other programs, as those run them. The program {@code fdt} that they start is a batch in this
 * process, which saves the start of a JVM each time, or a process through a script.
 */
final class Integrations {
    private static final Path PACKAGES = Recipe.readme().resolveSibling("integrations");
    private static final Path DEBIANS_PYTHON = Path.of("/usr/bin/python3");

    /** Passes its streams through a connection. */
    private static final String RELAY = """
            #!/usr/bin/python3 -SE
            import os, socket, threading
            end = socket.create_connection(("127.0.0.1", %d))
            def send():
                for data in iter(lambda: os.read(0, 65536), b""):
                    end.sendall(data)
                end.shutdown(socket.SHUT_WR)
            threading.Thread(target=send, daemon=True).start()
            for data in iter(lambda: end.recv(65536), b""):
                os.write(1, data)
            """;

    private final Workplace at;
    private final Map<String, Object> ofGfal2;

    /** @param ofGfal2 the environment that {@link #buildGfal2} returned */
    Integrations(Workplace at, Map<String, Object> ofGfal2) {
        this.at = at;
        this.ofGfal2 = ofGfal2;
    }

    /** The Python of the tests, which has the other programs' packages. */
    static Path python() {
        Path python = Recipe.readme().resolveSibling("target/test-python/bin/python3");
        if (!Files.isExecutable(python)) {
            throw new AssertionError("no " + python + "; scripts/test installs it");
        }
        return python;
    }

    /** Builds the plug-in of gfal2 in an empty directory. */
    static Map<String, Object> buildGfal2(Path directory) {
        return Json.object(Shell.ok(DEBIANS_PYTHON, PACKAGES.resolve("gfal2/tests/installed.py"), directory));
    }

    /** Returns the fields of the exception of Python's client; empty if the copy succeeds. */
    Map<String, Object> python(List<String> options, String source, String target, @Nullable String script) {
        List<String> words = new ArrayList<>(List.of("python", source, target));
        words.addAll(options);
        return ask(python(), "python", words, script);
    }

    /** Returns the ad in the TransferErrorData of HTCondor's plug-in; empty if the copy succeeds. */
    Map<String, Object> condor(String source, String target, @Nullable String script) {
        return ask(python(), "python", List.of("htcondor", source, target), script);
    }

    /** Returns the errno by its name, and the message of gfal2; empty if the copy succeeds. */
    Map<String, Object> gfal2(String source, String target, @Nullable String script) {
        return ask(DEBIANS_PYTHON, "gfal2", List.of(source, target), script);
    }

    private Map<String, Object> ask(Path python, String integration, List<String> words, @Nullable String script) {
        at.environment("PYTHONPATH", PACKAGES.resolve("python/src").toString());
        at.environment("PYTHONDONTWRITEBYTECODE", "1");
        ofGfal2.forEach((name, value) -> at.environment(name, value.toString()));
        List<String> command = new ArrayList<>(List.of(
                "env",
                "PATH=" + at.directory("bin") + ":" + System.getenv("PATH"),
                python.toString(),
                PACKAGES.resolve(integration).resolve("tests/ask.py").toString()));
        command.addAll(words);
        Outcome ended;
        FutureTask<@Nullable Void> serving;
        try (ServerSocket batches = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            program(script == null ? RELAY.formatted(batches.getLocalPort()) : through(script));
            serving = new FutureTask<>(() -> serve(batches));
            new Thread(serving, "batches").start();
            FdtProcess.Setup setup = at.setup(integration);
            ended = at.track(FdtProcess.start(
                            new FdtProcess.Setup(integration, command, setup.environment(), setup.directory())))
                    .await(Workplace.LIMIT)
                    .expectExit(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        try {
            serving.get(Workplace.LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError("the batches of " + integration, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
        return ended.out().equals(List.of("null")) ? Map.of() : ended.json().get(0);
    }

    /** Runs a batch for each connection until the socket is closed. */
    private @Nullable Void serve(ServerSocket batches) throws IOException {
        while (true) {
            Socket connection;
            try {
                connection = batches.accept();
            } catch (SocketException closed) {
                return null;
            }
            try (connection) {
                ByteArrayOutputStream err = new ByteArrayOutputStream();
                at.run(List.of("batch"), connection.getInputStream(), connection.getOutputStream(), err);
            }
        }
    }

    private String through(String script) {
        StringBuilder line = new StringBuilder("#!/bin/bash\nexec");
        for (String word : at.setupThroughBash("batch", script).command()) {
            line.append(" '").append(word.replace("'", "'\\''")).append('\'');
        }
        return line + " \"$@\"\n";
    }

    private void program(String content) throws IOException {
        Path program = at.path("bin/fdt");
        Files.write(program, content.getBytes(StandardCharsets.UTF_8));
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
