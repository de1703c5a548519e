package io.fdt.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.fdt.core.basic.Right;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Identities and keys in the home directory: private to their owner, whole or absent, and stable. */
final class SecurityFilesTest {
    @TempDir
    Path temporary;

    private Path home() {
        return temporary.resolve("config").resolve("fdt");
    }

    private static void assertKind(org.assertj.core.api.ThrowableAssert.ThrowingCallable call, FailureKind kind) {
        assertThatThrownBy(call)
                .asInstanceOf(type(TransferException.class))
                .extracting(TransferException::kind)
                .isEqualTo(kind);
    }

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void anIdentityIsMadeOnceAndKept() throws Exception {
        assertThat(Identity.load(home())).isNull();
        Identity made = Identity.loadOrCreate(home());
        Identity loaded = Identity.loadOrCreate(home());
        assertThat(loaded.fingerprint()).isEqualTo(made.fingerprint());
        assertThat(loaded.fingerprint().toString()).matches("sha256:[0-9a-f]{64}");
        X509Certificate certificate = (X509Certificate) CertificateFactory.getInstance("X.509")
                .generateCertificate(
                        new ByteArrayInputStream(made.certificatePem().getBytes(StandardCharsets.US_ASCII)));
        certificate.verify(certificate.getPublicKey());
        certificate.checkValidity();
        assertThat(Identity.create().fingerprint()).isNotEqualTo(made.fingerprint());
    }

    @Test
    void filesAreReadableByTheirUserOnly() throws IOException {
        Identity.loadOrCreate(home());
        KeyStore keys = new KeyStore(home());
        keys.createDefaultOnce();
        new KnownServers(home())
                .remember("*", new ServerAccess(Identity.create().fingerprint(), "0123456789abcdef", Secret.random()));
        assertThat(permissions(home())).isEqualTo("rwx------");
        try (Stream<Path> files = Files.list(home())) {
            List<Path> all = files.toList();
            assertThat(all).hasSizeGreaterThanOrEqualTo(3);
            for (Path file : all) {
                assertThat(permissions(file)).as(file.toString()).isEqualTo("rw-------");
                assertThat(file.getFileName().toString()).doesNotStartWith(".");
            }
        }
    }

    @Test
    void aSecretThatOthersCanReadIsRefused() throws IOException {
        Identity.loadOrCreate(home());
        Path file = home().resolve("identity.pem");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        assertKind(() -> Identity.loadOrCreate(home()), FailureKind.REFUSED);
    }

    /** A user who can write to the directory can replace this key by another one. */
    @ParameterizedTest
    @CsvSource({"rwxrwx---, true", "rwx---rwx, true", "rwxr-xr-x, false"})
    void aSecretThatOthersCanReplaceIsRefused(String mode, boolean refused) throws IOException {
        Identity.loadOrCreate(home());
        Files.setPosixFilePermissions(home(), PosixFilePermissions.fromString(mode));
        if (refused) {
            assertThatThrownBy(() -> Identity.loadOrCreate(home()))
                    .isInstanceOfSatisfying(
                            TransferException.class,
                            why -> assertThat(why.kind()).isEqualTo(FailureKind.REFUSED))
                    .extracting(
                            failure -> ((TransferException) failure).failure().textWithRemedy())
                    .asString()
                    .contains("run chmod go-w " + home());
        } else {
            assertThat(Identity.loadOrCreate(home())).isNotNull();
        }
    }

    /** Kubernetes mounts a Secret like this. */
    @Test
    void acceptsASecretInAStickyDirectory() throws IOException {
        Identity.loadOrCreate(home());
        Files.setAttribute(home(), "unix:mode", 01777);
        assertThat(Identity.loadOrCreate(home())).isNotNull();
    }

    @ParameterizedTest
    @CsvSource({"1000, 1000, true", "0, 1000, true", "65534, 1000, true", "1001, 1000, false", "1001, 0, true"})
    void aSecretOfAnotherUserIsRefused(int owner, int user, boolean taken) {
        assertThat(HomeFile.mayOwn(owner, user)).isEqualTo(taken);
    }

    @Test
    void serversThatStartAtOnceShareOneIdentityAndOneKey() throws Exception {
        int servers = 8;
        ExecutorService pool = Executors.newFixedThreadPool(servers);
        try {
            List<Callable<ServerAccess>> starts = new ArrayList<>();
            for (int index = 0; index < servers; index++) {
                starts.add(() -> {
                    Identity identity = Identity.loadOrCreate(home());
                    KeyStore keys = new KeyStore(home());
                    keys.createDefaultOnce();
                    IssuedKey key = keys.defaultKey();
                    assertThat(key).isNotNull();
                    return ServerAccess.of(identity, key);
                });
            }
            Set<ServerAccess> seen = new HashSet<>();
            for (Future<ServerAccess> access : pool.invokeAll(starts)) {
                seen.add(access.get());
            }
            assertThat(seen).hasSize(1);
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void aDamagedIdentityIsNamedAndNotQuoted() throws IOException {
        Identity.loadOrCreate(home());
        Path file = home().resolve("identity.pem");
        String text = Files.readString(file);
        String titlesInOne = text.replaceFirst("KEY-----\n", "KEY-----END PRIVATE KEY-----\n");
        for (String damaged :
                List.of("", text.substring(0, 120), text.replace('A', 'B'), text.substring(300), titlesInOne)) {
            Files.writeString(file, damaged);
            assertThatThrownBy(() -> Identity.loadOrCreate(home()))
                    .isInstanceOf(TransferException.class)
                    .hasMessageContaining("identity.pem is damaged")
                    .hasNoCause();
        }
    }

    @Test
    void aClientRecognizesACutIdentityOfItsOwnServer() throws IOException {
        Fingerprint known = Identity.loadOrCreate(home()).fingerprint();
        assertThat(Identity.fingerprintIn(home())).isEqualTo(known);

        Path file = home().resolve("identity.pem");
        String text = Files.readString(file);
        int lastLine = text.indexOf("-----END CERTIFICATE");
        String shortened = text.substring(0, lastLine - 8) + text.substring(lastLine);
        for (String damaged : List.of("", text.substring(0, 120), shortened)) {
            Files.writeString(file, damaged);
            assertThatThrownBy(() -> Identity.fingerprintIn(home()))
                    .isInstanceOf(TransferException.class)
                    .hasMessageContaining("identity.pem is damaged");
        }
    }

    @Test
    void aKeyIsKeptWithItsLimitsAndReplacedOnRequest() {
        KeyStore keys = new KeyStore(home());
        KeyLimits limits = new KeyLimits(5_000_000_000L, 1L << 40, 3);
        AccessKey made = keys.create(
                        "k", new Permission(EnumSet.of(Right.WRITE, Right.DELETE), false, List.of("/d"), limits), null)
                .key();
        assertThat(new KeyStore(home()).byIds().get(made.id())).isEqualTo(made);
        AccessKey next = keys.create("k", Permission.READ_WRITE, null, true).key();
        assertThat(keys.list()).containsExactly(next);
        assertThat(next.permission().limits()).isEqualTo(KeyLimits.NONE);
        assertThat(KeyStore.objectionTo(made, keys.byIds(), KeyStore.now()).cause())
                .isEqualTo(Cause.REVOKED);
        assertKind(() -> keys.create("k", Permission.READ_WRITE, null), FailureKind.USAGE);
        assertThat(keys.list()).as("a refusal changes nothing").containsExactly(next);
    }

    /** Otherwise no key could be listed, used or revoked afterwards. */
    @Test
    void aKeyThatWouldMakeTheFileTooLongIsRefused() {
        KeyStore keys = new KeyStore(home());
        keys.createDefaultOnce();
        IssuedKey known = keys.defaultKey();
        Permission large = new Permission(
                EnumSet.of(Right.READ), false, Collections.nCopies(600, "/" + "d".repeat(4000)), KeyLimits.NONE);
        AccessKey first = keys.create("first", large, null).key();

        assertKind(() -> keys.create("second", large, null), FailureKind.USAGE);
        assertKind(() -> keys.create("default", large, null, true), FailureKind.USAGE);
        assertKind(() -> keys.create("default", large, null, true), FailureKind.USAGE);

        assertThat(keys.list()).extracting(AccessKey::name).containsExactly("default", "first");
        assertThat(keys.defaultKey()).as("its secret is kept").isEqualTo(known);
        assertThat(keys.revoke(first.id())).isTrue();
        assertThat(keys.create("second", large, null)).isNotNull();
    }

    @Test
    void keysAreKeptListedFoundAndRevoked() {
        KeyStore keys = new KeyStore(home());
        assertThat(keys.list()).isEmpty();
        keys.createDefaultOnce();
        Instant expires = Instant.parse("2030-01-02T03:04:05Z");
        AccessKey made = keys.create(
                        "Zoë's reader = 1", Permission.READ_ONLY.within(List.of("/data/a b", "/ö")), expires)
                .key();
        AccessKey read = new KeyStore(home()).byIds().get(made.id());
        assertThat(read).isEqualTo(made);
        assertThat(read.permission().rights()).containsExactly(Right.LIST, Right.READ);
        assertThat(read.permission().roots()).containsExactly("/data/a b", "/ö");
        assertThat(read.isExpired(expires)).isTrue();
        assertThat(read.isExpired(expires.minus(Duration.ofSeconds(1)))).isFalse();
        assertThat(keys.list()).extracting(AccessKey::name).containsExactly("default", "Zoë's reader = 1");
        assertKind(() -> keys.create("default", Permission.READ_WRITE, null), FailureKind.USAGE);
        assertKind(() -> keys.create(" ", Permission.READ_WRITE, null), FailureKind.USAGE);
        assertThat(keys.revoke("default")).isTrue();
        assertThat(keys.revoke("default")).isFalse();
        assertThat(keys.revoke(made.id())).isTrue();
        assertThat(keys.list()).isEmpty();
        keys.createDefaultOnce();
        assertThat(keys.list()).as("a revoked key does not come back").isEmpty();
    }

    @Test
    void keysThatAreMadeAtOnceAreAllKept() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        try {
            List<Callable<IssuedKey>> makers = new ArrayList<>();
            for (int index = 0; index < 20; index++) {
                String name = "key " + index;
                makers.add(() -> new KeyStore(home()).create(name, Permission.READ_WRITE, null));
            }
            for (Future<IssuedKey> made : pool.invokeAll(makers)) {
                assertThat(made.get()).isNotNull();
            }
        } finally {
            pool.shutdownNow();
        }
        assertThat(new KeyStore(home()).list()).hasSize(20);
    }

    /** A misspelled limit must not be dropped: the key would reach everything. */
    @ParameterizedTest
    @ValueSource(strings = {"roots=%2Fx", "Root=%2Fx", "acess=read-only", "rate=1 rate=2", "root"})
    void aKeyWithAFieldThatIsNotKnownIsRefused(String field) throws IOException {
        KeyStore keys = new KeyStore(home());
        keys.createDefaultOnce();
        Path file = home().resolve("keys");
        Files.writeString(file, Files.readString(file).stripTrailing() + " " + field + "\n");
        assertThatThrownBy(keys::list)
                .isInstanceOf(TransferException.class)
                .hasMessageContaining("line 2, or has a field there that this version does not know");
    }

    @Test
    void aDamagedKeyFileIsNamedAndNotQuoted() throws IOException {
        KeyStore keys = new KeyStore(home());
        keys.createDefaultOnce();
        Path file = home().resolve("keys");
        String secretPart = Files.readString(file).split("verifier=", 2)[1].substring(0, 20);
        Files.writeString(file, Files.readString(file).replace(secretPart, secretPart + "!"));
        assertThatThrownBy(keys::list)
                .isInstanceOf(TransferException.class)
                .hasMessageContaining("damaged at line 2")
                .hasNoCause()
                .matches(e -> !String.valueOf(e.getMessage()).contains(secretPart));
    }

    @Test
    void toStringHidesSecrets() {
        KeyStore keys = new KeyStore(home());
        IssuedKey key = keys.create("k", Permission.READ_WRITE, null);
        ServerAccess access = ServerAccess.of(Identity.create(), key);
        assertThat(key.toString())
                .contains("(secret)")
                .doesNotContain(HexFormat.of().formatHex(key.secret().bytes()));
        assertThat(access.toString()).contains("(secret)");
        assertThat(Identity.create().toString()).startsWith("identity sha256:");
    }

    @Test
    void localClientFindsTheDefaultKey() {
        Identity identity = Identity.loadOrCreate(home());
        KeyStore keys = new KeyStore(home());
        keys.createDefaultOnce();
        KnownServers known = new KnownServers(home());
        ServerAccess access = known.find("127.0.0.1", 27321);
        assertThat(access.fingerprint()).isEqualTo(identity.fingerprint());
        assertThat(known.find("localhost", 1)).isEqualTo(access);
        assertThat(known.find("::1", 1)).isEqualTo(access);
        assertKind(() -> known.find("192.0.2.77", 1), FailureKind.REFUSED);
    }

    @Test
    void aDamagedEntryOfAnotherServerDoesNoHarm() throws IOException {
        KnownServers known = new KnownServers(home());
        ServerAccess any = new ServerAccess(Identity.create().fingerprint(), "0123456789abcdef", Secret.random());
        known.remember("*", any);
        Path file = home().resolve("known-servers");
        Files.writeString(file, "dtn1 fdt-key:damaged\n" + Files.readString(file));
        assertThat(known.find("dtn2", 1)).isEqualTo(any);
        assertThat(known.mayBeOther("dtn2", 1, any)).isFalse();
        assertThat(known.fingerprints()).containsExactly(any.fingerprint());
        assertThat(known.withFingerprint(any.fingerprint())).isEqualTo(any);
        assertThat(known.withFingerprint(Identity.create().fingerprint())).isNull();
        assertKind(() -> known.find("dtn1", 1), FailureKind.USAGE);
    }

    @Test
    void theDefaultKeyWorksAfterACrashInItsReplacement() throws IOException {
        KeyStore keys = new KeyStore(home());
        keys.createDefaultOnce();
        IssuedKey first = keys.defaultKey();
        String stored = Files.readString(home().resolve("keys"));
        IssuedKey second = keys.create("default", Permission.READ_ONLY, null, true);
        assertThat(keys.defaultKey()).isEqualTo(second);
        Files.writeString(home().resolve("keys"), stored);
        assertThat(keys.defaultKey())
                .as("its secret is written before the key is replaced")
                .isEqualTo(first);
    }

    @Test
    void noFileOfAServerHasTheSecretOfAnIssuedKey() throws IOException {
        KeyStore keys = new KeyStore(home());
        keys.createDefaultOnce();
        byte[] issued = keys.create("guest", Permission.ALL, null).secret().bytes();
        IssuedKey own = keys.create("default", Permission.READ_ONLY, null, true);
        assertThat(keys.defaultKey()).as("local clients use the new one").isEqualTo(own);
        String text = "";
        try (Stream<Path> files = Files.list(home())) {
            for (Path file : files.toList()) {
                text += Files.readString(file);
            }
        }
        assertThat(text)
                .contains(Base64.getUrlEncoder()
                        .withoutPadding()
                        .encodeToString(own.secret().bytes()))
                .doesNotContain(Base64.getUrlEncoder().withoutPadding().encodeToString(issued))
                .doesNotContain(HexFormat.of().formatHex(issued));
        keys.revoke("default");
        assertThat(keys.defaultKey()).isNull();
        Files.writeString(home().resolve("default-key"), "no base64");
        assertThatThrownBy(keys::defaultKey)
                .isInstanceOf(TransferException.class)
                .hasMessageContaining("default-key is damaged")
                .hasNoCause();
    }

    @Test
    void mostSpecificServerEntryWins() {
        KnownServers known = new KnownServers(home());
        List<ServerAccess> accesses = new ArrayList<>();
        for (int index = 0; index < 4; index++) {
            accesses.add(new ServerAccess(Identity.create().fingerprint(), "000000000000000" + index, Secret.random()));
        }
        assertKind(() -> known.find("dtn.example.org", 27321), FailureKind.REFUSED);
        known.remember("*", accesses.get(0));
        known.remember("dtn.example.org", accesses.get(1));
        known.remember("DTN.example.org:27322", accesses.get(2));
        assertThat(known.find("other.example.org", 27321)).isEqualTo(accesses.get(0));
        assertThat(known.find("dtn.example.org", 27321)).isEqualTo(accesses.get(1));
        assertThat(known.find("dtn.example.org", 27322)).isEqualTo(accesses.get(2));
        assertThat(known.names()).containsExactly("*", "dtn.example.org", "dtn.example.org:27322");
        assertThat(known.forget("dtn.example.org:27322")).isTrue();
        assertThat(known.forget("dtn.example.org:27322")).isFalse();
        assertThat(known.find("dtn.example.org", 27322)).isEqualTo(accesses.get(1));
        assertKind(() -> known.remember("two words", accesses.get(0)), FailureKind.USAGE);
    }
}
