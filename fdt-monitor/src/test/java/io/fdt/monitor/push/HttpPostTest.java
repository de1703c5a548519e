package io.fdt.monitor.push;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class HttpPostTest {
    private static final int MORE_THAN_ITS_BUFFERS = 64 << 20;

    /** The kernel accepts the connection and the first megabytes, and nothing reads them. */
    @Test
    @Timeout(120)
    void aReceiverThatStopsReadingEndsTheRequest() throws IOException {
        try (ServerSocket hung = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            URI receiver = URI.create("http://127.0.0.1:" + hung.getLocalPort() + "/");
            assertThatThrownBy(() -> HttpPost.send(receiver, Map.of(), new byte[MORE_THAN_ITS_BUFFERS], 500))
                    .isInstanceOf(IOException.class);
        }
    }
}
