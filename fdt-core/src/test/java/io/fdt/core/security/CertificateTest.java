package io.fdt.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server with a certificate of an authority, clients that trust the authority, and clients that pin the server. */
final class CertificateTest {
    private static final Identity IDENTITY = Identity.create();
    private static final TestAuthority AUTHORITY = TestAuthority.named("authority");
    private static final int ROUNDS = 20;

    @TempDir
    Path directory;

    private volatile @Nullable ServerCertificate shown;
    private final TlsContext server = TlsContext.server(IDENTITY, () -> shown);
    private Path authorities = Path.of("");

    @BeforeEach
    void writeAuthority() {
        authorities = AUTHORITY.write(directory.resolve("ca.pem"));
    }

    private void serverHas(TestAuthority.Issued issued) {
        shown = issued.read(directory);
    }

    private void connect(String host) throws SSLException {
        connect(new TokenAccess(BearerToken.ofVariable("t"), host, authorities));
    }

    private void connect(Credential credential) throws SSLException {
        ByteBuf toServer = Unpooled.directBuffer();
        ByteBuf toClient = Unpooled.directBuffer();
        Tls accepting = server.newTls(UnpooledByteBufAllocator.DEFAULT);
        Tls connecting = TlsContext.client(credential).newTls(UnpooledByteBufAllocator.DEFAULT);
        try {
            boolean clientIsReady = false;
            boolean serverIsReady = false;
            for (int round = 0; round < ROUNDS && !(clientIsReady && serverIsReady); round++) {
                clientIsReady = clientIsReady || connecting.handshake(toClient, into(toServer));
                serverIsReady = serverIsReady || accepting.handshake(toServer, into(toClient));
            }
            assertThat(clientIsReady && serverIsReady).isTrue();
        } finally {
            accepting.release();
            connecting.release();
            toServer.release();
            toClient.release();
        }
    }

    private static Consumer<ByteBuf> into(ByteBuf queue) {
        return packet -> {
            queue.writeBytes(packet);
            packet.release();
        };
    }

    private AbstractThrowableAssert<?, ?> assertDistrusts(String host) {
        return assertThatThrownBy(() -> connect(host))
                .isInstanceOf(SSLException.class)
                .cause()
                .isInstanceOf(UntrustedCertificateException.class);
    }

    @Test
    void oneServerServesBothKindsOfClients() throws SSLException {
        serverHas(AUTHORITY.issue("dtn1.example.org"));
        connect("dtn1.example.org");
        connect(new ServerAccess(IDENTITY.fingerprint(), "0123456789abcdef", Secret.random()));
        connect("DTN1.Example.org.");
    }

    @Test
    void acceptsAnAuthorityBetween() throws SSLException {
        TestAuthority between = AUTHORITY.intermediate("between");
        serverHas(between.issue("dtn1.example.org").with(between));
        connect("dtn1.example.org");
        serverHas(between.issue("dtn1.example.org"));
        assertDistrusts("dtn1.example.org").hasMessageContaining("not from a trusted authority");
    }

    @Test
    void acceptsAnAddressOfTheCertificate() throws SSLException {
        serverHas(AUTHORITY.issue("ip:127.0.0.1", "ip:2001:db8::1"));
        connect("127.0.0.1");
        connect("2001:db8:0::1");
        assertDistrusts("127.0.0.2").hasMessageContaining("is for 127.0.0.1, ");
        assertDistrusts("localhost");
    }

    @Test
    void aNameThatLooksLikeAnAddressIsNone() {
        serverHas(AUTHORITY.issue("127.0.0.1"));
        assertDistrusts("127.0.0.1").hasMessageContaining("and not for 127.0.0.1");
    }

    @ParameterizedTest
    @CsvSource({
        "dtn.example.org, dtn.example.org, true",
        "dtn.example.org, DTN.EXAMPLE.ORG., true",
        "dtn.example.org, dtn.example.org.evil.org, false",
        "dtn.example.org, xdtn.example.org, false",
        "*.example.org, dtn.example.org, true",
        "*.example.org, a.dtn.example.org, false",
        "*.example.org, example.org, false",
        "*.example.org, .example.org, false",
        "*.org, example.org, false",
        "*, dtn, false",
        "d*.example.org, dtn.example.org, false",
        "*.*.example.org, a.b.example.org, false",
    })
    void coversNames(String pattern, String name, boolean covered) {
        assertThat(CertifiedServer.covers(pattern, name)).isEqualTo(covered);
    }

    @Test
    void refusesAnotherName() {
        serverHas(AUTHORITY.issue("dtn2.example.org"));
        assertDistrusts("dtn1.example.org")
                .hasMessage("its certificate is for dtn2.example.org and not for dtn1.example.org");
    }

    @Test
    void refusesAnotherAuthority() {
        serverHas(TestAuthority.named("other").issue("dtn1.example.org"));
        assertDistrusts("dtn1.example.org")
                .hasMessage("its certificate, for dtn1.example.org, is not from a trusted authority");
    }

    /** The same name, but another key. */
    @Test
    void refusesAnAuthorityThatOnlyHasTheName() {
        serverHas(TestAuthority.named("authority").issue("dtn1.example.org"));
        assertDistrusts("dtn1.example.org").hasMessageContaining("not from a trusted authority");
    }

    /** A server's certificate must not certify others. */
    @Test
    void refusesAServerAsAuthority() throws IOException {
        Files.writeString(authorities, AUTHORITY.issue("dtn1.example.org").chain());
        serverHas(AUTHORITY.issue("dtn1.example.org"));
        assertDistrusts("dtn1.example.org").hasMessageContaining("not from a trusted authority");
    }

    @Test
    void refusesACertificateOutsideOfItsTime() {
        serverHas(AUTHORITY.issueExpired("dtn1.example.org"));
        assertDistrusts("dtn1.example.org").hasMessageContaining("expired at ");
        serverHas(AUTHORITY.issueForLater("dtn1.example.org"));
        assertDistrusts("dtn1.example.org").hasMessageContaining("is not valid before ");
    }

    /** Without a certificate of its own authority a server shows its own identity. */
    @Test
    void refusesTheSelfSignedIdentity() {
        assertDistrusts("dtn1.example.org").hasMessageContaining("for no name, is not from a trusted authority");
        serverHas(AUTHORITY.issue("dtn1.example.org"));
        shown = null;
        assertDistrusts("dtn1.example.org").hasMessageContaining("for no name");
    }

    @Test
    void aClientThatPinsTheServerDoesNotAcceptItsCertificate() throws IOException {
        TestAuthority.Issued issued = AUTHORITY.issue("dtn1.example.org");
        serverHas(issued);
        assertThatThrownBy(() ->
                        connect(new ServerAccess(Identity.create().fingerprint(), "0123456789abcdef", Secret.random())))
                .cause()
                .isInstanceOf(WrongIdentityException.class);
    }

    @Test
    void showsARenewedCertificate() throws SSLException {
        serverHas(AUTHORITY.issueExpired("dtn1.example.org"));
        assertDistrusts("dtn1.example.org");
        serverHas(AUTHORITY.issue("dtn1.example.org"));
        connect("dtn1.example.org");
    }

    @Test
    void readsADirectoryOfAuthorities() throws IOException {
        Path all = Files.createDirectory(directory.resolve("all"));
        TestAuthority.named("other").write(all.resolve("other.pem"));
        AUTHORITY.write(all.resolve("own.crt"));
        Files.writeString(all.resolve("own.signing_policy"), "no certificate");
        authorities = all;
        serverHas(AUTHORITY.issue("dtn1.example.org"));
        connect("dtn1.example.org");
    }

    @Test
    void reportsAuthoritiesThatCannotBeRead() throws IOException {
        authorities = directory.resolve("missing.pem");
        assertUsage(() -> connect("dtn1"), "missing.pem");
        authorities = Files.writeString(directory.resolve("empty.pem"), "");
        assertUsage(() -> connect("dtn1"), "empty.pem contains no certificate");
        authorities = Files.writeString(directory.resolve("key.txt"), "-----BEGIN X-----");
        assertUsage(() -> connect("dtn1"), "key.txt");
    }

    @Test
    void refusesFilesThatDoNotBelongTogether() throws IOException {
        TestAuthority.Issued one = AUTHORITY.issue("dtn1");
        TestAuthority.Issued other = AUTHORITY.issue("dtn1");
        assertUsage(() -> new TestAuthority.Issued(one.chain(), other.key()).read(directory), "is not the private key");
        assertUsage(() -> new TestAuthority.Issued(one.chain(), "nothing").read(directory), "is not the private key");
        assertUsage(() -> new TestAuthority.Issued("nothing", one.key()).read(directory), "contains no certificate");
        assertUsage(
                () -> ServerCertificate.read(directory.resolve("none"), directory.resolve("key.pem")), "cannot read");
        one.write(directory.resolve("chain.pem"), directory.resolve("key.pem"));
        Files.setPosixFilePermissions(directory.resolve("key.pem"), PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> ServerCertificate.read(directory.resolve("chain.pem"), directory.resolve("key.pem")))
                .hasMessageContaining("other users can access it")
                .hasMessageNotContaining("BEGIN");
    }

    private static void assertUsage(ThrowingCallable call, @Nullable String text) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        TransferException.class,
                        e -> assertThat(e.failure().cause()).isEqualTo(Cause.USAGE))
                .hasMessageContaining(text);
    }
}
