package io.fdt.core.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.fdt.core.security.TestAuthority;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;

/** What users read of receivers and issuers whose certificates Java refuses, from real handshakes. */
final class TlsReasonTest {
    private final TestAuthority ours = TestAuthority.named("ours");

    private static String reason(TestAuthority.Issued presented, SSLContext client) throws Exception {
        HttpsServer server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
        server.setHttpsConfigurator(new HttpsConfigurator(presented.context()));
        server.start();
        try {
            URI url = URI.create("https://127.0.0.1:" + server.getAddress().getPort() + "/");
            HttpsURLConnection connection = (HttpsURLConnection) url.toURL().openConnection();
            connection.setReadTimeout(60_000);
            connection.setSSLSocketFactory(client.getSocketFactory());
            IOException failure = catchThrowableOfType(IOException.class, connection::connect);
            String reason = TransferException.reason(failure);
            assertThat(TransferException.reason(new UncheckedIOException(failure)))
                    .isEqualTo(reason);
            return reason;
        } finally {
            server.stop(0);
        }
    }

    @Test
    void anAuthorityThatNobodyTrusts() throws Exception {
        assertThat(reason(
                        ours.issue("ip:127.0.0.1"),
                        TestAuthority.named("another").trusting()))
                .startsWith("its certificate is from an authority that Java does not trust")
                .contains("keytool -importcert", "JDK_JAVA_OPTIONS")
                .doesNotContain("PKIX");
    }

    @Test
    void aCertificateOfAnotherHost() throws Exception {
        assertThat(reason(ours.issue("ip:127.0.0.2", "dtn1"), ours.trusting()))
                .startsWith("its certificate is for another host");
    }

    @Test
    void aCertificateOutOfItsTime() throws Exception {
        assertThat(reason(ours.issueExpired("ip:127.0.0.1"), ours.trusting())).isEqualTo("its certificate has expired");
        assertThat(reason(ours.issueForLater("ip:127.0.0.1"), ours.trusting()))
                .isEqualTo("its certificate is not valid yet; check the clocks of both hosts");
    }
}
