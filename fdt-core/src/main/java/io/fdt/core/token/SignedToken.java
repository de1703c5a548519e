package io.fdt.core.token;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.JWSVerifier;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.JsonReader;
import java.io.IOException;
import java.text.ParseException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A token that was taken apart. Nothing in it is true before {@link KeySet#requireSigned}. For one thread. */
final class SignedToken {
    static final int MAX_CHARS = 16 << 10;
    /** No others: not those with a shared secret, and not none. */
    static final Set<JWSAlgorithm> ALGORITHMS = Set.of(JWSAlgorithm.RS256, JWSAlgorithm.ES256);

    private static final Set<String> TYPES = Set.of("jwt", "at+jwt", "application/at+jwt");
    private static final Pattern FORM = Pattern.compile("[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+");

    private final JWSObject object;
    private final JsonObject claims;

    private SignedToken(JWSObject object, JsonObject claims) {
        this.object = object;
        this.claims = claims;
    }

    static SignedToken parse(String token) throws BadTokenException {
        if (token.length() > MAX_CHARS) {
            throw new BadTokenException("it is longer than 16 KiB");
        }
        if (!FORM.matcher(token).matches()) {
            throw new BadTokenException("it is not a signed JWT");
        }
        try {
            JWSObject object = JWSObject.parse(token);
            requireKnown(object.getHeader());
            return new SignedToken(object, claims(object.getPayload().toBytes()));
        } catch (ParseException | IOException | RuntimeException malformed) {
            // Omits the cause: a parser's message may quote the token.
            throw new BadTokenException("it is not a signed JWT");
        }
    }

    private static void requireKnown(JWSHeader header) throws BadTokenException {
        if (!ALGORITHMS.contains(header.getAlgorithm())) {
            throw new BadTokenException("it is signed by another algorithm than RS256 or ES256");
        }
        if (header.getCriticalParams() != null) {
            throw new BadTokenException("it has critical extensions, of which fdt knows none");
        }
        String type = header.getType() == null ? null : header.getType().getType();
        if (type != null && !TYPES.contains(type.toLowerCase(Locale.ROOT))) {
            throw new BadTokenException("it is of another type than JWT");
        }
    }

    private static JsonObject claims(byte[] payload) throws IOException, BadTokenException {
        try (JsonReader reader = JsonReader.of(payload, 0)) {
            JsonObject claims = reader.next();
            if (claims == null || reader.repeated() != null || reader.next() != null) {
                throw new BadTokenException("it has a claim twice, or no claims");
            }
            return claims;
        }
    }

    JWSAlgorithm algorithm() {
        return object.getHeader().getAlgorithm();
    }

    /** The id of the key that is said to have signed it; null if it names none. */
    @Nullable String keyId() {
        return object.getHeader().getKeyID();
    }

    boolean isSignedBy(JWSVerifier key) {
        try {
            return object.verify(key);
        } catch (JOSEException | RuntimeException unusable) {
            return false;
        }
    }

    boolean has(String claim) {
        return claims.has(claim);
    }

    /** The text of this claim. */
    String text(String claim) throws BadTokenException {
        if (claims.values().get(claim) instanceof String text) {
            return text;
        }
        throw new BadTokenException("its claim " + claim + " is missing or is no text");
    }

    /** Whether this claim is one of these texts, or a list with one of them. */
    boolean isAmong(String claim, Set<String> texts) {
        return texts(claim).stream().anyMatch(texts::contains);
    }

    /** The text of this claim, or the texts of its list. */
    List<String> texts(String claim) {
        return claims.values().get(claim) instanceof String text ? List.of(text) : claims.texts(claim);
    }

    /** The seconds since 1970 of this claim; null if it has none. */
    @Nullable Long seconds(String claim) throws BadTokenException {
        if (!claims.values().containsKey(claim)) {
            return null;
        }
        Object value = claims.values().get(claim);
        double seconds = value instanceof Long whole ? whole : value instanceof Double part ? part : -1;
        // Until the year 9999.
        if (!(seconds >= 0 && seconds < 253_402_300_800L)) {
            throw new BadTokenException("its claim " + claim + " is no time");
        }
        return (long) seconds;
    }
}
