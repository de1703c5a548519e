package io.fdt.core.token;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyOperation;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.RSAKey;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The public keys of an issuer (JWKS), each for one algorithm. Immutable. */
final class KeySet {
    static final int MAX_BYTES = 256 << 10;
    private static final int MAX_KEYS = 100;
    private static final int MIN_RSA_BITS = 2048;

    private final List<Key> keys;

    private record Key(@Nullable String id, JWSAlgorithm algorithm, JWSVerifier verifier) {}

    private KeySet(List<Key> keys) {
        this.keys = List.copyOf(keys);
    }

    /**
     * Returns the keys that can sign tokens; ignores others, and weak ones.
     *
     * @throws IllegalArgumentException if it is no JWKS, or has no such key
     */
    static KeySet parse(String json) {
        List<Key> keys = new ArrayList<>();
        try {
            List<JWK> all =
                    json.length() > MAX_BYTES ? List.of() : JWKSet.parse(json).getKeys();
            for (JWK key : all.size() > MAX_KEYS ? all.subList(0, 0) : all) {
                if (maySign(key) && key instanceof RSAKey rsa && rsa.size() >= MIN_RSA_BITS) {
                    add(keys, key, JWSAlgorithm.RS256, new RSASSAVerifier(rsa.toRSAPublicKey()));
                } else if (maySign(key) && key instanceof ECKey ec && Curve.P_256.equals(ec.getCurve())) {
                    add(keys, key, JWSAlgorithm.ES256, new ECDSAVerifier(ec.toECPublicKey()));
                }
            }
        } catch (ParseException | JOSEException | RuntimeException malformed) {
            throw new IllegalArgumentException("it is not a JWKS", malformed);
        }
        if (keys.isEmpty()) {
            throw new IllegalArgumentException("it is too long, or has no key for RS256 with 2,048 bits or for ES256");
        }
        return new KeySet(keys);
    }

    private static boolean maySign(JWK key) {
        return (key.getKeyUse() == null || key.getKeyUse().equals(KeyUse.SIGNATURE))
                && (key.getKeyOperations() == null || key.getKeyOperations().contains(KeyOperation.VERIFY));
    }

    private static void add(List<Key> keys, JWK key, JWSAlgorithm algorithm, JWSVerifier verifier) {
        if (key.getAlgorithm() == null || key.getAlgorithm().equals(algorithm)) {
            keys.add(new Key(key.getKeyID(), algorithm, verifier));
        }
    }

    /** Whether there is the key that the token names; or if it names none, exactly one that it can mean. */
    boolean knowsKeyOf(SignedToken token) {
        return keyOf(token) != null;
    }

    private @Nullable Key keyOf(SignedToken token) {
        List<Key> fitting = keys.stream()
                .filter(key -> key.algorithm.equals(token.algorithm()))
                .filter(key -> token.keyId() == null || Objects.equals(key.id, token.keyId()))
                .toList();
        return fitting.size() == 1 ? fitting.get(0) : null;
    }

    void requireSigned(SignedToken token) throws BadTokenException {
        Key key = keyOf(token);
        if (key == null) {
            throw new BadTokenException("it names no key that its issuer has");
        }
        if (!token.isSignedBy(key.verifier)) {
            throw new BadTokenException("its issuer did not sign it");
        }
    }
}
