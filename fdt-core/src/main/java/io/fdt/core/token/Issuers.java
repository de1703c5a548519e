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
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Arrays;
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
    public static final Issuers NONE = new Issuers(TokenSettings.NONE, Map.of(), null, Instant::now);

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
    private final @Nullable OfAccount account;
    private final Supplier<Instant> now;

    /** In the process of an account, which has no keys of issuers, and cannot read their files. */
    private record OfAccount(String user, PassedTokens<Fingerprint> passed) {}

    /** An issuer with its keys, which are in a file or fetched, and the accounts of its subjects. */
    record Trusted(
            TrustedIssuer issuer,
            @Nullable WatchedFile<KeySet> file,
            @Nullable FetchedKeys fetched,
            @Nullable WatchedFile<SubjectUsers> users) {
        void look(Consumer<String> warnings) {
            if (file != null) {
                file.look(warnings);
            }
            if (users != null) {
                users.look(warnings);
            }
        }

        @Nullable KeySet keys() {
            return file != null ? file.content() : fetched != null ? fetched.known() : null;
        }
    }

    private Issuers(
            TokenSettings settings, Map<String, Trusted> byUrl, @Nullable OfAccount account, Supplier<Instant> now) {
        this.settings = settings;
        this.byUrl = byUrl;
        this.account = account;
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
                    new Trusted(
                            issuer,
                            keysIn(issuer),
                            issuer.keys() != null
                                    ? null
                                    : new FetchedKeys(
                                            issuer.url(),
                                            new PublishedKeys(issuer.url(), FETCH_MS),
                                            Clock.SYSTEM,
                                            warnings),
                            usersIn(issuer)));
        }
        return new Issuers(settings, byUrl, null, now);
    }

    /** For the process of an account, which accepts the tokens that the first process {@link #pass passes} on. */
    public static Issuers ofAccount(TokenSettings settings, String user) {
        Map<String, Trusted> byUrl = new LinkedHashMap<>();
        settings.issuers().forEach(issuer -> byUrl.put(issuer.url(), new Trusted(issuer, null, null, null)));
        return new Issuers(settings, byUrl, new OfAccount(user, new PassedTokens<>()), Instant::now);
    }

    private static @Nullable WatchedFile<KeySet> keysIn(TrustedIssuer issuer) {
        return issuer.keys() == null ? null : new WatchedFile<>(issuer.keys(), KeySet::parse);
    }

    private static @Nullable WatchedFile<SubjectUsers> usersIn(TrustedIssuer issuer) {
        return issuer.users() == null ? null : new WatchedFile<>(issuer.users(), SubjectUsers::parse);
    }

    /** Throws USAGE for the first file of these settings that cannot be used; fetches nothing. */
    public static void requireUsable(TokenSettings settings) {
        for (TrustedIssuer issuer : settings.issuers()) {
            for (WatchedFile<?> file : Arrays.asList(keysIn(issuer), usersIn(issuer))) {
                if (file != null) {
                    var unused = file.read();
                }
            }
        }
    }

    public boolean isEmpty() {
        return byUrl.isEmpty();
    }

    /** Reads what has changed of the files. For one thread. */
    public void look(Consumer<String> warnings) {
        byUrl.values().forEach(trusted -> trusted.look(warnings));
    }

    /** Has the keys fetched that are not in files. Returns at once. */
    public void fetchNow() {
        byUrl.values().forEach(trusted -> {
            if (trusted.fetched != null) {
                trusted.fetched.fetchNow();
            }
        });
    }

    /** Has this process accept a token that the first process of the server has verified for its account. */
    public void pass(String token) {
        if (account != null) {
            account.passed.add(hash(token));
        }
    }

    /** Whether {@link #verify} can decide about this token; if not, the server's first process can. */
    public boolean decides(String token) {
        return account == null || account.passed.contains(hash(token));
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
        return verify(token, whenFetched, false);
    }

    /** Likewise for a client that is admitted: if keys were just fetched, waits until they may be fetched again. */
    public @Nullable AccessKey verifyPatiently(String token, Runnable whenFetched) {
        return verify(token, whenFetched, true);
    }

    private @Nullable AccessKey verify(String token, @Nullable Runnable whenFetched, boolean patient) {
        if (isEmpty()) {
            throw Cause.UNKNOWN_KEY.failure("this server accepts no tokens, only keys");
        }
        try {
            SignedToken signed = SignedToken.parse(token);
            Trusted trusted = byUrl.get(signed.text("iss"));
            if (trusted == null) {
                throw new BadTokenException("this server does not trust its issuer");
            }
            if (account != null) {
                if (!decides(token)) {
                    throw new BadTokenException("nobody has verified it");
                }
                return accessOf(signed, trusted);
            }
            KeySet keys = trusted.keys();
            if ((keys == null || !keys.knowsKeyOf(signed))
                    && whenFetched != null
                    && trusted.fetched != null
                    && trusted.fetched.whenFetched(whenFetched, patient)) {
                return null;
            }
            if (keys == null) {
                throw Cause.UNAVAILABLE
                        .advise("see its log")
                        .failure("the server has no keys now of the issuer " + trusted.issuer.url());
            }
            keys.requireSigned(signed);
            return accessOf(signed, trusted);
        } catch (BadTokenException bad) {
            throw Cause.UNKNOWN_KEY
                    .advise(GET_ANOTHER)
                    .failure("the server does not accept the token: " + bad.getMessage());
        }
    }

    private AccessKey accessOf(SignedToken signed, Trusted trusted) throws BadTokenException {
        Instant expires = requireNow(signed);
        if (!signed.isAmong("aud", audiences)) {
            throw new BadTokenException(
                    "it is for another audience; this server is " + String.join(" or ", settings.audiences()));
        }
        String name = signed.text("sub");
        if (!SUBJECT.matcher(name).matches()) {
            throw new BadTokenException("its subject is not a name of 1 to 255 characters of ASCII");
        }
        TrustedIssuer issuer = trusted.issuer;
        Subject subject = new Subject(issuer.url(), name);
        Permission permission = permissionOf(signed, issuer, userOf(name, trusted));
        // Whom nobody else is; nothing has it as its hash that could be a secret.
        Fingerprint verifier = hash("fdt 1 subject\n" + subject.issuer() + "\n" + subject.name());
        return new AccessKey(
                HexFormat.of().formatHex(verifier.bytes(), 0, ID_BYTES),
                name + "@" + issuer.name(),
                verifier,
                permission,
                expires,
                subject);
    }

    /** Returns the account of a subject; null for the server's own. */
    private @Nullable String userOf(String subject, Trusted trusted) throws BadTokenException {
        if (account != null || trusted.users == null) {
            return account == null ? null : account.user;
        }
        SubjectUsers users = trusted.users.content();
        if (users == null) {
            throw Cause.UNAVAILABLE
                    .advise("see its log")
                    .failure("the server cannot read now which accounts the subjects of " + trusted.issuer.url()
                            + " have");
        }
        String user = users.of(subject);
        if (user == null) {
            throw new BadTokenException("no account of its host is for the subject " + subject);
        }
        return user;
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
            throw Cause.TOKEN_EXPIRED.failure("the token expired at " + Instant.ofEpochSecond(expires));
        }
        if ((notBefore != null && notBefore > moment + SKEW_SECONDS)
                || (issued != null && issued > moment + SKEW_SECONDS)) {
            throw new BadTokenException("it is not valid yet; check the clocks of the issuer and of the server");
        }
        return Instant.ofEpochSecond(expires + SKEW_SECONDS);
    }

    private static Permission permissionOf(SignedToken signed, TrustedIssuer issuer, @Nullable String user)
            throws BadTokenException {
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
                user,
                scopes);
    }

    private static Fingerprint hash(String text) {
        try {
            return Fingerprint.ofBytes(
                    MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
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
                ? Failure.of(Cause.TOKEN_EXPIRED, "the token of " + admitted.name() + " has expired")
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
