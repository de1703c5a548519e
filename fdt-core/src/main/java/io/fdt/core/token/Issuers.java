package io.fdt.core.token;

import io.fdt.core.basic.Clock;
import io.fdt.core.basic.Right;
import io.fdt.core.basic.Scope;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.security.AccessKey;
import io.fdt.core.security.AccessKey.Subject;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.security.KeyLimits;
import io.fdt.core.security.Permission;
import io.fdt.core.token.TokenSettings.TrustedIssuer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The issuers of tokens that a server trusts. A verified token becomes an {@link AccessKey}, so that all that holds for
 * keys holds for tokens: nothing is kept of tokens or subjects here. Thread-safe, except {@link #look}.
 */
public final class Issuers implements AutoCloseable {
    /** For a server that accepts no tokens. */
    public static final Issuers NONE = new Issuers(TokenSettings.NONE, Map.of(), Instant::now);

    /** The clocks of issuers and servers differ by so much. */
    static final long SKEW_SECONDS = 60;

    private static final long FETCH_MS = 10_000;
    private static final int ID_BYTES = 16;
    /** Printable ASCII, as names of keys, which are in logs. */
    private static final Pattern SUBJECT = Pattern.compile("[!-~]([ -~]{0,253}[!-~])?");

    /** As the specification has it, and as the Python library writes it. */
    private static final Set<String> SCITOKENS_VERSIONS = Set.of("scitokens:2.0", "scitoken:2.0");

    private static final String GET_ANOTHER = "get a token for this server from an issuer that it trusts";

    private final TokenSettings settings;
    private final Map<String, Trusted> byUrl;
    private final Set<String> audiences;
    private final Supplier<Instant> now;

    /** An issuer with its keys, which are in a file or fetched. */
    record Trusted(
            TrustedIssuer issuer,
            @Nullable WatchedFile<KeySet> file,
            @Nullable FetchedKeys fetched) {
        @Nullable KeySet keys() {
            return file != null ? file.content() : fetched != null ? fetched.known() : null;
        }
    }

    Issuers(TokenSettings settings, Map<String, Trusted> byUrl, Supplier<Instant> now) {
        this.settings = settings;
        this.byUrl = byUrl;
        this.audiences = Set.copyOf(settings.audiences());
        this.now = now;
    }

    /** Begins to fetch the keys that are not in files; reads the others at the first {@link #look}. */
    public static Issuers of(TokenSettings settings, Consumer<String> warnings) {
        return of(settings, warnings, Instant::now);
    }

    static Issuers of(TokenSettings settings, Consumer<String> warnings, Supplier<Instant> now) {
        if (settings.issuers().isEmpty()) {
            return NONE;
        }
        Map<String, Trusted> byUrl = new LinkedHashMap<>();
        for (TrustedIssuer issuer : settings.issuers()) {
            byUrl.put(
                    issuer.url(),
                    issuer.keys() != null
                            ? new Trusted(issuer, keysIn(issuer.keys()), null)
                            : new Trusted(
                                    issuer,
                                    null,
                                    new FetchedKeys(
                                            issuer.url(),
                                            new PublishedKeys(issuer.url(), FETCH_MS),
                                            Clock.SYSTEM,
                                            warnings)));
        }
        return new Issuers(settings, byUrl, now);
    }

    private static WatchedFile<KeySet> keysIn(Path file) {
        return new WatchedFile<>(file, KeySet::parse);
    }

    /** Throws USAGE for the first file of these settings that cannot be used; fetches nothing. */
    public static void requireUsable(TokenSettings settings) {
        for (TrustedIssuer issuer : settings.issuers()) {
            if (issuer.keys() != null) {
                var unused = keysIn(issuer.keys()).read();
            }
        }
    }

    public boolean isEmpty() {
        return byUrl.isEmpty();
    }

    /** Reads what has changed of the files. For one thread. */
    public void look(Consumer<String> warnings) {
        byUrl.values().forEach(trusted -> {
            if (trusted.file != null) {
                trusted.file.look(warnings);
            }
        });
    }

    /**
     * Returns a token as a key. Null if keys are being fetched that may verify it: then the action runs afterwards, on
     * another thread, which it must not block.
     *
     * @param whenFetched null not to wait for that
     * @throws io.fdt.core.failure.TransferException UNKNOWN_KEY and others, with the reason, which never quotes the
     *     token
     */
    public @Nullable AccessKey verify(String token, @Nullable Runnable whenFetched) {
        if (isEmpty()) {
            throw Cause.UNKNOWN_KEY.failure("this server accepts no tokens, only keys");
        }
        try {
            SignedToken signed = SignedToken.parse(token);
            Trusted trusted = byUrl.get(signed.text("iss"));
            if (trusted == null) {
                throw new BadTokenException("this server does not trust its issuer");
            }
            KeySet keys = trusted.keys();
            if ((keys == null || !keys.knowsKeyOf(signed))
                    && whenFetched != null
                    && trusted.fetched != null
                    && trusted.fetched.whenFetched(whenFetched)) {
                return null;
            }
            if (keys == null) {
                throw Cause.UNAVAILABLE
                        .advise("see its log")
                        .failure("the server has no keys now of the issuer " + trusted.issuer.url());
            }
            keys.requireSigned(signed);
            return accessOf(signed, trusted.issuer);
        } catch (BadTokenException bad) {
            throw Cause.UNKNOWN_KEY
                    .advise(GET_ANOTHER)
                    .failure("the server does not accept the token: " + bad.getMessage());
        }
    }

    private AccessKey accessOf(SignedToken signed, TrustedIssuer issuer) throws BadTokenException {
        Instant expires = requireNow(signed);
        if (!signed.isAmong("aud", audiences)) {
            throw new BadTokenException(
                    "it is for another audience; this server is " + String.join(" or ", settings.audiences()));
        }
        String name = signed.text("sub");
        if (!SUBJECT.matcher(name).matches()) {
            throw new BadTokenException("its subject is not a name of 1 to 255 characters of ASCII");
        }
        Subject subject = new Subject(issuer.url(), name);
        Permission permission = permissionOf(signed, issuer);
        byte[] hash = hash(subject);
        return new AccessKey(
                HexFormat.of().formatHex(hash, 0, ID_BYTES),
                name + "@" + issuer.name(),
                Fingerprint.ofBytes(hash),
                permission,
                expires,
                subject);
    }

    /** Returns when it ends. */
    private Instant requireNow(SignedToken signed) throws BadTokenException {
        long moment = now.get().getEpochSecond();
        Long expires = signed.seconds("exp");
        Long notBefore = signed.seconds("nbf");
        Long issued = signed.seconds("iat");
        if (expires == null) {
            throw new BadTokenException("it does not expire");
        }
        if (moment >= expires + SKEW_SECONDS) {
            throw Cause.EXPIRED
                    .advise("get a new token")
                    .failure("the token expired at " + Instant.ofEpochSecond(expires));
        }
        if ((notBefore != null && notBefore > moment + SKEW_SECONDS)
                || (issued != null && issued > moment + SKEW_SECONDS)) {
            throw new BadTokenException("it is not valid yet; check the clocks of the issuer and of the server");
        }
        return Instant.ofEpochSecond(expires + SKEW_SECONDS);
    }

    private static Permission permissionOf(SignedToken signed, TrustedIssuer issuer) throws BadTokenException {
        boolean wlcg = signed.has("wlcg.ver");
        if (wlcg ? !signed.text("wlcg.ver").startsWith("1.") : !signed.isAmong("ver", SCITOKENS_VERSIONS)) {
            throw new BadTokenException("it follows neither the WLCG profile 1 (wlcg.ver) nor SciTokens 2.0 (ver)");
        }
        List<Scope> scopes = TokenScopes.parse(signed.text("scope"), wlcg ? TokenScopes.WLCG : TokenScopes.SCITOKENS);
        if (scopes.isEmpty()) {
            throw Cause.NO_RIGHT
                    .advise(GET_ANOTHER)
                    .failure("the token has no scope for files, such as storage.read:/");
        }
        Set<Right> rights = EnumSet.noneOf(Right.class);
        scopes.forEach(scope -> rights.addAll(scope.rights()));
        return new Permission(
                rights,
                false,
                issuer.root() == null ? List.of() : List.of(issuer.root()),
                KeyLimits.NONE,
                null,
                scopes);
    }

    /** Whom nobody else is; nothing has it as its hash that could be a secret. */
    private static byte[] hash(Subject subject) {
        try {
            MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
            sha256.update(
                    ("fdt 1 subject\n" + subject.issuer() + "\n" + subject.name()).getBytes(StandardCharsets.UTF_8));
            return sha256.digest();
        } catch (NoSuchAlgorithmException e) {
            throw Cause.INTERNAL.failure("this Java has no SHA-256", e);
        }
    }

    /** Returns why a token that admitted a client is no longer valid; null if it is valid. */
    public @Nullable Failure objectionTo(AccessKey admitted, Instant moment) {
        Subject subject = admitted.subject();
        if (subject == null || !byUrl.containsKey(subject.issuer())) {
            return Failure.of(Cause.REVOKED, "this server does not trust the issuer of the token");
        }
        return admitted.isExpired(moment)
                ? Failure.of(Cause.EXPIRED, "the token of " + admitted.name() + " has expired")
                        .advise("get a new token, then run it again to resume")
                : null;
    }

    @Override
    public void close() {
        byUrl.values().forEach(trusted -> {
            if (trusted.fetched != null) {
                trusted.fetched.close();
            }
        });
    }
}
