package io.fdt.core.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.netty.channel.ChannelException;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.unix.Errors;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What users read when a connection fails: messages of the system and of TLS, and no names from the code. */
final class FailuresTest {
    private static final int EMFILE = 24;
    private static final int ECONNRESET = 104;

    static Stream<Arguments> failures() {
        return Stream.of(
                Arguments.of(new IOException("Connection reset"), "Connection reset"),
                Arguments.of(new IOException("Broken pipe"), "Broken pipe"),
                Arguments.of(new ClosedChannelException(), "it was closed"),
                Arguments.of(new IOException(new ClosedChannelException()), "it was closed"),
                Arguments.of(new NoRouteToHostException(), "no route to host"),
                Arguments.of(annotated(new NoRouteToHostException()), "no route to host"),
                Arguments.of(new SSLException("it does not speak TLS"), "it does not speak TLS"),
                Arguments.of(new SSLException((String) null), "TLS failed"),
                Arguments.of(
                        new SSLHandshakeException("Received fatal alert: bad_certificate"),
                        "Received fatal alert: bad_certificate"),
                Arguments.of(
                        new IOException(new SSLHandshakeException("Remote host terminated the handshake")),
                        "Remote host terminated the handshake"),
                Arguments.of(
                        new SSLException("error:1e000065:Cipher functions:OPENSSL_internal:BAD_DECRYPT"),
                        "bad decrypt"),
                Arguments.of(
                        new SSLException("sun.security.validator.ValidatorException: PKIX path building failed"),
                        "PKIX path building failed"),
                Arguments.of(new ChannelException(new EOFException()), "no reason given"),
                Arguments.of(new IOException("two\r\nlines"), "two lines"));
    }

    private static Throwable annotated(Throwable cause) {
        // Netty does this for an attempt to connect.
        return new IOException(cause.getMessage() + ": /10.0.0.1:27321", cause);
    }

    static Stream<Arguments> cuts() {
        return Stream.of(
                Arguments.of(new IOException("Connection reset by peer"), true),
                Arguments.of(new SocketException("Connection reset"), true),
                Arguments.of(new ClosedChannelException(), true),
                Arguments.of(new SSLHandshakeException("Received fatal alert: bad_certificate"), false),
                Arguments.of(new ConnectException("Connection refused"), false),
                Arguments.of(new SocketException("Network is unreachable"), false),
                Arguments.of(new NoRouteToHostException(), false),
                Arguments.of(new IOException("Cannot assign requested address"), false));
    }

    /** Only a cut connection is retried. */
    @ParameterizedTest
    @MethodSource("cuts")
    void recognizesLostConnection(Throwable failure, boolean cut) {
        assertThat(Failures.isCut(failure)).isEqualTo(cut);
    }

    static Stream<Arguments> causes() {
        NettyEpoll.load();
        return Stream.of(
                Arguments.of(new ConnectException("Connection refused"), Cause.REFUSED_CONNECTION),
                Arguments.of(new NoRouteToHostException("No route to host"), Cause.NO_ROUTE),
                Arguments.of(new SocketException("Network is unreachable"), Cause.NO_ROUTE),
                Arguments.of(new ConnectTimeoutException("connection timed out"), Cause.NO_ANSWER),
                Arguments.of(new ConnectException("Connection timed out"), Cause.NO_ANSWER),
                Arguments.of(Errors.newIOException("recvAddress", -ECONNRESET), Cause.CONNECTION_LOST),
                Arguments.of(Errors.newIOException("socket", -EMFILE), Cause.HOST_LIMIT),
                Arguments.of(new SSLHandshakeException("no certificate"), Cause.OTHER_SERVER),
                Arguments.of(new SocketException("something else"), Cause.CANNOT_CONNECT));
    }

    @ParameterizedTest
    @MethodSource("causes")
    void tellsCausesApart(Throwable failure, Cause cause) {
        assertThat(Failures.connecting("dtn2:27321", null, failure, 1_000)
                        .failure()
                        .cause())
                .isEqualTo(cause);
    }

    @ParameterizedTest
    @MethodSource("failures")
    void describesFailuresInWords(Throwable failure, String words) {
        assertThat(Failures.reason(failure)).isEqualTo(words);
    }

    /** The names of the calls are those that epoll reports. */
    @ParameterizedTest
    @ValueSource(strings = {"writevAddresses", "recvAddress", "syscall:read"})
    void describesSystemCallsByResult(String call) {
        NettyEpoll.load();
        IOException reset = Errors.newIOException(call, -ECONNRESET);
        assertThat(reset).hasMessageContaining("(..)");
        assertThat(Failures.reason(reset)).isEqualTo("Connection reset by peer");
        TransferException lost = Failures.lost("dtn2:27321", new ChannelException(reset));
        assertThat(lost).hasMessage("lost the connection to dtn2:27321: Connection reset by peer");
        assertThat(lost.kind()).isEqualTo(FailureKind.CONNECTION_LOST);
    }
}
