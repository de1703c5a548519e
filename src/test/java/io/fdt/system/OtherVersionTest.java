package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A peer with another version is distinguished from garbage. Every connection begins with eight bytes, which are public
 * and never change: 0xfd, f, d, t, the version, the type of the connection (in a response: 1 for welcome, 2 for another
 * version), two zeros.
 */
final class OtherVersionTest {
    private static final byte OTHER = 99;

    @RegisterExtension
    final Workplace at = new Workplace();

    private static byte[] preamble(byte version, int code) {
        return new byte[] {(byte) 0xfd, 'f', 'd', 't', version, (byte) code, 0, 0};
    }

    @Test
    void serverOfAnotherVersionEndsWithExitCode12() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            Thread thread = new Thread(() -> answerAs(server, preamble(OTHER, 2)), "other-version");
            thread.setDaemon(true);
            thread.start();
            Path source = Trees.file(at.path("f"), 10, 1);
            Outcome outcome = at.copy(source, "fdt://127.0.0.1:" + server.getLocalPort() + "/f")
                    .expectExit(12);
            assertThat(outcome.errText()).contains("version").contains(Byte.toString(OTHER));
            assertThat(outcome.err()).hasSize(1);
        }
    }

    private static void answerAs(ServerSocket server, byte[] answer) {
        while (!server.isClosed()) {
            try (Socket client = server.accept()) {
                client.getInputStream().readNBytes(8);
                client.getOutputStream().write(answer);
                client.shutdownOutput();
                client.getInputStream().readAllBytes();
            } catch (IOException e) {
                // The client disconnected, or the test is over.
            }
        }
    }

    @Test
    void clientOfAnotherVersionIsRefusedAndTheServerContinues() throws Exception {
        FdtServer server = at.server();
        byte[] answer;
        try (Socket socket = new Socket(InetAddress.getByName(server.host()), server.port())) {
            socket.setSoTimeout(Await.LIMIT_MS);
            socket.getOutputStream().write(preamble(OTHER, 1));
            answer = socket.getInputStream().readAllBytes();
        }
        assertThat(answer).hasSize(8).startsWith(0xfd, 'f', 'd', 't');
        assertThat(answer[4]).as("its own version").isNotEqualTo(OTHER);
        assertThat(answer[5]).as("another version").isEqualTo((byte) 2);
        Path source = Trees.file(at.path("f"), 10, 1);
        at.copy(source, server.url("/f")).expectExit(0);
    }

    @Test
    void listenerOfAnotherProtocolIsReported() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            byte[] http = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
            Thread thread = new Thread(() -> answerAs(server, http), "http");
            thread.setDaemon(true);
            thread.start();
            Path source = Trees.file(at.path("f"), 10, 1);
            Outcome outcome = at.copy(source, "fdt://127.0.0.1:" + server.getLocalPort() + "/f");
            outcome.expectExit(8);
            assertThat(outcome.err()).hasSize(1);
        }
    }
}
