package io.fdt.core.token;

import io.fdt.core.basic.JsonObject;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;

/** Signs tokens, good and bad ones, without the library that verifies them. */
public final class TestIssuer {
    public static final String URL = "https://issuer.example/vo";

    private final String id;
    private final KeyPair pair;
    private final boolean elliptic;

    private TestIssuer(String id, KeyPair pair, boolean elliptic) {
        this.id = id;
        this.pair = pair;
        this.elliptic = elliptic;
    }

    public static TestIssuer es256(String id) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return new TestIssuer(id, generator.generateKeyPair(), true);
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    public static TestIssuer rs256(String id, int bits) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(bits);
            return new TestIssuer(id, generator.generateKeyPair(), false);
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    /** Claims that a server accepts whose audience is {@code dtn.example}, at this second. */
    public static JsonObject claims(long now, String scope) {
        return new JsonObject()
                .with("iss", URL)
                .with("sub", "alice")
                .with("aud", "dtn.example")
                .with("iat", now)
                .with("nbf", now)
                .with("exp", now + 600)
                .with("wlcg.ver", "1.0")
                .with("scope", scope);
    }

    KeyPair pair() {
        return pair;
    }

    public JsonObject header() {
        return new JsonObject()
                .with("alg", elliptic ? "ES256" : "RS256")
                .with("typ", "JWT")
                .with("kid", id);
    }

    public String sign(JsonObject claims) {
        return sign(header().text(), claims.text());
    }

    /** Signs whatever these texts are. */
    public String sign(String header, String claims) {
        String input =
                encode(header.getBytes(StandardCharsets.UTF_8)) + "." + encode(claims.getBytes(StandardCharsets.UTF_8));
        return input + "." + encode(signature(input));
    }

    private byte[] signature(String input) {
        try {
            Signature signer = Signature.getInstance(elliptic ? "SHA256withECDSAinP1363Format" : "SHA256withRSA");
            signer.initSign(pair.getPrivate());
            signer.update(input.getBytes(StandardCharsets.US_ASCII));
            return signer.sign();
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    public static String encode(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    public JsonObject jwk() {
        JsonObject key = new JsonObject().with("kid", id);
        if (elliptic) {
            ECPublicKey ec = (ECPublicKey) pair.getPublic();
            return key.with("kty", "EC")
                    .with("crv", "P-256")
                    .with("x", encode(fixed(ec.getW().getAffineX(), 32)))
                    .with("y", encode(fixed(ec.getW().getAffineY(), 32)));
        }
        RSAPublicKey rsa = (RSAPublicKey) pair.getPublic();
        return key.with("kty", "RSA")
                .with("n", encode(unsigned(rsa.getModulus())))
                .with("e", encode(unsigned(rsa.getPublicExponent())));
    }

    /** A JWKS. */
    public static String keys(JsonObject... keys) {
        return new JsonObject().with("keys", List.of(keys)).text();
    }

    public static Path publish(Path file, TestIssuer... issuers) throws IOException {
        return Files.writeString(
                file, keys(Stream.of(issuers).map(TestIssuer::jwk).toArray(JsonObject[]::new)));
    }

    private static byte[] unsigned(BigInteger number) {
        byte[] bytes = number.toByteArray();
        return bytes[0] == 0 ? Arrays.copyOfRange(bytes, 1, bytes.length) : bytes;
    }

    private static byte[] fixed(BigInteger number, int length) {
        byte[] bytes = unsigned(number);
        byte[] out = new byte[length];
        System.arraycopy(bytes, 0, out, length - bytes.length, bytes.length);
        return out;
    }
}
