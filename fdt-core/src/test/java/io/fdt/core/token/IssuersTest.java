package io.fdt.core.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.Right;
import io.fdt.core.basic.Scope;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.security.AccessKey;
import io.fdt.core.token.TokenSettings.TrustedIssuer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which tokens a server accepts, and as what; all known attacks on the verification of JWT are here. */
final class IssuersTest {
    private static final long NOW = 1_800_000_000;
    private static final TestIssuer EC = TestIssuer.es256("e1");
    private static final TestIssuer RSA = TestIssuer.rs256("r1", 2048);

    @TempDir
    Path home;

    private Instant now = Instant.ofEpochSecond(NOW);
    private @Nullable Path users;
    private final List<String> warnings = new ArrayList<>();

    @SuppressWarnings("NullAway.Init")
    private Path keys;

    @SuppressWarnings("NullAway.Init")
    private Issuers issuers;

    @BeforeEach
    void start() throws IOException {
        keys = TestIssuer.publish(home.resolve("keys.json"), EC, RSA);
        issuers = with("/srv/vo");
    }

    @AfterEach
    void stop() {
        issuers.close();
    }

    private Issuers with(@Nullable String root) {
        TokenSettings settings = new TokenSettings(
                List.of(new TrustedIssuer(TestIssuer.URL, keys, root, users)),
                List.of("dtn.example", "fdt://dtn.example"));
        Issuers made = Issuers.of(settings, warnings::add, () -> now);
        made.look(warnings::add);
        return made;
    }

    private AccessKey verify(String token) {
        return Objects.requireNonNull(issuers.verify(token, null));
    }

    private void assertRefused(String token, String why) {
        assertThatThrownBy(() -> verify(token)).isInstanceOfSatisfying(TransferException.class, refused -> {
            assertThat(refused.failure().cause()).isEqualTo(Cause.UNKNOWN_KEY);
            assertThat(refused.getMessage()).contains(why);
            assertThat(token.isEmpty() || !String.valueOf(refused.getMessage()).contains(token))
                    .as("the message does not quote the token")
                    .isTrue();
        });
    }

    private static JsonObject claims() {
        return TestIssuer.claims(NOW, "storage.read:/");
    }

    private static JsonObject scoped(String scope) {
        return TestIssuer.claims(NOW, scope);
    }

    @Test
    void acceptsBothAlgorithms() {
        for (TestIssuer issuer : List.of(EC, RSA)) {
            AccessKey key = verify(issuer.sign(claims()));
            assertThat(key.name()).isEqualTo("alice@issuer.example/vo");
            assertThat(key.id()).matches("[0-9a-f]{32}");
            assertThat(key.subject()).isEqualTo(new AccessKey.Subject(TestIssuer.URL, "alice", List.of("dtn.example")));
            assertThat(key.expires()).isEqualTo(Instant.ofEpochSecond(NOW + 660));
            assertThat(key.permission().roots()).containsExactly("/srv/vo");
            assertThat(key.permission().rights()).containsExactlyInAnyOrder(Right.LIST, Right.READ);
            assertThat(key.permission().owners()).isFalse();
        }
    }

    @Test
    void subjectsOfTwoIssuersAreNotOne() throws IOException {
        TokenSettings two = new TokenSettings(
                List.of(
                        new TrustedIssuer(TestIssuer.URL, keys, null, null),
                        new TrustedIssuer("https://other.example", keys, null, null)),
                List.of("dtn.example"));
        String first = verify(EC.sign(claims())).id();
        issuers = Issuers.of(two, warnings::add, () -> now);
        issuers.look(warnings::add);
        assertThat(verify(EC.sign(claims())).id()).isEqualTo(first);
        assertThat(verify(EC.sign(claims().with("iss", "https://other.example")))
                        .id())
                .isNotEqualTo(first);
    }

    /** What is read again counts at the next look, and decides about those who were admitted before. */
    @Test
    void trustsWhatItsSettingsSayWhenTheyAreReadAgain() throws IOException {
        TrustedIssuer trusted = new TrustedIssuer(TestIssuer.URL, keys, "/srv/vo", null);
        List<String> audiences = List.of("dtn.example");
        Path file = Files.writeString(home.resolve("config"), "any");
        AtomicReference<@Nullable TokenSettings> read =
                new AtomicReference<>(new TokenSettings(List.of(trusted), audiences));
        issuers.close();
        issuers = Issuers.of(
                new TokenSettings(List.of(), List.of(), new TokenSettings.Origin(file, () -> {
                    TokenSettings found = read.get();
                    if (found == null) {
                        throw Cause.USAGE.failure("not understood");
                    }
                    return found;
                })),
                warnings::add,
                () -> now);
        assertThat(issuers.isEmpty()).isTrue();
        changeAndLook(file);
        AccessKey admitted = verify(EC.sign(claims()));
        assertThat(issuers.objectionTo(admitted, now)).isNull();

        read.set(null);
        changeAndLook(file);
        assertThat(warnings).singleElement().asString().contains("not understood");
        assertThatThrownBy(() -> verify(EC.sign(claims()))).hasMessageContaining("cannot read now which issuers");
        assertThat(issuers.objectionTo(admitted, now)).isNull();

        TrustedIssuer moved = new TrustedIssuer(TestIssuer.URL, keys, "/srv/other", null);
        for (TokenSettings changed : List.of(
                new TokenSettings(List.of(moved), audiences),
                new TokenSettings(List.of(trusted), List.of("other.example")),
                TokenSettings.NONE)) {
            read.set(changed);
            changeAndLook(file);
            assertThat(Objects.requireNonNull(issuers.objectionTo(admitted, now))
                            .cause())
                    .isEqualTo(Cause.REVOKED);
        }
        read.set(new TokenSettings(List.of(trusted), List.of("other.example", "dtn.example")));
        changeAndLook(file);
        assertThat(issuers.objectionTo(admitted, now)).isNull();
    }

    @Test
    void settingsNameTheIssuersThatAreNotAsBefore() {
        TrustedIssuer first = new TrustedIssuer("https://a.example", null, null, null);
        TrustedIssuer second = new TrustedIssuer("https://b.example", null, null, null);
        TrustedIssuer moved = new TrustedIssuer("https://b.example", null, "/srv/other", null);
        TokenSettings before = new TokenSettings(List.of(first, second), List.of("dtn.example"));
        assertThat(before.changesSince(new TokenSettings(List.of(second, first), List.of("dtn.example"))))
                .isEmpty();
        assertThat(new TokenSettings(List.of(moved), List.of("dtn.example")).changesSince(before))
                .containsExactly(
                        entry("https://a.example", TokenSettings.Change.WITHDRAWN),
                        entry("https://b.example", TokenSettings.Change.CHANGED));
        assertThat(before.changesSince(new TokenSettings(List.of(first), List.of("other.example"))))
                .containsExactly(
                        entry("https://a.example", TokenSettings.Change.CHANGED),
                        entry("https://b.example", TokenSettings.Change.ADDED));
    }

    private void changeAndLook(Path file) throws IOException {
        Files.writeString(file, Files.readString(file) + "more");
        issuers.read(warnings::add);
        issuers.look(warnings::add);
    }

    @Test
    void newTokenOfSubjectContinuesOnlyWithSameRights() {
        AccessKey first = verify(EC.sign(claims()));
        AccessKey later = verify(RSA.sign(claims().with("exp", NOW + 900)));
        assertThat(later.continues(first)).isTrue();
        assertThat(verify(EC.sign(scoped("storage.read:/a"))).continues(first)).isFalse();
        assertThat(verify(EC.sign(claims().with("sub", "bob"))).continues(first))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "none | e1",
                "None | e1",
                "NONE | e1",
                "HS256 | e1",
                "HS512 | r1",
                "RS384 | r1",
                "PS256 | r1",
                "ES384 | e1",
                "EdDSA | e1",
                "RS256 | e1",
                "ES256 | r1",
                "ES256K | e1",
                "dir | e1"
            })
    void refusesOtherAlgorithms(String algorithm, String key) {
        JsonObject header = new JsonObject().with("alg", algorithm).with("kid", key);
        assertRefused(EC.sign(header.text(), claims().text()), "token");
        assertRefused(RSA.sign(header.text(), claims().text()), "token");
    }

    @Test
    void refusesTokenWithoutSignature() {
        String[] parts = EC.sign(claims()).split("\\.", -1);
        String unsigned = TestIssuer.encode("{\"alg\":\"none\"}".getBytes(StandardCharsets.UTF_8));
        assertRefused(unsigned + "." + parts[1] + ".", "not a signed JWT");
        assertRefused(unsigned + "." + parts[1] + "." + parts[2], "token");
        assertRefused(parts[0] + "." + parts[1] + ".", "not a signed JWT");
        assertRefused(parts[0] + "." + parts[1], "not a signed JWT");
        assertRefused(parts[0] + "." + parts[1] + ".AAAA", "did not sign");
        assertRefused("", "not a signed JWT");
        assertRefused("....", "not a signed JWT");
    }

    /** With r and s zero, some versions of Java accepted any text as signed. */
    @Test
    void refusesSignatureOfZeros() {
        String token = EC.sign(claims());
        String unsigned = token.substring(0, token.lastIndexOf('.') + 1);
        assertRefused(unsigned + TestIssuer.encode(new byte[64]), "did not sign");
        assertRefused(unsigned + TestIssuer.encode(new byte[] {48, 6, 2, 1, 0, 2, 1, 0}), "did not sign");
    }

    /** The public key is known to all; as the secret of an HMAC, it would let everybody sign. */
    @ParameterizedTest
    @ValueSource(strings = {"HmacSHA256", "HmacSHA384", "HmacSHA512"})
    void refusesHmacWithPublicKey(String mac) throws GeneralSecurityException {
        for (byte[] secret : List.of(
                RSA.pair().getPublic().getEncoded(),
                TestIssuer.keys(RSA.jwk()).getBytes(StandardCharsets.UTF_8),
                RSA.jwk().text().getBytes(StandardCharsets.UTF_8))) {
            for (String algorithm : List.of("HS256", "HS384", "HS512", "RS256")) {
                String header = new JsonObject()
                        .with("alg", algorithm)
                        .with("kid", "r1")
                        .text();
                String token = RSA.sign(header, claims().text());
                String unsigned = token.substring(0, token.lastIndexOf('.'));
                Mac hmac = Mac.getInstance(mac);
                hmac.init(new SecretKeySpec(secret, mac));
                byte[] signature = hmac.doFinal(unsigned.getBytes(StandardCharsets.US_ASCII));
                assertRefused(unsigned + "." + TestIssuer.encode(signature), "token");
            }
        }
    }

    /** What a token names is never used: not its own key, no URL, no path. */
    @Test
    void usesNoKeyThatTokenBringsOrNames() {
        TestIssuer attacker = TestIssuer.es256("e1");
        JsonObject header = attacker.header();
        assertRefused(attacker.sign(header.text(), claims().text()), "did not sign");
        assertRefused(attacker.sign(header.with("jwk", attacker.jwk()).text(), claims().text()), "token");
        for (String kid : List.of(
                "../../../../dev/null",
                "/dev/null",
                "keys.json",
                "' OR 1=1 --",
                "file:///dev/null",
                "e1\u0000",
                "e2")) {
            assertRefused(
                    attacker.sign(attacker.header().with("kid", kid).text(), claims().text()),
                    "names no key that its issuer has");
        }
        for (String name : List.of("jku", "x5u")) {
            assertRefused(
                    attacker.sign(
                            attacker.header()
                                    .with(name, "http://127.0.0.1:1/keys")
                                    .text(),
                            claims().text()),
                    "did not sign");
        }
    }

    @Test
    void refusesUnknownExtensionsAndTypes() {
        assertRefused(EC.sign(EC.header().with("crit", List.of("exp")).text(), claims().text()), "token");
        assertRefused(
                EC.sign(
                        EC.header()
                                .with("crit", List.of("b64"))
                                .with("b64", false)
                                .text(),
                        claims().text()),
                "critical");
        assertRefused(EC.sign(EC.header().with("typ", "JOSE+JSON").text(), claims().text()), "another type");
        verify(EC.sign(EC.header().with("typ", "at+jwt").text(), claims().text()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "null",
                "{",
                "{}{}",
                "{\"iss\":1}",
                "{\"iss\":\"https://issuer.example/vo\",\"iss\":\"https://issuer.example/vo\"}",
                "not json",
                "{\"a\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}"
            })
    void refusesMalformedClaims(String claims) {
        assertRefused(EC.sign(EC.header().text(), claims), "token");
    }

    @Test
    void refusesMalformedHeaders() {
        String deep = "{\"alg\":\"ES256\",\"kid\":\"e1\",\"x\":" + "[".repeat(5000) + "]".repeat(5000) + "}";
        assertRefused(EC.sign(deep, "{}"), "token");
        assertRefused(EC.sign("{\"alg\":\"ES256\",\"alg\":\"none\",\"kid\":\"e1\"}", claims().text()), "token");
        assertRefused(EC.sign("{\"alg\":[\"ES256\"],\"kid\":\"e1\"}", claims().text()), "token");
        assertRefused(EC.sign("{\"kid\":\"e1\"}", claims().text()), "token");
        assertRefused(EC.sign("[]", claims().text()), "token");
    }

    @Test
    void refusesLongToken() {
        assertRefused(EC.sign(claims().with("x", "y".repeat(16 << 10))), "longer than 16 KiB");
    }

    @Test
    void refusesOtherIssuers() {
        for (String issuer : List.of(
                "https://issuer.example/vo/",
                "https://issuer.example",
                "HTTPS://ISSUER.EXAMPLE/vo",
                "https://issuer.example/vo?x",
                "https://issuer.example/vo2",
                "")) {
            assertRefused(EC.sign(claims().with("iss", issuer)), "does not trust its issuer");
        }
    }

    @Test
    void requiresAudience() {
        verify(EC.sign(claims().with("aud", List.of("other", "fdt://dtn.example"))));
        for (Object audience : new Object[] {
            "other",
            "dtn.example.evil",
            "DTN.EXAMPLE",
            "",
            List.of(),
            List.of("other"),
            List.of(1),
            "ANY",
            "https://wlcg.cern.ch/jwt/v1/any",
            7,
            true
        }) {
            assertRefused(EC.sign(claims().with("aud", audience)), "audience");
        }
        assertRefused(EC.sign(claims().with("aud", null)), "audience");
    }

    @Test
    void allowsForClocksThatDifferByOneMinute() {
        String token = EC.sign(claims().with("exp", NOW + 100).with("nbf", NOW).with("iat", NOW));
        for (long moment : new long[] {NOW - 60, NOW, NOW + 159}) {
            now = Instant.ofEpochSecond(moment);
            verify(token);
        }
        now = Instant.ofEpochSecond(NOW - 61);
        assertRefused(token, "not valid yet");
        now = Instant.ofEpochSecond(NOW + 160);
        assertThatThrownBy(() -> verify(token))
                .isInstanceOfSatisfying(
                        TransferException.class,
                        late -> assertThat(late.failure().cause()).isEqualTo(Cause.TOKEN_EXPIRED));
    }

    @Test
    void requiresTimesThatAreTimes() {
        for (String time : List.of(
                "null", "\"1900000000\"", "-1", "1e30", "9223372036854775807", "92233720368547758070", "[]", "true")) {
            for (String claim : List.of("exp", "nbf", "iat")) {
                String text = claims().with(claim, "@").text().replace("\"@\"", time);
                assertRefused(EC.sign(EC.header().text(), text), "token");
            }
        }
        assertRefused(EC.sign(claims().with("exp", null)), "token");
        verify(EC.sign(EC.header().text(), claims().with("exp", NOW + 1.5, 1).text()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a\nb", "a\u0000", "ä", " a", "a "})
    void requiresSubjectThatIsAName(String subject) {
        assertRefused(EC.sign(claims().with("sub", subject)), "token");
    }

    @Test
    void requiresProfile() {
        assertRefused(EC.sign(claims().with("wlcg.ver", "2.0")), "profile");
        JsonObject neither = new JsonObject();
        claims().values().forEach((name, value) -> {
            if (!name.equals("wlcg.ver")) {
                neither.with(name, value);
            }
        });
        assertRefused(EC.sign(neither), "profile");
        verify(EC.sign(neither.with("ver", "scitoken:2.0").with("scope", "read:/")));
        verify(EC.sign(neither.with("ver", "scitokens:2.0")));
    }

    @Test
    void scopesAddUpAlongThePath() {
        List<Scope> scopes = Objects.requireNonNull(verify(EC.sign(
                        scoped("openid storage.read:/ storage.stage:/t storage.create:/a/b/ storage.modify:/a%20c")))
                .permission()
                .scopes());
        assertThat(scopes)
                .containsExactlyInAnyOrder(
                        new Scope("/", Set.of(Right.LIST, Right.READ)),
                        new Scope("/a/b", Set.of(Right.LIST, Right.READ, Right.APPEND)),
                        new Scope("/a c", Set.of(Right.LIST, Right.READ, Right.APPEND, Right.WRITE, Right.DELETE)));
    }

    @Test
    void namesThatOnlyLookAlikeShareNothing() {
        List<Scope> scopes = Objects.requireNonNull(verify(EC.sign(scoped("storage.read:/data storage.create:/data2")))
                .permission()
                .scopes());
        assertThat(scopes)
                .containsExactlyInAnyOrder(
                        new Scope("/data", Set.of(Right.LIST, Right.READ)),
                        new Scope("/data2", Set.of(Right.LIST, Right.APPEND)));
    }

    @Test
    void sciTokensHaveTheirOwnWords() {
        JsonObject claims = claims().with("wlcg.ver", "1.0");
        assertThatThrownBy(() -> verify(EC.sign(claims.with("scope", "read:/ write:/"))))
                .isInstanceOfSatisfying(
                        TransferException.class,
                        refused -> assertThat(refused.failure().cause()).isEqualTo(Cause.NO_RIGHT));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "storage.read:/a/../b",
                "storage.read:/..",
                "storage.read:/.",
                "storage.read:/a/./b",
                "storage.read:/a//b",
                "storage.read://",
                "storage.read:a",
                "storage.read:",
                "storage.read:/a/%2e%2e/b",
                "storage.read:/a%2Fb",
                "storage.read:/a%2",
                "storage.read:/a%zz",
                "storage.read:/a%00",
                "storage.read:/a%ff",
                "storage.read:/ok storage.modify:/../ok"
            })
    void refusesPathsThatAreNotNormalized(String scope) {
        assertRefused(EC.sign(scoped(scope)), "is not absolute and normalized");
    }

    @Test
    void refusesTokenThatPermitsNothing() {
        for (String scope : List.of("", "openid", "storage.stage:/", "storage.read", "compute.create")) {
            assertThatThrownBy(() -> verify(EC.sign(scoped(scope))))
                    .isInstanceOfSatisfying(
                            TransferException.class,
                            refused -> assertThat(refused.failure().cause()).isEqualTo(Cause.NO_RIGHT));
        }
        assertRefused(EC.sign(scoped("").with("scope", List.of("storage.read:/"))), "scope");
    }

    @Test
    void keysInTheFileAreReplacedWhileTheServerRuns() throws IOException {
        TestIssuer next = TestIssuer.es256("e2");
        assertRefused(next.sign(claims()), "names no key");
        TestIssuer.publish(keys, next);
        Files.setLastModifiedTime(keys, FileTime.from(Instant.EPOCH));
        issuers.look(warnings::add);
        verify(next.sign(claims()));
        assertRefused(EC.sign(claims()), "names no key");
        assertThat(warnings).isEmpty();
    }

    @Test
    void withoutUsableFileNoTokenIsAccepted() throws IOException {
        for (String content : List.of("", "{}", "{\"keys\":[]}", "x".repeat(300 << 10), weakKeys())) {
            warnings.clear();
            Files.writeString(keys, content);
            issuers.look(warnings::add);
            issuers.look(warnings::add);
            assertThat(warnings).singleElement().asString().contains("cannot use " + keys);
            assertThatThrownBy(() -> verify(EC.sign(claims())))
                    .isInstanceOfSatisfying(
                            TransferException.class,
                            refused -> assertThat(refused.failure().cause()).isEqualTo(Cause.UNAVAILABLE));
            TestIssuer.publish(keys, EC, RSA);
            issuers.look(warnings::add);
            verify(EC.sign(claims()));
        }
    }

    /** Too short, for encryption, of another algorithm, or a shared secret. */
    private static String weakKeys() {
        return TestIssuer.keys(
                TestIssuer.rs256("e1", 1024).jwk(),
                RSA.jwk().with("use", "enc"),
                RSA.jwk().with("alg", "RS512"),
                EC.jwk().with("key_ops", List.of("sign")),
                new JsonObject().with("kty", "oct").with("kid", "e1").with("k", TestIssuer.encode(new byte[32])));
    }

    @Test
    void withSeveralKeysTokenMustNameOne() throws IOException {
        String nameless = new JsonObject().with("alg", "ES256").text();
        verify(EC.sign(nameless, claims().text()));
        TestIssuer.publish(keys, EC, TestIssuer.es256("e2"));
        issuers.look(warnings::add);
        assertRefused(EC.sign(nameless, claims().text()), "names no key");
    }

    @Test
    void tokenEndsWithItsTimeAndItsIssuer() {
        AccessKey key = verify(EC.sign(claims()));
        assertThat(issuers.objectionTo(key, Instant.ofEpochSecond(NOW + 659))).isNull();
        assertThat(Objects.requireNonNull(issuers.objectionTo(key, Instant.ofEpochSecond(NOW + 660)))
                        .cause())
                .isEqualTo(Cause.TOKEN_EXPIRED);
        assertThat(Objects.requireNonNull(Issuers.NONE.objectionTo(key, now)).cause())
                .isEqualTo(Cause.REVOKED);
    }

    @Test
    void subjectsHaveTheAccountsOfATable() throws IOException {
        users = Files.writeString(home.resolve("users"), "# of the lab\n\nann  alice\nbob\tBob B. Bee \n");
        issuers.close();
        issuers = with(null);
        assertThat(verify(EC.sign(claims())).permission().user()).isEqualTo("ann");
        assertThat(verify(EC.sign(claims().with("sub", "Bob B. Bee")))
                        .permission()
                        .user())
                .isEqualTo("bob");
        assertRefused(EC.sign(claims().with("sub", "Bob")), "no account of its host is for the subject Bob");

        Files.writeString(users, "ann alice\nlab *\n");
        Files.setLastModifiedTime(users, FileTime.from(Instant.EPOCH));
        issuers.look(warnings::add);
        assertThat(verify(EC.sign(claims())).permission().user()).isEqualTo("ann");
        assertThat(verify(EC.sign(claims().with("sub", "Bob"))).permission().user())
                .isEqualTo("lab");

        for (String wrong : List.of("ann", "ann alice\nbob alice\n")) {
            warnings.clear();
            Files.writeString(users, wrong);
            issuers.look(warnings::add);
            assertThat(warnings).singleElement().asString().contains("cannot use " + users);
            assertThatThrownBy(() -> verify(EC.sign(claims())))
                    .isInstanceOfSatisfying(
                            TransferException.class,
                            refused -> assertThat(refused.failure().cause()).isEqualTo(Cause.UNAVAILABLE));
        }
    }

    /** It has neither the keys of the issuer nor the table. */
    @Test
    void theProcessOfAnAccountAcceptsWhatItIsPassed() {
        TokenSettings settings = new TokenSettings(
                List.of(new TrustedIssuer(TestIssuer.URL, home.resolve("none"), null, home.resolve("none"))),
                List.of("dtn.example"));
        long second = Instant.now().getEpochSecond();
        String token = EC.sign(TestIssuer.claims(second, "storage.read:/"));
        try (Issuers ofAccount = Issuers.ofAccount("ann")) {
            ofAccount.trust(settings, warnings::add);
            assertThat(ofAccount.decides(token)).isFalse();
            assertThatThrownBy(() -> ofAccount.verify(token, null)).hasMessageContaining("nobody has verified it");
            ofAccount.pass(token);
            assertThat(ofAccount.decides(token)).isTrue();
            AccessKey key = Objects.requireNonNull(ofAccount.verify(token, null));
            assertThat(key.permission().user()).isEqualTo("ann");
            assertThat(key.name()).isEqualTo("alice@issuer.example/vo");
            ofAccount.pass(EC.sign(TestIssuer.claims(second - 700, "storage.read:/")));
            assertThatThrownBy(() -> ofAccount.verify(EC.sign(TestIssuer.claims(second - 700, "storage.read:/")), null))
                    .isInstanceOf(TransferException.class);
            for (int i = 0; i < 20_000; i++) {
                ofAccount.pass("token " + i);
            }
            assertThat(ofAccount.decides(token))
                    .as("it remembers the last ones")
                    .isFalse();
        }
        assertThat(warnings).isEmpty();
    }

    @Test
    void serverWithoutIssuersSaysSo() {
        assertThatThrownBy(() -> Issuers.NONE.verify(EC.sign(claims()), null))
                .hasMessageContaining("this server accepts no tokens");
    }

    @Test
    void onlySafeUrlsAreIssuers() {
        for (String url : List.of("https://a", "https://a/b", "http://127.0.0.1:8080/x", "http://[::1]:1")) {
            assertThat(TokenSettings.isSafe(url)).as(url).isTrue();
        }
        for (String url : List.of(
                "http://a",
                "http://localhost",
                "ftp://a",
                "file:///etc/x",
                "a",
                "",
                "https:/a",
                "https://a b",
                "https://u@a")) {
            assertThat(TokenSettings.isSafe(url)).as(url).isFalse();
        }
    }
}
